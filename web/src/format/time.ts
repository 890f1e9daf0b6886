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

function united(count: number, unit: string, digits: number, language: Language): string {
  return numberFormatter(language, {
    style: "unit",
    unit,
    // The narrow millisecond of Chinese is "ms", beside seconds that are 秒.
    unitDisplay: language === "zh" ? "short" : "narrow",
    maximumFractionDigits: digits,
  }).format(count);
}

/** `340ms`, `2.4s`, `3m 20s`, `2h 5m`, `4d 3h`. */
export function formatDuration(durationMs: number, language: Language): string {
  if (durationMs < 1_000) return united(Math.round(durationMs), "millisecond", 0, language);
  if (durationMs < 59_950) return united(durationMs / 1_000, "second", 1, language);
  const pairs: readonly [string, string, number, number][] = [
    ["minute", "second", 60_000, 1_000],
    ["hour", "minute", 3_600_000, 60_000],
    ["day", "hour", 86_400_000, 3_600_000],
  ];
  let pair = pairs[0] as readonly [string, string, number, number];
  for (const next of pairs) if (durationMs >= next[2]) pair = next;
  const [large, small, largeMs, smallMs] = pair;
  const roundedMs = Math.round(durationMs / 1_000) * 1_000;
  const whole = Math.floor(roundedMs / largeMs);
  const rest = Math.floor((roundedMs % largeMs) / smallMs);
  const first = united(whole, large, 0, language);
  return rest === 0 ? first : `${first} ${united(rest, small, 0, language)}`;
}
