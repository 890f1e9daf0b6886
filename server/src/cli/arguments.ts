/** Parses command-line values; errors say what is allowed. Pure. */
import { labelFault, labelLengthMax, tagsMax } from "@plaza/contract/labels.ts";
import {
  formatUsd,
  type NanoUsd,
  nanoUsd,
  parseUsd,
  type UsdFault,
  usdFault,
} from "@plaza/contract/money.ts";
import { InvalidArgumentError } from "commander";
import { parseNetwork } from "../lib/net/address.ts";
import { hasControlCharacter, quote } from "../lib/quote.ts";
import { parseDurationMs } from "../lib/units.ts";

const nameLengthMax = 200;
const weekMs = 7 * 86_400_000;
/** The last time with a four-digit year. */
const timeMaxMs = Date.UTC(9999, 11, 31);

/** A display name: one line, not empty. */
export function readName(text: string): string {
  if (text.trim() === "" || text.length > nameLengthMax || hasControlCharacter(text)) {
    throw new InvalidArgumentError(`Enter one line of 1 to ${nameLengthMax} characters.`);
  }
  return text.trim();
}

/** A project or a tag. */
export function readLabel(text: string): string {
  const label = text.trim();
  if (labelFault(label) !== undefined)
    throw new InvalidArgumentError(`Enter one line of 1 to ${labelLengthMax} characters.`);
  return label;
}

/** One more tag of an option that may be given several times. */
export function readTag(text: string, before: readonly string[] = []): readonly string[] {
  const tags = [...new Set([...before, readLabel(text)])];
  if (tags.length > tagsMax) throw new InvalidArgumentError(`Give at most ${tagsMax} tags.`);
  return tags;
}

/** Messages for texts that are not an amount. */
const amountFaults: Readonly<Record<UsdFault, string>> = {
  negative: "The amount cannot be negative.",
  signed: "Remove the + sign.",
  not_a_number: "This is not a number.",
  not_decimal: "Write the amount in decimal digits.",
  exponent: "Exponents are not allowed: write all digits.",
  currency: "Remove the currency: all amounts are in US dollars.",
  comma: "Use a decimal point and no thousands separators.",
  too_many_decimals: "Use at most nine decimals.",
  too_large: "The largest amount is 1000000000.",
  form: "This is not an amount.",
};

/** US dollars, like "5.00". */
export function readAmount(text: string): NanoUsd {
  const fault = usdFault(text);
  if (fault === undefined) return parseUsd(text);
  throw new InvalidArgumentError(
    `${amountFaults[fault]} Enter US dollars with at most nine decimals, for example "5.00".`,
  );
}

/** US dollars, above 0. */
export function readPositiveAmount(text: string): NanoUsd {
  const amount = readAmount(text);
  if (amount === 0n) throw new InvalidArgumentError("The amount cannot be 0.");
  return amount;
}

/** US dollars; negative to subtract. */
export function readSignedAmount(text: string): NanoUsd {
  const amount = readPositiveAmount(text.replace(/^[+-]/, ""));
  return text.startsWith("-") ? nanoUsd(-amount) : amount;
}

const rowsMax = 10_000;

/** Maximum number of rows to list. */
export function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > rowsMax)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${rowsMax}.`);
  return limit;
}

export interface Budget {
  readonly amount: NanoUsd;
  readonly period: "day" | "month";
}

/** "10.00/month" or "1/day". */
export function readBudget(text: string): Budget {
  const [amountText = "", period, ...rest] = text.split("/");
  const isPeriod = (period === "day" || period === "month") && rest.length === 0;
  const amount = isPeriod && /^\d/.test(amountText) ? readAmount(amountText) : nanoUsd(0n);
  if (!isPeriod || amount === 0n) {
    throw new InvalidArgumentError('Give US dollars per day or month, like "10.00/month".');
  }
  return { amount, period };
}

/** The inverse: "10.00/month". */
export function formatBudget({ amount, period }: Budget): string {
  return `${formatUsd(amount)}/${period}`;
}

/** Model ids separated by commas. */
export function readModelIds(text: string): string[] {
  const ids = text.split(",").map((id) => id.trim());
  if (ids.includes("")) throw new InvalidArgumentError("Give model ids separated by commas, like a,b.");
  return [...new Set(ids)];
}

/** Addresses and networks, separated by commas. */
export function readNetworks(text: string): string[] {
  const networks = text.split(",").map((one) => one.trim().toLowerCase());
  const wrong = networks.find((one) => parseNetwork(one) === undefined);
  if (wrong === undefined) return [...new Set(networks)];
  throw new InvalidArgumentError(
    `${quote(wrong)} is none. Give addresses or networks separated by commas, like 203.0.113.7,10.0.0.0/8.`,
  );
}

function readRelative(text: string): number | undefined {
  const weeks = /^(\d{1,4})w$/.exec(text);
  return weeks === null ? parseDurationMs(text) : Number(weeks[1]) * weekMs;
}

const momentForm = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

function readMoment(text: string): number | undefined {
  const match = momentForm.exec(text);
  const [, date = "", time = "00:00", zone = "Z"] = match ?? [];
  const midnight = Date.parse(`${date}T00:00Z`);
  // Date.parse reads 31 February as a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  const moment = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(moment) ? undefined : moment;
}

/** When something ends: at a Unix time in milliseconds, or this many milliseconds after it begins. */
export type Expiry = { readonly expiresAt: number } | { readonly expiresAfterMs: number };

/** Like `readFuture`, but keeps a duration as a duration. */
export function readExpiry(text: string, nowMs: number): Expiry {
  const expiresAt = readFuture(text, nowMs);
  const expiresAfterMs = readRelative(text);
  return expiresAfterMs === undefined ? { expiresAt } : { expiresAfterMs };
}

/**
 * A future time in Unix milliseconds: a date (00:00 UTC), a date and time (UTC by default), or a duration
 * from now such as 30d.
 */
export function readFuture(text: string, nowMs: number): number {
  const relative = readRelative(text);
  const moment = relative === undefined ? readMoment(text) : nowMs + relative;
  if (moment === undefined || moment > timeMaxMs) {
    throw new InvalidArgumentError(
      "Give a date like 2030-12-31, a time like 2030-12-31T18:00Z, or a time from now like 30d.",
    );
  }
  if (moment <= nowMs) throw new InvalidArgumentError("This time is in the past.");
  return moment;
}
