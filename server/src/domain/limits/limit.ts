/**
 * The bucket behind one limit, as the store keeps it: what was used of it lately, what is lent to
 * processes in slices, and how it refills. Pure: time is an argument, nothing is rounded. Who asks for
 * slices is `gateway/limits/limits.ts`.
 *
 * A rate (so many a minute) has room for one minute's worth and refills evenly. Units lent but not yet used
 * take up room and do not refill, so in any T seconds at most limit × (1 + T/60) are used. Slots (so many
 * at once) never refill: they come back.
 */

/** Larger limits count as this one, so that a full bucket is an exact number. */
export const limitMax = 100_000_000_000;

/** Used room is counted in so many parts of a unit: then a millisecond gives back exactly `limit` of them. */
export const partsPerUnit = 60_000;

const usedMax = Number.MAX_SAFE_INTEGER;

/**
 * Clock differences up to here are messages' delays and make up for each
 * other; a larger difference means that a clock was set.
 */
const jitterMs = 2_000;

export interface Bucket {
  /** Units per minute, or concurrent; at most `limitMax`. */
  readonly limit: number;
  /** True when it holds slots rather than refills. */
  readonly isSlots: boolean;
  /**
   * Parts used and not refilled yet at `atMs`; more than fit where more was used than was held. 0 for slots.
   */
  readonly used: number;
  /** Units lent to all processes. */
  readonly outstanding: number;
  /** Up to when it was refilled, by the database's clock. */
  readonly atMs: number;
}

/** What a process says about its slice of a bucket, and wants. */
export interface SliceAsk {
  /** `scope:id:kind`, like `key:key_x:rpm`. */
  readonly subject: string;
  readonly isSlots: boolean;
  readonly limit: number;
  /** Units used since the last ask, also beyond the slice; 0 for slots. */
  readonly spent: number;
  /**
   * Units of the slice it keeps: free, or set aside for requests under way. The rest goes back. Slots in use
   * count even if they were never lent.
   */
  readonly holds: number;
  /** Units of no use unless at least so many come. */
  readonly least: number;
  /** Units waited for; 0 = only reports. */
  readonly need: number;
  /**
   * Milliseconds, by the process's own clock, since its last ask about
   * this bucket; null = it has never asked.
   */
  readonly elapsedMs: number | null;
}

export interface SliceGrant {
  readonly granted: number;
  /** The slice now, with what was granted. */
  readonly slice: number;
  /** The bucket now: parts used, and units lent to all. */
  readonly used: number;
  readonly outstanding: number;
}

/** What refilling leaves of the used parts after a time. */
export function refilled(used: number, limit: number, ms: number): number {
  if (ms <= 0 || limit === 0) return used;
  return ms >= used / limit ? 0 : used - ms * limit;
}

/** Whole units that could be lent now. */
export function available({ isSlots, limit, used, outstanding }: Omit<Bucket, "atMs">): number {
  const room = isSlots ? limit : Math.floor((limit * partsPerUnit - used) / partsPerUnit);
  return Math.max(0, room - outstanding);
}

/**
 * How long until so many units fit beside what is used and lent, if all of
 * that is used up; 0 = now. Not for slots.
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
 * Refills up to now. A clock that went back: no time has passed. One that went on further than the asking
 * process's own: only the process's time has passed, and where that is no mere delay the rest never comes.
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
 * A limit that was lowered: what was used before counts up to the new one, so that it
 * never blocks for longer than a minute.
 */
function withLimit(bucket: Bucket, limit: number): Bucket {
  if (limit === bucket.limit) return bucket;
  const used = limit < bucket.limit ? Math.min(bucket.used, limit * partsPerUnit) : bucket.used;
  return { ...bucket, limit, used };
}

/**
 * Units lent beyond those waited for: a part of the limit, less and less as the bucket
 * empties, and none too few for a request.
 */
function ahead(limit: number, left: number, least: number): number {
  const units = Math.floor(Math.min(limit / 16, left / 8));
  return units >= least ? units : 0;
}

/** Answers one ask. `slice`: what the store has lent this process so far. */
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
 * A process is gone: its slots are free again; of a rate nobody knows what it
 * used, so all of its slice counts as used.
 */
export function loseSlice(before: Bucket, slice: number, nowMs: number): Bucket {
  // Nobody's own clock bears witness here, so no time has passed: the next ask
  // of another process is recent anyway.
  const now = refill(before, nowMs, 0);
  const used = now.isSlots ? 0 : Math.min(now.used + slice * partsPerUnit, usedMax);
  return { ...now, used, outstanding: Math.max(0, now.outstanding - slice) };
}

/** The time from which the bucket, with nothing leased, equals an unused one. */
export function fullAtMs({ used, limit, atMs }: Bucket): number {
  return limit === 0 ? atMs : atMs + Math.ceil(used / limit);
}
