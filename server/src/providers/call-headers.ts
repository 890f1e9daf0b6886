/**
 * Headers that every call to every upstream carries, and how paths are joined to a base URL. No header of the
 * caller is passed on. No compression is requested, because answers are relayed byte for byte.
 */

/** The user agent Plaza sends to upstreams. */
const userAgent = "plaza/0.1";

const always = ["accept-encoding", "identity", "user-agent", userAgent] as const;

/** Headers of a GET that accepts JSON, as a flat list: name, value, name, value … */
export const readHeaders = (): string[] => ["accept", "application/json", ...always];

/** Headers of a POST with a JSON body. `accept`: the media type wanted for the answer. */
export const callHeaders = (accept: string): string[] => [
  "content-type",
  "application/json",
  "accept",
  accept,
  ...always,
];

/** The media type to accept from protocols that stream server-sent events. */
export const acceptFor = (isStream: boolean): string => (isStream ? "text/event-stream" : "application/json");

/** Path and query below a base URL, which ends with the version segment and may have its own query. */
export function pathBelow(baseUrl: string, end: string): string {
  const { pathname, search } = new URL(baseUrl);
  return `${pathname.replace(/\/$/, "")}${end}${search}`;
}
