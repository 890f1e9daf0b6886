/** Handler of `contract/api/live.ts`. */
import type { liveRoutes } from "@plaza/contract/api/live.ts";
import type { HandlersOf } from "../context.ts";

export const liveHandlers: HandlersOf<typeof liveRoutes> = {
  watchLive: ({ live }, { query, viewer, isStillAllowed }) => ({
    events: live.watch({
      name: viewer.kind === "user" ? viewer.userId : viewer.tokenId,
      isOnce: query.once === true,
      isStillAllowed,
    }),
  }),
};
