/**
 * Names, sizes and ends of the live view (`api/live.ts`), apart from its shapes: a serving process counts by
 * them from the start, and shapes bring Zod, which takes a start 25 ms.
 */

/**
 * How a request ended. `refused`: with a 4xx status, by Plaza or an upstream. `incomplete`: an upstream broke
 * off. `aborted`: the client disconnected. `failed`: with a 5xx status.
 */
export const liveOutcomes = ["complete", "incomplete", "aborted", "refused", "failed"] as const;
export type LiveOutcome = (typeof liveOutcomes)[number];

/** Milliseconds covered by a point of the history. */
export const livePointMs = 5_000;

/** How many points the history has at most: 15 minutes. */
export const liveHistoryMax = 180;

/**
 * The last event of a stream. `closing`: the process stops. `again`: the stream was open for ten minutes; the
 * next one is opened at once. `ended`: the session or token is over.
 */
export interface LiveEnd {
  readonly end: "closing" | "again" | "ended";
}
