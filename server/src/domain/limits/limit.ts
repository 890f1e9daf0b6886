/**
 * The bucket of one rate limit as the store keeps it: recent usage, slices lent to processes, and refilling.
 * Pure: time is a parameter, nothing is rounded. `gateway/limits/limits.ts` requests the slices.
 *
 * A rate (per minute) has room for one minute's amount and refills evenly. Units lent but not used yet take
 * up room and do not refill, so in any T seconds at most limit × (1 + T/60) are used. Slots (concurrent use)
 * never refill: they are returned.
 */

/** Larger limits count as this one, so that a full bucket is an exact number. */
export const limitMax = 100_000_000_000;

/**
 * Used room is counted in this many parts per unit, so that each millisecond refills exactly `limit` parts.
 */
export const partsPerUnit = 60_000;

const usedMax = Number.MAX_SAFE_INTEGER;

/**
 * Clock differences in milliseconds up to which they are message delays, which cancel out; a larger
 * difference means that a clock was set.
 */
const jitterMs = 2_000;

export interface Bucket {
  /** Units per minute, or concurrent units; at most `limitMax`. */
  readonly limit: number;
  /** True for slots, which do not refill. */
  readonly isSlots: boolean;
  /** Parts used and not refilled at `atMs`; may exceed the room if more was used than lent. 0 for slots. */
  readonly used: number;
  /** Units lent to all processes. */
  readonly outstanding: number;
  /** Time of the last refill, by the database's clock. */
  readonly atMs: number;
}

/** A process's report on its slice of a bucket, and its request. */
export interface SliceAsk {
  /** `scope:id:kind`, like `key:key_x:rpm`. */
  readonly subject: string;
  readonly isSlots: boolean;
  readonly limit: number;
  /** Units used since the last request, including those beyond the slice; 0 for slots. */
  readonly spent: number;
  /**
   * Units of the slice it keeps, free or reserved for running requests. The rest goes back. Slots in use
   * count even if they were never lent.
   */
  readonly holds: number;
  /** The smallest number of units that is useful. */
  readonly least: number;
  /** Units that requests wait for; 0: only a report. */
  readonly need: number;
  /**
   * Milliseconds by the process's own clock since its last request about this bucket; null: this is the
   * first.
   */
  readonly elapsedMs: number | null;
}

export interface SliceGrant {
  readonly granted: number;
  /** The slice afterwards, including the granted units. */
  readonly slice: number;
  /** The bucket afterwards: parts used, and units lent to all processes. */
  readonly used: number;
  readonly outstanding: number;
}

/** The used parts that remain after refilling for `ms` milliseconds. */
export function refilled(used: number, limit: number, ms: number): number {
  if (ms <= 0 || limit === 0) return used;
  return ms >= used / limit ? 0 : used - ms * limit;
}

/** Whole units that can be lent now. */
export function available({ isSlots, limit, used, outstanding }: Omit<Bucket, "atMs">): number {
  const room = isSlots ? limit : Math.floor((limit * partsPerUnit - used) / partsPerUnit);
  return Math.max(0, room - outstanding);
}

/**
 * Milliseconds until that many units fit beside what is used and lent, if all of it is used; 0: now. Not for
 * slots.
 */
export function waitMs(units: number, bucket: Pick<Bucket, "limit" | "used" | "outstanding">): number {
  const { limit, used, outstanding } = bucket;
  if (limit === 0) return Number.POSITIVE_INFINITY;
  const over = used + (outstanding + units - limit) * partsPerUnit;
  return over <= 0 ? 0 : Math.ceil(over / limit);
}

/** An unused bucket. */
export function newBucket(ask: Pick<SliceAsk, "limit" | "isSlots">, nowMs: number): Bucket {
  return { limit: ask.limit, isSlots: ask.isSlots, used: 0, outstanding: 0, atMs: nowMs };
}

/**
 * Refills up to now. If the clock went back, no time has passed. If it advanced further than the asking
 * process's clock, only the process's time has passed, and a difference larger than a message delay is
 * dropped.
 */
function refill(bucket: Bucket, nowMs: number, elapsedMs: number): Bucket {
  const passedMs = nowMs - bucket.atMs;
  const countedMs = Math.max(0, Math.min(passedMs, elapsedMs));
  const isDelay = passedMs > countedMs && passedMs - countedMs <= jitterMs;
  return {
    ...bucket,
    used: refilled(bucket.used, bucket.limit, countedMs),
    atMs: isDelay ? bucket.atMs + countedMs : nowMs,
  };
}

/**
 * For a lowered limit, earlier usage counts only up to the new limit, so that it never blocks for more than a
 * minute.
 */
function withLimit(bucket: Bucket, limit: number): Bucket {
  if (limit === bucket.limit) return bucket;
  const used = limit < bucket.limit ? Math.min(bucket.used, limit * partsPerUnit) : bucket.used;
  return { ...bucket, limit, used };
}

/**
 * Units to lend in addition to the units that requests wait for: a share of the limit that shrinks as the
 * bucket empties; 0 when it would be fewer than `least`.
 */
function ahead(limit: number, left: number, least: number): number {
  const units = Math.floor(Math.min(limit / 16, left / 8));
  return units >= least ? units : 0;
}

/** Answers one request. `slice`: units lent to this process so far. */
export function lendSlice(
  before: Bucket,
  slice: number,
  ask: SliceAsk,
  nowMs: number,
): { bucket: Bucket; grant: SliceGrant } {
  const now = withLimit(
    refill(before, nowMs, ask.elapsedMs ?? Number.POSITIVE_INFINITY),
    Math.min(ask.limit, limitMax),
  );
  const kept = ask.isSlots ? ask.holds : Math.min(slice, ask.holds);
  const used = ask.isSlots ? 0 : Math.min(now.used + ask.spent * partsPerUnit, usedMax);
  const outstanding = Math.max(0, now.outstanding - slice + kept);
  const there = available({ ...now, used, outstanding });
  let granted = 0;
  if (ask.need > 0 && there >= ask.least) {
    const needed = Math.min(ask.need, there);
    granted = needed + ahead(now.limit, there - needed, ask.least);
  }
  const bucket = { ...now, used, outstanding: outstanding + granted };
  return { bucket, grant: { granted, slice: kept + granted, used, outstanding: bucket.outstanding } };
}

/**
 * A process has died: its slots are free again. It is unknown what it used of a rate, so its whole slice
 * counts as used.
 */
export function loseSlice(before: Bucket, slice: number, nowMs: number): Bucket {
  // No process's clock confirms the elapsed time here, so none has passed; other processes ask soon anyway.
  const now = refill(before, nowMs, 0);
  const used = now.isSlots ? 0 : Math.min(now.used + slice * partsPerUnit, usedMax);
  return { ...now, used, outstanding: Math.max(0, now.outstanding - slice) };
}

/** When the bucket, with nothing lent, equals an unused one. */
export function fullAtMs({ used, limit, atMs }: Bucket): number {
  return limit === 0 ? atMs : atMs + Math.ceil(used / limit);
}
