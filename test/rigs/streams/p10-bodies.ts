/**
 * Request bodies for P10: valid JSON in spellings that a careless gateway would change, with the spans that a
 * gateway may edit. Seeded.
 */
import type { Random } from "../harness/random.ts";

/** A body as text, with the spans (character offsets) that may change. */
export interface TrickyBody {
  readonly text: string;
  readonly model: { readonly start: number; readonly end: number };
  /** Present when the body has `stream_options`. */
  readonly streamOptions: { readonly start: number; readonly end: number } | undefined;
  readonly isStream: boolean;
  /** True when it requests usage. */
  readonly isUsageAsked: boolean;
  readonly id: string;
}

/** Strings of JSON, as texts. */
export const strings = [
  '"plain"',
  '""',
  '"say \\"model\\":\\"other\\" and stream_options"',
  '"{\\"model\\":\\"fake\\",\\"stream\\":true}"',
  '"}],\\"model\\":\\"x\\""',
  '"lone \\ud800 and \\udfff surrogates"',
  '"pair \\ud83d\\ude00 escaped"',
  '"\\u006d\\u006f\\u0064\\u0065\\u006c"',
  '"slash \\/ and / and \\\\"',
  '"控制\\u0000\\u001f\\t\\n\\r"',
  '"👩‍👩‍👧‍👦 e\u0301 \u2028\u2029 \ufeff"',
  '"data: [DONE]\\n\\n"',
  '"\\\\"',
  '"ends with backslash \\\\\\\\"',
];
const numbers = [
  "0",
  "-0",
  "0.0",
  "1e-7",
  "1E+400",
  "1234567890123456789",
  "-9223372036854775808",
  "9007199254740993",
  "3.141592653589793238462643383279",
  "1.0",
  "100e-2",
];
const literals = ["null", "true", "false", "{}", "[]", "[{}]", '{"":null}'];

/** White space that may stand between JSON's tokens. */
export function space(random: Random): string {
  return random.chance(0.6) ? "" : random.pick([" ", "  ", "\n", "\t", "\r\n", "\n    "]);
}

/** Any JSON value, as text. */
export function value(random: Random, depth: number): string {
  const kind = random.int(0, depth > 0 ? 9 : 6);
  if (kind <= 2) return random.pick(strings);
  if (kind <= 4) return random.pick(numbers);
  if (kind <= 6) return random.pick(literals);
  const items = Array.from({ length: random.int(0, 4) }, () => value(random, depth - 1));
  if (kind === 7) return `[${items.map((item) => `${space(random)}${item}${space(random)}`).join(",")}]`;
  const names = ['"a"', '"model"', '"stream"', '"stream_options"', '"名"', '"__proto_"', '"x y"'];
  return `{${items.map((item) => `${space(random)}${random.pick(names)}${space(random)}:${space(random)}${item}`).join(",")}}`;
}

function nested(depth: number, inner: string): string {
  return "[".repeat(depth) + inner + "]".repeat(depth);
}

function messages(random: Random): string {
  const parts = Array.from(
    { length: random.int(1, 4) },
    () => `{"type":"text","text":${random.pick(strings)},"x":${value(random, 3)}}`,
  );
  const contents = [random.pick(strings), `[${parts.join(`,${space(random)}`)}]`];
  const one = (): string =>
    `{"role":${space(random)}"user","content":${random.pick(contents)}${random.chance(0.3) ? `,"name":${random.pick(strings)}` : ""}}`;
  const replay = `{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\":12345678901234567890}"}}],"reasoning_content":${random.pick(strings)}}`;
  const tool = '{"role":"tool","tool_call_id":"c","content":"42"}';
  const list = Array.from({ length: random.int(1, 5) }, one);
  if (random.chance(0.4)) list.push(replay, tool);
  return `[${list.join(`${space(random)},${space(random)}`)}]`;
}

const known: readonly [string, readonly string[]][] = [
  ["temperature", ["0", "0.0", "1e0", "null", "0.30000000000000004"]],
  ["top_p", ["1", "null", "1E-1"]],
  ["max_tokens", ["16", "null"]],
  ["max_completion_tokens", ["256", "null"]],
  ["n", ["1", "null"]],
  ["stop", ["null", '["\\n","]"]', '"\\u005d"']],
  ["seed", ["1234567890123456789", "-1", "null"]],
  ["logit_bias", ["null", '{"50256":-100}', "{}"]],
  ["user", ['"\\u7528\\u6237"', '""']],
  ["metadata", ['{"model":"not this one","stream":"true"}', "null"]],
  [
    "tools",
    [
      '[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"model":{"const":1e-7}}}}}]',
    ],
  ],
  [
    "response_format",
    ['{"type":"json_schema","json_schema":{"name":"s","schema":{"$schema":"x","minimum":-1E-7}}}', "null"],
  ],
];

const streamOptionTexts = [
  "null",
  "{}",
  '{"include_usage":false}',
  '{"include_usage":null}',
  '{ "include_usage" : true }',
  '{"include_usage":true,"include_obfuscation":false}',
  '{"include_obfuscation":true}',
];

