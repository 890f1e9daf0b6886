/** For tests: reports random answers to a sink, the same for the same seed. They come from no protocol. */
import type { AnswerSink, StreamSink } from "../answer.ts";

/** Returns a whole number from 0 to below `below`. */
export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

const words = [
  "Hi",
  " there",
  "\n\n",
  "ö",
  "日本",
  "😀",
  '"q"',
  "\\",
  "data: x",
  "[DONE]",
  "{}",
  " ",
  "<b>",
  "\u2028",
];
const pieces = ["{", '"a"', ":", "1", ",", '"ö"', "}", "[", "]", "😀", " "];

export interface AnswerBounds {
  /** Number of choices, 1 by default. */
  readonly choices?: number;
  /** True when arguments must be objects, as some protocols require. */
  readonly hasWholeArguments?: boolean;
  /** True without parts that only some protocols have: log probabilities, images, custom calls. */
  readonly isPlain?: boolean;
}

function sayThoughts(sink: AnswerSink, random: Random, choice: number, calls: number): void {
  let text = "";
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const piece = words[random(words.length)] as string;
    text += piece;
    sink.reasoning(piece, choice);
  }
  const place = calls === 0 ? {} : { callsBefore: calls };
  const format = ["anthropic-claude-v1", "openai-responses-v1", "of-next-month"][random(3)] as string;
  if (random(2) === 0)
    sink.opaqueReasoning({ format, text, signature: `s${random(1_000)}`, ...place }, choice);
  if (random(4) === 0) sink.opaqueReasoning({ format, data: `d${random(1_000)}`, ...place }, choice);
}

function sayWords(sink: AnswerSink, random: Random, choice: number, isPlain: boolean): void {
  for (let left = random(6); left > 0; left -= 1) {
    const text = words[random(words.length)] as string;
    if (!isPlain && random(3) === 0) {
      const bytes = [...Buffer.from(text)];
      const alternatives = random(2) === 0 ? [] : [{ token: "x", logprob: -2.5, bytes: [120] }];
      sink.logprobs([{ token: text, logprob: -random(9) / 4, bytes, alternatives }], choice);
    }
    sink.text(text, choice);
  }
}

function sayCall(sink: AnswerSink, random: Random, at: readonly [number, number], isWhole: boolean): void {
  const [call, choice] = at;
  const signature = random(3) === 0 ? { signature: `g${random(100)}` } : {};
  sink.toolCall(
    call,
    { id: `c${choice}_${call}`, name: ["f", "get_weather"][random(2)] as string, ...signature },
    choice,
  );
  const text = isWhole
    ? JSON.stringify({
        [`k${random(9)}`]: [words[random(words.length)], random(9)],
        big: "x".repeat(random(40)),
      })
    : Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join("");
  let from = 0;
  while (from < text.length) {
    const size = 1 + random(12);
    sink.toolArguments(call, text.slice(from, from + size), choice);
    from += size;
  }
}

function sayChoice(sink: AnswerSink, random: Random, choice: number, bounds: AnswerBounds): void {
  const { hasWholeArguments = false, isPlain = false } = bounds;
  let calls = 0;
  if (random(2) === 0) sayThoughts(sink, random, choice, calls);
  if (random(8) === 0) sink.refusal("I will not.", choice);
  else sayWords(sink, random, choice, isPlain);
  if (random(5) === 0)
    sink.citation({ url: `https://x.test/${random(99)}`, title: "X", start: 0, end: 1 }, choice);
  if (!isPlain && random(6) === 0) sink.image("image/png", "AAAA".repeat(1 + random(9)), choice);
  for (let left = random(4); left > 0; left -= 1) {
    if (calls > 0 && random(3) === 0) sayThoughts(sink, random, choice, calls);
    sayCall(sink, random, [calls, choice], hasWholeArguments);
    calls += 1;
  }
  if (!isPlain && random(5) === 0) {
    sink.customCall(calls, { id: `c${choice}_${calls}`, name: "sql", input: "select 1\n" }, choice);
    calls += 1;
  }
  const plain = (["stop", "length", "content_filter", "stop"] as const)[random(4)] ?? "stop";
  sink.finish(calls > 0 && plain === "stop" ? "tool_calls" : plain, choice);
}

/** Reports one answer with its usage but without its end. */
export function sayRandomAnswer(sink: AnswerSink, random: Random, bounds: AnswerBounds = {}): void {
  sink.model("the-model");
  for (let choice = 0; choice < (bounds.choices ?? 1); choice += 1) sayChoice(sink, random, choice, bounds);
  const [input, cachedInput, cacheWrite, output] = [random(900), random(90), random(90), 5 + random(900)];
  if (random(9) === 0) return;
  sink.usage({ input, cachedInput, cacheWrite, output, reasoning: random(5) });
}

/** Adapts a sink for whole answers to streams; events that only streams have are ignored. */
export function streamed(
  sink: AnswerSink,
  onEnd: (how: "close" | "error", json?: string) => void,
): StreamSink {
  const own: Readonly<Record<string, (json?: string) => void>> = {
    begin: () => {},
    idle: () => {},
    conclude: () => {},
    reportUsage: () => {},
    error: (json) => onEnd("error", json),
    close: () => onEnd("close"),
  };
  return new Proxy(sink, {
    get(target, name) {
      const method = own[String(name)];
      if (method !== undefined) return method;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as StreamSink;
}
