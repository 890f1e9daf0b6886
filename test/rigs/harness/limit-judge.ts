/**
 * The exact reference of limits: from when calls were sent and when the upstream accepted them, how far above
 * or below a limit they were. Nothing of the product's own rules is used here.
 */

/**
 * A call that got through. Its admission happened at some moment from `sentAt` to
 * `acceptedAt`; monotonic milliseconds.
 */
export interface Passed {
  readonly sentAt: number;
  readonly acceptedAt: number;
  /** When the upstream had ended it. */
  readonly endedAt: number;
  /** Requests (1) or tokens. */
  readonly units: number;
}

/** Units a bucket of a limit lets through in so many milliseconds at most. */
const allowed = (limit: number, milliseconds: number): number => limit * (1 + milliseconds / 60_000);

/**
 * How many units more than allowed passed in the worst of all windows; negative where there was
 * always room. A window counts only the calls that certainly fell into it, so what is found is
 * never an artefact of a slow machine.
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

/**
 * How many whole units fewer than allowed had passed when a call was refused at
 * `refusedAt`; the bucket was full at first.
 */
export function below(limit: number, passed: readonly Passed[], refusedAt: number): number {
  if (passed.length === 0) return limit;
  const firstAt = Math.min(...passed.map(({ acceptedAt }) => acceptedAt));
  const units = passed.reduce((sum, call) => sum + call.units, 0);
  return Math.floor(allowed(limit, Math.max(0, refusedAt - firstAt))) - units;
}

/** Most calls at the upstream at one instant. */
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

/** Units a process may have in hand that another one could use: a sixteenth of the limit, at least one. */
export const sliceOf = (limit: number): number => Math.max(1, Math.floor(limit / 16));

/**
 * What shares of so many processes may let through beyond the limit: exact
 * figures need a database that answers.
 */
export const beyondShares = (limit: number, lost: number, processes: number): number =>
  lost * (Math.max(1, Math.floor(limit / processes)) + Math.ceil(limit / 60));
