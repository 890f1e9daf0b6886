/** Paths, heads and addresses of the server. */

export const serverTexts = {
  "server.routeUnknown": "There is no such route; /api/openapi.json lists them.",
  "server.checkRunning": "A check is running already. Wait for its result.",
  "server.cursorUnknown": "This is not where a page of this list begins. Ask for the first page again.",
} as const;
