/** Figures and times of the live page as text. */
import type { LivePoint } from "@plaza/contract/api/live.ts";
import type { LiveOutcome } from "@plaza/contract/live.ts";
import { formatShortCount } from "../../format/count.ts";
import { dateFormatter, numberFormatter } from "../../format/formatters.ts";
import type { Language } from "../../i18n/languages.ts";

/** A rate: `0.4`, `12.5`, `340`, `12K`. */
export function formatRate(rate: number, language: Language): string {
  if (rate >= 100) return formatShortCount(Math.round(rate));
  return numberFormatter(language, { maximumFractionDigits: rate < 10 ? 2 : 1 }).format(rate);
}

/** `09:03:15`. */
export function formatClock(iso: string, language: Language, timeZone: string): string {
  return dateFormatter(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(new Date(iso));
}

/** The bottom of the stack first. */
export const outcomes: readonly LiveOutcome[] = ["complete", "aborted", "refused", "incomplete", "failed"];

export const requestsOf = ({ requests }: LivePoint): number =>
  outcomes.reduce((sum, outcome) => sum + requests[outcome], 0);
