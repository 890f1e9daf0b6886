/** Requests that wait for their limits, and their combined demand per bucket. */
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { Admission } from "./admission.ts";
import type { LocalBucket } from "./bucket.ts";

export interface LimitWaiter {
  readonly admission: Admission;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: GatewayError) => void;
  /** True when the current store call includes its demand. */
  isAsked: boolean;
  tries: number;
}

export interface LimitDemand {
  /** Smallest grant that lets any waiter through. */
  least: number;
  need: number;
}

const waitersPerCall = 1_000;

/** Sums the demand of the first waiters, over at most `bucketsMax` buckets, and marks them as asked. */
export function demandsOf(
  waiters: readonly LimitWaiter[],
  bucketsMax: number,
): Map<LocalBucket, LimitDemand> {
  const demands = new Map<LocalBucket, LimitDemand>();
  for (const waiter of waiters.slice(0, waitersPerCall)) {
    if (demands.size > bucketsMax - waiter.admission.buckets.length) break;
    waiter.isAsked = true;
    const { buckets, units } = waiter.admission;
    for (let index = 0; index < buckets.length; index += 1) {
      const bucket = buckets[index] as LocalBucket;
      const wanted = units[index] as number;
      const demand = demands.get(bucket);
      if (demand === undefined) demands.set(bucket, { least: wanted, need: wanted });
      else {
        demand.need += wanted;
        demand.least = Math.min(demand.least, wanted);
      }
    }
  }
  return demands;
}

/** Returns the bucket with the longest wait in milliseconds; undefined when `waitOf` is 0 for all. */
export function worstOf(
  { buckets, units }: Admission,
  waitOf: (bucket: LocalBucket, units: number) => number,
): { readonly bucket: LocalBucket; readonly units: number; readonly waitMs: number } | undefined {
  let worst = -1;
  let worstMs = 0;
  for (let index = 0; index < buckets.length; index += 1) {
    const ms = waitOf(buckets[index] as LocalBucket, units[index] as number);
    if (ms <= worstMs) continue;
    worst = index;
    worstMs = ms;
  }
  if (worst < 0) return undefined;
  return { bucket: buckets[worst] as LocalBucket, units: units[worst] as number, waitMs: worstMs };
}
