/**
 * Headers that every call to every upstream carries, and where calls go below a base URL. Nothing of the
 * caller's headers is among them, and no compression is asked for: answers are relayed byte for byte.
 */

/** How Plaza names itself upstream. */
const userAgent = "plaza/0.1";

const always = ["accept-encoding", "identity", "user-agent", userAgent] as const;

/** Headers of a GET that accepts JSON, as a flat list: name, value, name, value … */
export const readHeaders = (): string[] => ["accept", "application/json", ...always];

/** Headers of a POST of JSON. `accept`: the media type of the answer that is wanted. */
export const callHeaders = (accept: string): string[] => [
  "content-type",
  "application/json",
  "accept",
  accept,
  ...always,
];

/** The media type asked for by protocols that stream server-sent events. */
export const acceptFor = (isStream: boolean): string => (isStream ? "text/event-stream" : "application/json");

/** Path and query below a base URL, which ends with the version segment and may have a query of its own. */
export function pathBelow(baseUrl: string, end: string): string {
  const { pathname, search } = new URL(baseUrl);
  return `${pathname.replace(/\/$/, "")}${end}${search}`;
}
