/**
 * Amounts, counts, times and shares, always written the same way; the exact
 * value is in the title. Knows no page.
 */
import { createContext, useContext, useSyncExternalStore } from "react";
import { formatCount, formatShare, formatShortCount } from "../format/count.ts";
import { formatMoney } from "../format/money.ts";
import {
  formatDay,
  formatDuration,
  formatExact,
  formatMilliseconds,
  formatRelative,
} from "../format/time.ts";
import { uiMessages } from "../i18n/en/ui.ts";
import { useLanguage } from "../i18n/language.ts";
import { useMessages } from "../i18n/messages.ts";
import { classNames } from "./class-names.ts";

/** The time zone of the user's profile; undefined is the browser's. Set by the shell. */
export const TimeZoneContext = createContext<string | undefined>(undefined);

/** The zone times are shown in, as an IANA name. */
export function useTimeZone(): string {
  return useContext(TimeZoneContext) ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** What is not known reads so; never as 0, never as "free". */
export function Unknown() {
  const t = useMessages(uiMessages);
  return <span className="whitespace-nowrap text-faint">{t("unknown")}</span>;
}

export interface MoneyProps {
  /** A decimal string of US dollars; null is unknown. */
  readonly value: string | null;
  /** Every decimal there is. */
  readonly exact?: boolean;
  /** A plus before what is added: for ledgers. */
  readonly signed?: boolean;
}

/** US dollars. */
export function Money({ value, exact = false, signed = false }: MoneyProps) {
  if (value === null) return <Unknown />;
  const isNegative = value.startsWith("-");
  return (
    <span
      title={formatMoney(value, "exact")}
      className={classNames("figures whitespace-nowrap", signed && !isNegative && "text-good")}
    >
      {signed && !isNegative ? "+" : ""}
      {formatMoney(value, exact ? "exact" : "short")}
    </span>
  );
}

/** A count of tokens, or of anything: short, exact in the title. */
export function TokenCount({
  value,
  exact = false,
}: {
  readonly value: number | null;
  readonly exact?: boolean;
}) {
  const language = useLanguage();
  if (value === null) return <Unknown />;
  const whole = formatCount(value, language);
  return (
    <span title={whole} className="figures whitespace-nowrap">
      {exact ? whole : formatShortCount(value)}
    </span>
  );
}

/** A share from 0 to 1. */
export function Percent({ value }: { readonly value: number | null }) {
  const language = useLanguage();
  if (value === null) return <Unknown />;
  return <span className="figures whitespace-nowrap">{formatShare(value, language)}</span>;
}

/** A time span in milliseconds. */
export function Duration({ ms }: { readonly ms: number | null }) {
  const language = useLanguage();
  if (ms === null) return <Unknown />;
  return (
    <span title={formatMilliseconds(ms, language)} className="figures whitespace-nowrap">
      {formatDuration(ms, language)}
    </span>
  );
}

/** One timer for all relative times of the page; it runs while there are any. */
const sharedClock = {
  nowMs: Date.now(),
  readers: new Set<() => void>(),
  timer: undefined as ReturnType<typeof setInterval> | undefined,
  subscribe(changed: () => void): () => void {
    const { readers } = sharedClock;
    readers.add(changed);
    sharedClock.timer ??= setInterval(() => {
      sharedClock.nowMs = Date.now();
      for (const reader of readers) reader();
    }, 20_000);
    return () => {
      readers.delete(changed);
      if (readers.size > 0) return;
      clearInterval(sharedClock.timer);
      sharedClock.timer = undefined;
    };
  },
  read: () => sharedClock.nowMs,
};

export interface WhenProps {
  /** ISO 8601; null reads "never". */
  readonly at: string | null;
  /** `relative` ("5 minutes ago"), `exact` to the second, `day`. The title is exact always. */
  readonly as?: "relative" | "exact" | "day";
}

/** An instant. */
export function When({ at, as = "relative" }: WhenProps) {
  const t = useMessages(uiMessages);
  const language = useLanguage();
  const timeZone = useContext(TimeZoneContext);
  const nowMs = useSyncExternalStore(sharedClock.subscribe, sharedClock.read);
  if (at === null) return <span className="text-faint">{t("never")}</span>;
  const exact = formatExact(at, language, timeZone);
  const texts = {
    relative: () =>
      formatRelative(Date.parse(at), Math.max(nowMs, as === "relative" ? Date.now() : 0), language),
    exact: () => exact,
    day: () => formatDay(at, language, timeZone),
  };
  return (
    <time
      dateTime={at}
      title={exact}
      className={classNames("figures", as === "exact" ? "sm:whitespace-nowrap" : "whitespace-nowrap")}
    >
      {texts[as]()}
    </time>
  );
}
