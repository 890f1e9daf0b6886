/**
 * Reference implementation of limits: computes from send and acceptance times how far calls were above or
 * below a limit. Shares no code with the product.
 */

/** A call that passed. It was admitted at some time from `sentAt` to `acceptedAt`; monotonic milliseconds. */
export interface Passed {
  readonly sentAt: number;
  readonly acceptedAt: number;
  /** When the upstream ended it. */
  readonly endedAt: number;
  /** Requests (1) or tokens. */
  readonly units: number;
}

/** The maximum units that a token bucket of this limit admits in this many milliseconds. */
const allowed = (limit: number, milliseconds: number): number => limit * (1 + milliseconds / 60_000);

/**
 * The largest excess over the limit in any window, in units; negative when all windows had room. A window
 * counts only calls certainly admitted within it, so a slow machine causes no false excess.
 */
export function mostAbove(limit: number, passed: readonly Passed[]): number {
  const byAcceptance = [...passed].sort((one, other) => one.acceptedAt - other.acceptedAt);
  let worst = -limit;
  for (const { sentAt: from } of passed) {
    let units = 0;
    for (const call of byAcceptance) {
      if (call.sentAt < from) continue;
      units += call.units;
      worst = Math.max(worst, units - allowed(limit, call.acceptedAt - from));
    }
  }
  return worst;
}

/** How many whole units below the limit a call was refused at `refusedAt`; the bucket was full at first. */
export function below(limit: number, passed: readonly Passed[], refusedAt: number): number {
  if (passed.length === 0) return limit;
  const firstAt = Math.min(...passed.map(({ acceptedAt }) => acceptedAt));
  const units = passed.reduce((sum, call) => sum + call.units, 0);
  return Math.floor(allowed(limit, Math.max(0, refusedAt - firstAt))) - units;
}

/** Maximum number of concurrent calls at the upstream. */
export function mostAtOnce(calls: readonly Pick<Passed, "acceptedAt" | "endedAt">[]): number {
  const edges = calls.flatMap(({ acceptedAt, endedAt }) => [
    { at: acceptedAt, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  edges.sort((one, other) => one.at - other.at || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of edges) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** Units a process may hold that another could use: a sixteenth of the limit, at least one. */
export const sliceOf = (limit: number): number => Math.max(1, Math.floor(limit / 16));

/** How far shares of this many processes may exceed the limit; exact limits need a database that answers. */
export const beyondShares = (limit: number, lost: number, processes: number): number =>
  lost * (Math.max(1, Math.floor(limit / processes)) + Math.ceil(limit / 60));
