/**
 * Days and wall-clock times of a time zone, as IANA names and plain texts. Pure:
 * the clock is passed in. Knows no page.
 */

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}

/** How far the zone's clocks are ahead of UTC, in milliseconds. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
}

/**
 * The instant at which the zone's clocks show this wall time (given as if it were UTC). Of two, the first; a
 * wall time that is skipped reads as it would without the skip.
 */
function instantOf(wallMs: number, timeZone: string): number {
  const before = wallMs - offsetMs(wallMs - dayMs, timeZone);
  if (before + offsetMs(before, timeZone) === wallMs) return before;
  const after = wallMs - offsetMs(wallMs + dayMs, timeZone);
  return after + offsetMs(after, timeZone) === wallMs ? after : before;
}

/** True when this browser knows the zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** True for a day, as in `2026-11-21`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayText(Date.parse(text)) === text;
}

function dayText(utcMs: number): string {
  return Number.isFinite(utcMs) ? new Date(utcMs).toISOString().slice(0, 10) : "";
}

/** The zone's day at an instant, as in `2026-11-21`. */
export function dayAt(atMs: number, timeZone: string): string {
  return dayText(atMs + offsetMs(atMs, timeZone));
}

/** The day so many days later. */
export function addDays(day: string, days: number): string {
  return dayText(Date.parse(day) + days * dayMs);
}

/** When a day of the zone begins, in Unix milliseconds. */
export function dayStartMs(day: string, timeZone: string): number {
  return instantOf(Date.parse(day), timeZone);
}

/** An instant as a wall time for `DateInput withTime`: `2026-11-21T08:00`. */
export function toWallTime(iso: string, timeZone: string): string {
  const atMs = Date.parse(iso);
  return new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 16);
}

/** The opposite; undefined for a text that is no wall time. */
export function fromWallTime(text: string, timeZone: string): string | undefined {
  const wallMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isFinite(wallMs) ? new Date(instantOf(wallMs, timeZone)).toISOString() : undefined;
}
