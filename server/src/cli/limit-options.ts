/** Limits on the command line: the three options, and how limits are shown. The same for accounts and keys. */
import { type Command, InvalidArgumentError } from "commander";
import { limitForm, parseLimit } from "../domain/limit-number.ts";
import { quote } from "../lib/quote.ts";

/** By option, what a limit is called in a row and in words. */
export const limitKinds = [
  { option: "rpm", field: "requestsPerMinute", words: "requests per minute" },
  { option: "tpm", field: "tokensPerMinute", words: "model tokens per minute" },
  { option: "concurrency", field: "concurrency", words: "requests at a time" },
] as const;

export interface LimitOptions<Value = number> {
  readonly rpm?: Value;
  readonly tpm?: Value;
  readonly concurrency?: Value;
}

/** A whole number from 0 on. What is refused is named: negative, a fraction, beyond 2^53. */
export function readLimitNumber(text: string): number {
  const limit = parseLimit(text);
  if (typeof limit === "number") return limit;
  throw new InvalidArgumentError(`${quote(text)} ${limit.fault}; give ${limitForm}.`);
}

/** The same, or `default`. (Not null: commander takes that for a missing value.) */
export function readOwnLimit(text: string): number | "default" {
  return text === "default" ? text : readLimitNumber(text);
}

/** Adds the three options. `placeholder` is what help shows as their value. */
export function addLimitOptions<Value>(
  command: Command,
  placeholder: string,
  read: (text: string) => Value,
): Command {
  for (const { option, words } of limitKinds) {
    command.option(`--${option} <${placeholder}>`, `most ${words}; 0 blocks`, read);
  }
  return command;
}

/** What stops every call, said where people look and programs do not; "" when nothing does. */
export function blockingNote(options: LimitOptions<number | "default">, whose: string): string {
  const flags = limitKinds.filter(({ option }) => options[option] === 0).map(({ option }) => `--${option} 0`);
  if (flags.length === 0) return "";
  return `note: ${flags.join(", ")} ${flags.length === 1 ? "blocks" : "block"} every call of ${whose}\n`;
}

/** The limits that are set, in a table cell, in the words of the options; none are "". */
export function formatLimits(limits: {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
}): string {
  return limitKinds
    .filter(({ field }) => limits[field] !== null)
    .map(({ option, field }) => `${option} ${limits[field]}`)
    .join(", ");
}
