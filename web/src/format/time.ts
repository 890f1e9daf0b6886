/** Instants and durations as people read them. The clock is passed in. */
import type { Language } from "../i18n/languages.ts";
import { dateFormatter, numberFormatter, relativeFormatter } from "./formatters.ts";

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["second", 1_000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
  ["month", 30.44 * 86_400_000],
  ["year", 365.25 * 86_400_000],
];

/** "5 minutes ago", "in 3 days". */
export function formatRelative(atMs: number, nowMs: number, language: Language): string {
  const distance = atMs - nowMs;
  let [unit, size] = steps[0] as [Intl.RelativeTimeFormatUnit, number];
  for (const step of steps) if (Math.abs(distance) >= step[1]) [unit, size] = step;
  const count = Math.trunc(distance / size);
  return relativeFormatter(language, { numeric: "auto" }).format(count === 0 ? 0 : count, unit);
}

/**
 * Day, time to the second and zone: `21 Nov 2026, 09:03:12 GMT+1`. The zone comes last in every language,
 * also in Chinese, where `Intl` puts it before the time. `timeZone` undefined is the browser's.
 */
export function formatExact(iso: string, language: Language, timeZone: string | undefined): string {
  const at = new Date(iso);
  const options: Intl.DateTimeFormatOptions = {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  const parts = dateFormatter(language, { ...options, timeZoneName: "short" }).formatToParts(at);
  const zone = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return `${dateFormatter(language, options).format(at)} ${zone}`;
}

/** Day only. */
export function formatDay(iso: string, language: Language, timeZone: string | undefined): string {
  return dateFormatter(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(new Date(iso));
}

/**
 * A figure, a space and its unit: `5 min`. English has the symbols of the SI, other languages have their own
 * words. `Intl` leaves the space out in some languages, and its short English second is "sec".
 */
function united(count: number, unit: string, digits: number, language: Language): string {
  const text = numberFormatter(language, {
    style: "unit",
    unit,
    unitDisplay: language === "en" && unit !== "minute" ? "narrow" : "short",
    maximumFractionDigits: digits,
  }).format(count);
  return text.replace(/(\d) ?(?=\D+$)/, "$1 ");
}

/** Milliseconds, however many: `1,250 ms`. */
export function formatMilliseconds(durationMs: number, language: Language): string {
  return united(Math.round(durationMs), "millisecond", 0, language);
}

/** `340 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function formatDuration(durationMs: number, language: Language): string {
  if (durationMs < 999.5) return formatMilliseconds(durationMs, language);
  if (durationMs < 59_950) return united(durationMs / 1_000, "second", 1, language);
  const pairs: readonly [string, string, number, number][] = [
    ["minute", "second", 60_000, 1_000],
    ["hour", "minute", 3_600_000, 60_000],
    ["day", "hour", 86_400_000, 3_600_000],
  ];
  const roundedMs = Math.round(durationMs / 1_000) * 1_000;
  let pair = pairs[0] as readonly [string, string, number, number];
  for (const next of pairs) if (roundedMs >= next[2]) pair = next;
  const [large, small, largeMs, smallMs] = pair;
  const whole = Math.floor(roundedMs / largeMs);
  const rest = Math.floor((roundedMs % largeMs) / smallMs);
  const first = united(whole, large, 0, language);
  return rest === 0 ? first : `${first} ${united(rest, small, 0, language)}`;
}
