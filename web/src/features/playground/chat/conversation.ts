/**
 * A conversation as a list of exchanges: what was said, and the run that answered. Everything here returns a
 * new list. Knows no network and no React.
 */
import { addMoney } from "../../../format/money.ts";
import type { GivenImage, GivenMessage, ToolResult } from "./request.ts";
import type { ChatRun } from "./run-chat.ts";

/** One turn of the person, and the answer to it. */
export interface Exchange {
  readonly id: number;
  readonly text: string;
  readonly images: readonly GivenImage[];
  /** Results of the tools that the answer before asked for, in place of a text. */
  readonly results?: readonly ToolResult[];
  readonly run: ChatRun;
}

/** What a turn says. */
export type Prompt = Pick<Exchange, "text" | "images" | "results">;

/** Most exchanges of one conversation. */
export const exchangesMax = 200;

function saidIn({ text, images, results = [] }: Prompt): GivenMessage[] {
  if (results.length > 0)
    return results.map((result) => ({ role: "tool", text: result.text, images: [], toolCallId: result.id }));
  return [{ role: "user", text, images }];
}

/**
 * The messages that are sent for the last of these exchanges: earlier answers, and what was said. Calls of
 * tools are repeated only with their results, without which an endpoint refuses them.
 */
export function messagesOf(before: readonly Exchange[], prompt: Prompt): GivenMessage[] {
  const messages: GivenMessage[] = [];
  for (const [at, exchange] of before.entries()) {
    const { text, toolCalls } = exchange.run.answer;
    const results = (before[at + 1] ?? prompt).results ?? [];
    const answered = results.length > 0 ? toolCalls : [];
    // What was never answered is not repeated: the model would see two questions in a row.
    if (text === "" && answered.length === 0) continue;
    messages.push(...saidIn(exchange), {
      role: "assistant",
      text,
      images: [],
      ...(answered.length === 0 ? {} : { toolCalls: answered }),
    });
  }
  messages.push(...saidIn(prompt));
  return messages;
}

/** The exchanges before this one; all of them when it is not there. */
export function before(exchanges: readonly Exchange[], id: number): readonly Exchange[] {
  const at = exchanges.findIndex((exchange) => exchange.id === id);
  return at < 0 ? exchanges : exchanges.slice(0, at);
}

/** Puts a newer run in the place of the one this exchange has. */
export function withRun(exchanges: readonly Exchange[], id: number, run: ChatRun): readonly Exchange[] {
  return exchanges.map((exchange) => (exchange.id === id ? { ...exchange, run } : exchange));
}

/** Sums over what is on record. */
interface Totals {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Decimal dollars. */
  readonly charge: string;
  /** Answers the sums are of. */
  readonly counted: number;
  /** Calls that reached the endpoint but have no record (yet). */
  readonly unknown: number;
  /** Some of the counts are Plaza's estimates. */
  readonly hasEstimates: boolean;
}

/** Tokens and charge of all these runs, as the endpoint has them on record. */
export function totalsOf(runs: readonly ChatRun[]): Totals {
  let promptTokens = 0;
  let outputTokens = 0;
  let unknown = 0;
  let hasEstimates = false;
  const charges: string[] = [];
  for (const { record, requestId } of runs) {
    if (record === null || record === "asking") {
      if (requestId !== null) unknown += 1;
      continue;
    }
    charges.push(record.charge);
    promptTokens += promptTokensOf(record.usage);
    outputTokens += record.usage?.output ?? 0;
    hasEstimates ||= record.usage?.source === "estimated";
  }
  return {
    promptTokens,
    outputTokens,
    charge: addMoney(charges),
    counted: charges.length,
    unknown,
    hasEstimates,
  };
}

/** The whole prompt: fresh, read from and written to a cache. */
export function promptTokensOf(
  usage: { readonly input: number; readonly cached_input: number; readonly cache_write: number } | null,
): number {
  return usage === null ? 0 : usage.input + usage.cached_input + usage.cache_write;
}