/** Body number `index` of a run. */
export function trickyBody(random: Random, index: number): TrickyBody {
  const id = `p10-${index}`;
  const isStream = random.chance(0.5);
  const members: [string, string][] = [
    ["model", random.chance(0.1) ? '"rig\\u002dmodel"' : '"rig-model"'],
    ["messages", messages(random)],
    [
      "x_rig",
      `{"id":"${id}","keepBody":true,"tokens":${random.int(1, 6)},"text":"${random.pick(["en", "zh", "emoji"])}"}`,
    ],
    ...random
      .shuffle(known)
      .slice(0, random.int(0, 8))
      .map(([name, texts]): [string, string] => [name, random.pick(texts)]),
  ];
  if (isStream) members.push(["stream", "true"]);
  else if (random.chance(0.5)) members.push(["stream", random.pick(["false", "null"])]);
  const optionsText = isStream && random.chance(0.5) ? random.pick(streamOptionTexts) : undefined;
  if (optionsText !== undefined) members.push(["stream_options", optionsText]);
  for (let extra = random.int(0, 4); extra > 0; extra--) {
    members.push([`x_${random.pick(["名", "a b", "model", "0", "deep"])}_${extra}`, value(random, 5)]);
  }
  if (random.chance(0.1)) members.push(["x_deep", nested(random.int(20, 55), value(random, 2))]);
  return write(random, id, random.shuffle(members), isStream, optionsText);
}

function write(
  random: Random,
  id: string,
  members: [string, string][],
  isStream: boolean,
  optionsText: string | undefined,
): TrickyBody {
  let text = `${space(random)}{`;
  let model = { start: 0, end: 0 };
  let streamOptions: TrickyBody["streamOptions"];
  for (const [index, [name, raw]] of members.entries()) {
    text += `${index === 0 ? "" : ","}${space(random)}${JSON.stringify(name)}${space(random)}:${space(random)}`;
    const span = { start: text.length, end: text.length + raw.length };
    if (name === "model") model = span;
    if (name === "stream_options") streamOptions = span;
    text += `${raw}${space(random)}`;
  }
  text += `}${space(random)}`;
  const isUsageAsked = optionsText !== undefined && /"include_usage"\s*:\s*true/.test(optionsText);
  return { text, model, streamOptions, isStream, isUsageAsked, id };
}

/**
 * Describes what is wrong with the body the upstream received; undefined = only the documented edits. Pure.
 */
export function judgeForwarded(
  body: TrickyBody,
  received: string,
  upstreamModel: string,
): string | undefined {
  const wanted = JSON.stringify(upstreamModel);
  const sent = (from: number, to: number): string => body.text.slice(from, to);
  const { model, streamOptions } = body;
  const renamed = sent(0, model.start) + wanted + sent(model.end, body.text.length);
  if (received === renamed)
    return body.isStream && !body.isUsageAsked ? "usage was not asked for" : undefined;
  if (!body.isStream) return `changed: ${firstDifference(renamed, received)}`;
  if (body.isUsageAsked) return `changed although usage was asked: ${firstDifference(renamed, received)}`;
  const shift =
    streamOptions !== undefined && streamOptions.start > model.start
      ? wanted.length - (model.end - model.start)
      : 0;
  const hole =
    streamOptions === undefined
      ? insertion(renamed, received)
      : replacement(renamed, received, streamOptions, shift);
  if (hole === undefined) return `changed outside the named edits: ${firstDifference(renamed, received)}`;
  return isUsageOption(
    hole,
    streamOptions === undefined ? undefined : sent(streamOptions.start, streamOptions.end),
  );
}

/** The text inserted in one place; undefined when there are further differences. */
function insertion(before: string, after: string): string | undefined {
  const extra = after.length - before.length;
  if (extra <= 0) return undefined;
  let common = 0;
  while (common < before.length && before[common] === after[common]) common++;
  for (let at = common; at >= 0; at--) {
    const inserted = after.slice(at, at + extra);
    if (after.slice(0, at) + after.slice(at + extra) !== before) break;
    const pair = /^\s*,?\s*"stream_options"\s*:\s*(\{[^{}]*\})\s*,?\s*$/.exec(inserted);
    if (pair?.[1] !== undefined) return pair[1];
  }
  return undefined;
}

function replacement(
  before: string,
  after: string,
  span: { start: number; end: number },
  shift: number,
): string | undefined {
  const head = before.slice(0, span.start + shift);
  const tail = before.slice(span.end + shift);
  if (!after.startsWith(head) || !after.endsWith(tail) || after.length < head.length + tail.length)
    return undefined;
  return after.slice(head.length, after.length - tail.length);
}

function isUsageOption(now: string, was: string | undefined): string | undefined {
  try {
    const options = JSON.parse(now) as Record<string, unknown>;
    const before = (was === undefined ? {} : (JSON.parse(was) ?? {})) as Record<string, unknown>;
    if (options["include_usage"] !== true) return "usage was not asked for";
    const { include_usage: _now, ...others } = options;
    const { include_usage: _was, ...othersBefore } = before;
    return JSON.stringify(others) === JSON.stringify(othersBefore)
      ? undefined
      : "other stream options changed";
  } catch {
    return "stream_options is no JSON";
  }
}

/** Where two texts begin to differ, and how. */
export function firstDifference(wanted: string, got: string): string {
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at++;
  return `at ${at}: wanted …${JSON.stringify(wanted.slice(at, at + 40))}, got …${JSON.stringify(got.slice(at, at + 40))}`;
}
