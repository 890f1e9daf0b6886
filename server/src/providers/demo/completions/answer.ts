/**
 * The demo's answer to a legacy completion (docs/wire/openai-completions.md sections 2 to 4): a checked body
 * → the bytes of the whole answer or the events of its stream. Every prompt is continued with the same
 * sentence.
 */
import type { JsonRecord } from "../../../lib/record.ts";
import { countTokens, toPieces } from "../tokens.ts";
import type { Identity } from "../wire.ts";

const sentence =
  " This text is from Plaza's built-in demo, not a language model: it says the same whatever stands before it.";
const tokensDefault = 16;

const countOf = (value: unknown, usual: number): number => (typeof value === "number" ? value : usual);

/** Each prompt as text and token count. Prompts given as token numbers have no text. */
function promptsOf({ prompt }: JsonRecord): readonly { text: string; tokens: number }[] {
  const list: readonly unknown[] = Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt : [prompt];
  return list.map((one) =>
    Array.isArray(one)
      ? { text: "", tokens: one.length }
      : { text: typeof one === "string" ? one : "", tokens: typeof one === "string" ? countTokens(one) : 1 },
  );
}

/**
 * One choice: the echoed part of the prompt, the pieces of its text (one piece is one token), and the finish
 * reason.
 */
interface Choice {
  readonly echo: string;
  readonly pieces: readonly string[];
  readonly finish: "stop" | "length";
}

interface Plan {
  readonly choices: readonly Choice[];
  readonly usage: object | undefined;
}

export interface AnswerOptions {
  /** Most output tokens of one choice that are paid for. */
  readonly outputTokensMax?: number | undefined;
  /** False leaves usage out of the answer. Default true. */
  readonly hasUsage?: boolean;
}

/** The number of completions requested. */
export const completionsOf = (request: JsonRecord): number =>
  promptsOf(request).length * Math.max(1, countOf(request["n"], 1));

function plan(request: JsonRecord, { outputTokensMax, hasUsage = true }: AnswerOptions): Plan {
  const asked = countOf(request["max_tokens"], tokensDefault);
  // As at many servers, a negative number means no limit.
  const most = Math.min(
    asked < 0 ? Number.POSITIVE_INFINITY : asked,
    outputTokensMax ?? Number.POSITIVE_INFINITY,
  );
  const stops = [request["stop"]]
    .flat()
    .filter((stop): stop is string => typeof stop === "string" && stop !== "");
  const ends = stops.map((stop) => sentence.indexOf(stop)).filter((at) => at >= 0);
  const all = toPieces(ends.length === 0 ? sentence : sentence.slice(0, Math.min(...ends)));
  const pieces = all.slice(0, most);
  const finish = pieces.length < all.length ? "length" : "stop";
  const prompts = promptsOf(request);
  const copies = Math.max(1, countOf(request["n"], 1));
  const choices = prompts.flatMap(({ text }) =>
    Array.from(
      { length: copies },
      () => ({ echo: request["echo"] === true ? text : "", pieces, finish }) as const,
    ),
  );
  const written = prompts.length * Math.max(copies, countOf(request["best_of"], 1)) * pieces.length;
  const read = prompts.reduce((tokens, one) => tokens + one.tokens, 0);
  const usage = { prompt_tokens: read, completion_tokens: written, total_tokens: read + written };
  return { choices, usage: hasUsage ? usage : undefined };
}

const headOf = ({ seed, model, createdSeconds }: Identity) => ({
  id: `cmpl-demo-${seed}`,
  object: "text_completion",
  created: createdSeconds,
  model,
});

/** The whole answer as bytes. */
export function wholeCompletion(
  request: JsonRecord,
  identity: Identity,
  options: AnswerOptions = {},
): Buffer {
  const { choices, usage } = plan(request, options);
  const written = choices.map(({ echo, pieces, finish }, index) => ({
    text: echo + pieces.join(""),
    index,
    logprobs: null,
    finish_reason: finish,
  }));
  return Buffer.from(JSON.stringify({ ...headOf(identity), choices: written, usage }));
}

/** The stream's events in order: pieces of all choices in turn, finish chunks, usage, the terminal marker. */
export function streamedCompletion(
  request: JsonRecord,
  identity: Identity,
  options: AnswerOptions = {},
): readonly Buffer[] {
  const { choices, usage } = plan(request, options);
  const event = (more: object): Buffer =>
    Buffer.from(`data: ${JSON.stringify({ ...headOf(identity), ...more })}\n\n`);
  const piece = (text: string, index: number, finish: string | null): Buffer =>
    event({ choices: [{ text, index, logprobs: null, finish_reason: finish }] });
  const rounds = Math.max(0, ...choices.map(({ pieces }) => pieces.length));
  const echoes = choices.flatMap(({ echo }, index) => (echo === "" ? [] : [piece(echo, index, null)]));
  const texts = Array.from({ length: rounds }, (_, round) =>
    choices.flatMap(({ pieces }, index) => {
      const text = pieces[round];
      return text === undefined ? [] : [piece(text, index, null)];
    }),
  ).flat();
  const endings = choices.map(({ finish }, index) => piece("", index, finish));
  const used = usage === undefined ? [] : [event({ choices: [], usage })];
  return [...echoes, ...texts, ...endings, ...used, Buffer.from("data: [DONE]\n\n")];
}
