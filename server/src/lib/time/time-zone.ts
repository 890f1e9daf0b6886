/**
 * Pure: the days of a time zone in UTC half hours. Sums are kept by half hour, so only zones whose offset
 * from UTC is a multiple of that are supported. Days of 23 and 25 hours keep their length.
 */

/** Half hours of a day. */
export const slotsPerDay = 48;

export const slotMs = 30 * 60_000;

/** A range of half hours (counted from 1970 in UTC, `to` exclusive) with a constant offset. */
export interface ZoneStretch {
  readonly from: number;
  readonly to: number;
  /** Half hours ahead of UTC. */
  readonly offset: number;
}

/** An unknown time zone, or one whose offset is not a multiple of half an hour. */
export class TimeZoneError extends RangeError {
  readonly reason: "unknown" | "between_half_hours";
  readonly timeZone: string;

  constructor(reason: "unknown" | "between_half_hours", timeZone: string) {
    super(`time zone ${timeZone}: ${reason}`);
    this.name = "TimeZoneError";
    this.reason = reason;
    this.timeZone = timeZone;
  }
}

const offsetForm = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** Milliseconds ahead of UTC. */
function offsetMs(format: Intl.DateTimeFormat, atMs: number): number {
  const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const match = offsetForm.exec(name);
  if (match === null) throw new RangeError(`an offset could not be read: ${name}`);
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -size : size;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    throw new TimeZoneError("unknown", timeZone.slice(0, 64));
  }
}

/**
 * The first half hour in (from, to] whose offset differs from `from`'s; the offsets at both ends must differ.
 */
function changeBetween(offsetAt: (slot: number) => number, from: number, to: number): number {
  let before = from;
  let after = to;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offsetAt(from)) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * The stretches of a range of half hours, in order. Throws TimeZoneError for unknown or unsupported zones.
 */
export function zoneStretches(timeZone: string, from: number, to: number): ZoneStretch[] {
  const format = formatOf(timeZone);
  const offsetAt = (slot: number): number => {
    const offset = offsetMs(format, slot * slotMs) / slotMs;
    // The end of the half hour shows a change within it.
    const isWhole = Number.isInteger(offset) && offsetMs(format, (slot + 1) * slotMs - 1) / slotMs === offset;
    if (isWhole) return offset;
    throw new TimeZoneError("between_half_hours", timeZone);
  };
  const stretches: ZoneStretch[] = [];
  let begun = from;
  // `known` always has the offset of the current stretch.
  for (let known = from; known < to - 1; ) {
    const probe = Math.min(known + slotsPerDay, to - 1);
    if (offsetAt(probe) === offsetAt(begun)) {
      known = probe;
      continue;
    }
    known = changeBetween(offsetAt, known, probe);
    stretches.push({ from: begun, to: known, offset: offsetAt(begun) });
    begun = known;
  }
  stretches.push({ from: begun, to, offset: offsetAt(begun) });
  return stretches;
}

/** The day (counted from 1970) of a half hour. */
export function dayOf(slot: number, offset: number): number {
  return Math.floor((slot + offset) / slotsPerDay);
}

/** YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
