/** Limit options of commands and how limits are shown; shared by accounts and keys. */
import { textOf } from "@plaza/contract/messages/message.ts";
import { type Command, InvalidArgumentError } from "commander";
import { limitRefusal, parseLimit } from "../../domain/limits/number.ts";
import { quote } from "../../lib/quote.ts";
import { addStoreSettings } from "../with-store.ts";

/** For each option: the field it sets and its name in texts. */
const limitKinds = [
  { option: "rpm", field: "requestsPerMinute", words: "requests per minute" },
  { option: "tpm", field: "tokensPerMinute", words: "model tokens per minute" },
  { option: "concurrency", field: "concurrency", words: "concurrent requests" },
] as const;

/** Stored limits of an account or key; null = not set. */
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

/** Parses a whole number, at least 0. The error says what is wrong: negative, a fraction, or above 2^53. */
export function readLimitNumber(text: string): number {
  const limit = parseLimit(text);
  if (typeof limit === "number") return limit;
  throw new InvalidArgumentError(textOf(limitRefusal(quote(text), limit.fault)));
}

/** The same, or the word that removes a limit. (Not null: commander reads that as a missing value.) */
function readLimitOr<Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => (text === word ? word : readLimitNumber(text));
}

/** Returns the limits given as options; null removes a limit, absent ones stay unchanged. */
export function readLimitOptions(options: LimitOptions<number | string>): Partial<LimitNumbers> {
  const requested: { -readonly [Field in keyof LimitNumbers]?: number | null } = {};
  for (const { option, field } of limitKinds) {
    const given = options[option];
    if (given !== undefined) requested[field] = typeof given === "string" ? null : given;
  }
  return requested;
}

/** Formats all three limits, one per line; `word` stands for a limit that is not set. */
export function formatLimitLines(limits: LimitNumbers, word: string): string {
  const width = Math.max(...limitKinds.map(({ words }) => words.length));
  const lines = limitKinds.map(({ field, words }) => {
    const limit = limits[field];
    return `  ${words.padEnd(width)}  ${limit === null ? word : limit === 0 ? "0 (blocked)" : limit}\n`;
  });
  return lines.join("");
}

/** Adds the three options. `placeholder`: their value in the help text. */
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

/** Options of `limits`; `Word` removes a limit. */
export type LimitsCommandOptions<Word extends string> = LimitOptions<number | Word> & {
  readonly json?: boolean;
};

export interface LimitsCommand<Word extends string> {
  /** Whose limits they are, as in "an account". */
  readonly whose: string;
  /** Help text of the argument. */
  readonly idText: string;
  readonly word: Word;
  /** End of the help text: what the word means, and examples. */
  readonly more: string;
  readonly run: (id: string, options: LimitsCommandOptions<Word>) => Promise<void>;
}

/** Adds `limits ID` to a group of commands. */
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

/** A warning for people when a limit of 0 blocks all calls; "" otherwise. */
export function blockingNote(options: LimitOptions<number | string>, whose: string): string {
  const flags = limitKinds.filter(({ option }) => options[option] === 0).map(({ option }) => `--${option} 0`);
  if (flags.length === 0) return "";
  return `note: ${flags.join(", ")} ${flags.length === 1 ? "blocks" : "block"} all requests of ${whose}\n`;
}

/** Formats the limits that are set, for a table cell; "" when there are none. */
export function formatLimits(limits: LimitNumbers): string {
  return limitKinds
    .filter(({ field }) => limits[field] !== null)
    .map(({ option, field }) => `${option} ${limits[field]}`)
    .join(", ");
}
