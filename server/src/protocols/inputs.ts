/**
 * The inputs of an embeddings or completions request in OpenAI's formats: a text, texts, token numbers, or
 * arrays of token numbers (docs/wire/openai-embeddings.md section 2). They are read from bytes known to be
 * JSON; token numbers are counted, not parsed.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { estimateInput } from "../domain/money/estimate.ts";
import { afterSpace, afterText, afterValue } from "../lib/json/spans.ts";
import type { Span } from "./protocol.ts";

/** One input: the span of its value, and its size. */
export interface Input extends Span {
  /** For a text, its bytes in JSON without the quotes; for token numbers, how many there are. */
  readonly size: number;
}

export interface Inputs {
  readonly kind: "texts" | "tokens";
  readonly items: readonly Input[];
}

export interface InputRules {
  /** The field's name, for refusals. */
  readonly param: string;
  /** Most inputs per request. */
  readonly countMax: number;
  readonly allowsEmptyText: boolean;
}

/** A refusal with OpenAI's message, and OpenAI's code beside Plaza's. */
export const refused = (param: string, passedCode: string, said: Message): GatewayError =>
  new GatewayError("invalid_request", { message: said, param, passedCode });

const quote = 0x22;
const comma = 0x2c;
const open = 0x5b;
const close = 0x5d;

const isNumber = (byte: number | undefined): boolean =>
  byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39);

const kindNames: Readonly<Record<string, string>> = {
  "{": "an object",
  "[": "an array",
  '"': "a string",
  t: "a boolean",
  f: "a boolean",
  n: "null",
};
const kindAt = (body: Buffer, at: number): string =>
  kindNames[String.fromCharCode(body[at] ?? 0)] ?? "a number";

const wrongType = (body: Buffer, at: number, param: string, wanted: string): GatewayError =>
  refused(param, "invalid_type", message("input.expected", { param, wanted, given: kindAt(body, at) }));

const emptyArray = (param: string): GatewayError =>
  refused(param, "empty_array", message("input.emptyArray", { param }));

/**
 * Reads the texts, token numbers or arrays of token numbers whose value begins at `start`. Throws
 * `invalid_request`.
 */
export function readInputs(body: Buffer, start: number, rules: InputRules): Inputs {
  const { param } = rules;
  if (body[start] === quote) return { kind: "texts", items: [readText(body, start, param, rules)] };
  if (body[start] !== open) {
    throw wrongType(body, start, param, "a string, or an array of strings, token numbers or arrays of these");
  }
  const first = afterSpace(body, start + 1);
  if (body[first] === close) throw emptyArray(param);
  if (body[first] === quote) return { kind: "texts", items: readList(body, first, rules, quote, readText) };
  if (body[first] === open) return { kind: "tokens", items: readList(body, first, rules, open, readTokens) };
  if (isNumber(body[first])) return { kind: "tokens", items: [readTokens(body, start, param)] };
  throw wrongType(body, first, `${param}[0]`, "a string, a token number or an array of token numbers");
}

/** Reads items of one kind, from the item at `first` on. */
function readList(
  body: Buffer,
  first: number,
  rules: InputRules,
  kind: number,
  read: (body: Buffer, start: number, param: string, rules: InputRules) => Input,
): Input[] {
  const items: Input[] = [];
  let at = first;
  for (;;) {
    const param = `${rules.param}[${items.length}]`;
    if (items.length >= rules.countMax) throw tooMany(items.length + countFrom(body, at), rules);
    if (body[at] !== kind) {
      throw wrongType(body, at, param, kind === quote ? "a string" : "an array of token numbers");
    }
    const item = read(body, at, param, rules);
    items.push(item);
    at = afterSpace(body, item.end);
    if (body[at] !== comma) return items;
    at = afterSpace(body, at + 1);
  }
}

/** Number of items from the one at `from` on. */
function countFrom(body: Buffer, from: number): number {
  let at = from;
  for (let count = 1; ; count += 1) {
    at = afterSpace(body, afterValue(body, at));
    if (body[at] !== comma) return count;
    at = afterSpace(body, at + 1);
  }
}

const tooMany = (count: number, { param, countMax }: InputRules): GatewayError =>
  refused(param, "array_above_max_length", message("input.tooMany", { param, max: countMax, count }));

function readText(body: Buffer, start: number, param: string, { allowsEmptyText }: InputRules): Input {
  const end = afterText(body, start);
  const size = end - start - 2;
  if (size === 0 && !allowsEmptyText) {
    throw refused(param, "invalid_value", message("input.emptyText", { param }));
  }
  return { start, end, size };
}

/** Reads token numbers: non-negative whole numbers written as digits. */
function readTokens(body: Buffer, start: number, param: string): Input {
  let at = afterSpace(body, start + 1);
  if (body[at] === close) throw emptyArray(param);
  for (let size = 1; ; size += 1) {
    const from = at;
    while (isDigit(body[at])) at += 1;
    const end = at;
    at = afterSpace(body, at);
    if (end === from || (body[at] !== comma && body[at] !== close)) {
      throw notToken(body, from, `${param}[${size - 1}]`);
    }
    if (body[at] === close) return { start, end: at + 1, size };
    at = afterSpace(body, at + 1);
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

function notToken(body: Buffer, at: number, param: string): GatewayError {
  if (!isNumber(body[at])) return wrongType(body, at, param, "a token number");
  const text = body.toString("latin1", at, Math.min(afterValue(body, at), at + 40));
  if (Number.isInteger(Number(text)) && Number(text) < 0) {
    return refused(param, "integer_below_min_value", message("input.below", { param, min: 0, given: text }));
  }
  return refused(param, "invalid_type", message("input.decimal", { param }));
}

/**
 * Estimated tokens of the inputs: exact for token numbers, by bytes for a text, at least one each.
 * `mostEach`: the most tokens a model reads from one input.
 */
export function estimateInputs({ kind, items }: Inputs, mostEach = Number.POSITIVE_INFINITY): number {
  let tokens = 0;
  for (const { size } of items) {
    tokens += Math.min(kind === "tokens" ? size : Math.max(1, estimateInput(size)), mostEach);
  }
  return tokens;
}

/** The texts; undefined when token numbers were sent. */
export function textsOf(body: Buffer, { kind, items }: Inputs): readonly string[] | undefined {
  if (kind === "tokens") return undefined;
  return items.map(({ start, end }) => JSON.parse(body.toString("utf8", start, end)) as string);
}
