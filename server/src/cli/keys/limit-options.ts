/**
 * Limits on the command line: the three options, and how limits are shown. The same for accounts and keys.
 */
import { textOf } from "@plaza/contract/messages/message.ts";
import { type Command, InvalidArgumentError } from "commander";
import { limitRefusal, parseLimit } from "../../domain/limits/number.ts";
import { quote } from "../../lib/quote.ts";
import { addStoreSettings } from "../with-store.ts";

/** By option, what a limit is called in a row and in words. */
const limitKinds = [
  { option: "rpm", field: "requestsPerMinute", words: "requests per minute" },
  { option: "tpm", field: "tokensPerMinute", words: "model tokens per minute" },
  { option: "concurrency", field: "concurrency", words: "concurrent requests" },
] as const;

/** Limits as they are stored, of an account or a key; null = not set. */
interface LimitNumbers {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
}

export interface LimitOptions<Value = number> {
  readonly rpm?: Value;
  readonly tpm?: Value;
  readonly concurrency?: Value;
}

/** A whole number from 0 on. What is refused is named: negative, a fraction, beyond 2^53. */
export function readLimitNumber(text: string): number {
  const limit = parseLimit(text);
  if (typeof limit === "number") return limit;
  throw new InvalidArgumentError(textOf(limitRefusal(quote(text), limit.fault)));
}

/** The same, or the word that takes a limit away. (Not null: commander takes that for a missing value.) */
function readLimitOr<Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => (text === word ? word : readLimitNumber(text));
}

/** The limits the options name, null for the word that takes one away; those they do not are left alone. */
export function readLimitOptions(options: LimitOptions<number | string>): Partial<LimitNumbers> {
  const requested: { -readonly [Field in keyof LimitNumbers]?: number | null } = {};
  for (const { option, field } of limitKinds) {
    const given = options[option];
    if (given !== undefined) requested[field] = typeof given === "string" ? null : given;
  }
  return requested;
}

/** All three limits, one a line; `word` stands for one that is not set. */
export function formatLimitLines(limits: LimitNumbers, word: string): string {
  const width = Math.max(...limitKinds.map(({ words }) => words.length));
  const lines = limitKinds.map(({ field, words }) => {
    const limit = limits[field];
    return `  ${words.padEnd(width)}  ${limit === null ? word : limit === 0 ? "0 (blocked)" : limit}\n`;
  });
  return lines.join("");
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

/** Options of `limits`; `Word` takes a limit away. */
export type LimitsCommandOptions<Word extends string> = LimitOptions<number | Word> & {
  readonly json?: boolean;
};

export interface LimitsCommand<Word extends string> {
  /** Whose limits they are, as in "an account". */
  readonly whose: string;
  /** What help says of the argument. */
  readonly idText: string;
  readonly word: Word;
  /** Help's end: what the word means, and examples. */
  readonly more: string;
  readonly run: (id: string, options: LimitsCommandOptions<Word>) => Promise<void>;
}

/** Adds `limits ID` to the commands of a thing that has some. */
export function addLimitsCommand<Word extends string>(
  parent: Command,
  { whose, idText, word, more, run }: LimitsCommand<Word>,
): void {
  const command = parent
    .command("limits")
    .description(`Show or change the limits of ${whose}. Running servers apply them within a second.`)
    .argument("<id>", idText);
  addLimitOptions(command, `number|${word}`, readLimitOr(word))
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action(run);
}

/** What stops every call, said where people look and programs do not; "" when nothing does. */
export function blockingNote(options: LimitOptions<number | string>, whose: string): string {
  const flags = limitKinds.filter(({ option }) => options[option] === 0).map(({ option }) => `--${option} 0`);
  if (flags.length === 0) return "";
  return `note: ${flags.join(", ")} ${flags.length === 1 ? "blocks" : "block"} all requests of ${whose}\n`;
}

/** The limits that are set, in a table cell, in the words of the options; none are "". */
export function formatLimits(limits: LimitNumbers): string {
  return limitKinds
    .filter(({ field }) => limits[field] !== null)
    .map(({ option, field }) => `${option} ${limits[field]}`)
    .join(", ");
}
