/**
 * What single values of the catalog may be: ids, amounts, times and bounds, with the messages that refuse
 * others. The server reads files and documents with them, and the rules of documents
 * (`contract/api/catalog-rules.ts`) let forms check the same before anything is sent. Pure.
 */
import { type Message, message } from "./messages/message.ts";
import { parseUsd, usdFault } from "./money.ts";

/** Most of each; lengths are in characters. */
export const catalogMax = {
  tokens: 1_000_000_000,
  promptTokens: 1_000_000_000,
  deployments: 100,
  /** Of a deployment's priority and weight. */
  priority: 1_000_000,
  tiers: 16,
  /** Of one model: the one in force and those that are scheduled. */
  prices: 100,
  fallbacks: 8,
  nameLength: 256,
  descriptionLength: 4_096,
  familyLength: 64,
  hedgeMs: 3_600_000,
  timeoutMs: 86_400_000,
  /** Concurrent calls of an upstream from one process. */
  concurrency: 1_000_000,
  queue: 100_000,
} as const;

const shownMax = 60;

/**
 * Untrusted text for a message: in double quotes, on one line, at most 60 characters of it. As the server's
 * own, which is in a part that knows no contract (`server/src/lib/quote.ts`).
 */
export function quote(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/** True when the text contains a C0 control character (including tab and line breaks) or DEL. */
export const hasControlCharacter = (text: string): boolean =>
  text.split("").some((unit) => unit < " " || unit === "\u007f");

/** What ids of upstreams and models look like. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;

/** Why a text is no id; undefined for one. `shown`: the text as it was written, quoted. */
export const idFault = (text: string, shown = quote(text)): Message | undefined =>
  idForm.test(text) ? undefined : message("file.notId", { given: shown });

/** The allowed amounts, and how messages describe them: in a file an amount is quoted. */
export interface AmountForm {
  readonly max: string;
  readonly text: (where: "file" | "form") => Message;
}
export const perMillion: AmountForm = {
  max: "1000000",
  text: (where) => message("price.perMillion", { where }),
};
export const perRequest: AmountForm = {
  max: "1000",
  text: (where) => message("price.perRequest", { where }),
};

/** Why a text is no such amount; undefined for one. `shown`: as of `idFault`. */
export function amountFault(
  text: string,
  form: AmountForm,
  where: "file" | "form",
  shown = quote(text),
): Message | undefined {
  const wrong = usdFault(text, parseUsd(form.max));
  if (wrong === undefined) return undefined;
  const refused = { given: shown, form: form.text(where) };
  return wrong === "too_large"
    ? message("price.tooLarge", { ...refused, max: form.max })
    : message("price.refused", { ...refused, fault: wrong });
}

const earliestMs = Date.UTC(2000, 0);
const latestMs = Date.UTC(2100, 0);
/** The allowed form of a time, to complete "enter". */
export const timeForm = message("file.time");
const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;

/**
 * Unix milliseconds of a date (its start) or time in UTC; undefined for any other form and for days that do
 * not exist.
 */
export function parseTimeMs(text: string): number | undefined {
  if (!timePattern.test(text)) return undefined;
  const ms = Date.parse(text);
  // Date.parse reads the 30th of February as the 1st of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  return ms;
}

/** Unix milliseconds of a time from 2000 to 2099, or why it is none. `shown`: as of `idFault`. */
export function readTime(text: string, shown = quote(text)): number | Message {
  const ms = parseTimeMs(text);
  if (ms !== undefined && ms >= earliestMs && ms < latestMs) return ms;
  const refused = { given: shown, form: timeForm };
  return message(ms === undefined ? "file.notTime" : "file.timeOutside", refused);
}

/** True for a whole number within bounds. */
export const isWhole = (value: unknown, min: number, max: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;
