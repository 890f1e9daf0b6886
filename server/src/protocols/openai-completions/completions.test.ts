/** Built from docs/wire/openai-completions.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import fc from "fast-check";
import { createJsonScannerFactory } from "../../lib/json/scan.ts";
import { createSseReaderFactory } from "../../lib/sse/sse.ts";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { withoutNullUsage } from "../openai-chat/answers/null-usage.ts";
import { readUsage } from "../openai-chat/usage.ts";
import {
  answersOf,
  type CompletionFields,
  echoedBytes,
  estimatePrompts,
  outputTokensDefault,
  readCompletionFields,
  scannedNames,
} from "./decode-request.ts";
import { createOpenaiCompletions } from "./openai-completions.ts";
import { CompletionStreamReader } from "./read-answer.ts";
import { namedTextBytes } from "./text-count.ts";

const protocol = createOpenaiCompletions({ readUsage, withoutUsage: withoutNullUsage });
const createScanner = createJsonScannerFactory([...scannedNames], { depthMax: 8, valuesMax: 10_000 });

function read(value: object): CompletionFields {
  const body = Buffer.from(JSON.stringify(value));
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  assert.ok(scan.reason === undefined);
  return readCompletionFields(scan, body);
}

test("how many prompts there are, and how many completions are written at most", () => {
  const rows: [body: object, choices: number, answers: number, tokens: number][] = [
    [{ prompt: "Say it." }, 1, 1, 2],
    [{ prompt: ["a", "b", "c"] }, 4, 12, 3],
    [{ prompt: [1, 2, 3] }, 0, 1, 3],
    [{ prompt: [[1, 2], [3]] }, 2, 4, 3],
    [{ prompt: "" }, 1, 1, 1],
    [{ prompt: null }, 1, 1, 1],
    [{}, 1, 1, 1],
    [{ prompt: ["a", "b"], suffix: "12345678" }, 1, 2, 6],
  ];
  for (const [body, choices, answers, tokens] of rows) {
    const fields = read(body);
    assert.deepEqual(
      [answersOf(fields, choices), estimatePrompts(fields)],
      [answers, tokens],
      JSON.stringify(body),
    );
  }
  assert.equal(estimatePrompts(read({ prompt: [1, 2, 3], suffix: "1234" }), 2), 2);
  assert.equal(outputTokensDefault, 16);
});

test("what is repeated of the prompt is known", () => {
  assert.equal(echoedBytes(read({ prompt: ["ab", "c"], echo: true }), 2), 6);
  assert.equal(echoedBytes(read({ prompt: ["ab", "c"], echo: false }), 2), 0);
  assert.equal(echoedBytes(read({ prompt: 'é\n"', echo: true }), 1), 4);
  assert.equal(echoedBytes(read({ echo: true }), 1), 0);
  // Token numbers have no known text: about four bytes each.
  assert.equal(echoedBytes(read({ prompt: [1, 2], echo: true }), 2), 16);
});

test("what is no prompt is refused by name", () => {
  const rows: [body: object, param: string][] = [
    [{ prompt: {} }, "prompt"],
    [{ prompt: [] }, "prompt"],
    [{ prompt: [-1] }, "prompt[0]"],
    [{ prompt: Array.from({ length: 2_049 }, () => "a") }, "prompt"],
    [{ prompt: "a", suffix: 7 }, "suffix"],
    [{ prompt: "a", echo: "yes" }, "echo"],
  ];
  for (const [body, param] of rows) {
    assert.throws(
      () => read(body),
      (error) =>
        error instanceof GatewayError && error.code === "invalid_request" && error.detail.param === param,
      param,
    );
  }
});

const head = { id: "cmpl-1", object: "text_completion", created: 1, model: "gpt-3.5-turbo-instruct" };
const chunk = (text: string, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ text, index: 0, logprobs: null, finish_reason: finish }], ...more })}\n\n`;
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const usageChunk = `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`;

/** Relays a stream: its events in the order they are read. */
function relay(stream: string, reader = new CompletionStreamReader(), cut = 7) {
  const events = createSseReaderFactory({ marks: protocol.streamMarks, eventBytesMax: 1e6 }).create();
  const seen = { kinds: [] as string[], usage: undefined as unknown, hidden: 0, contentAt: -1 };
  const bytes = Buffer.from(stream);
  for (let at = 0; at < bytes.length; at += cut) {
    events.push(bytes.subarray(at, at + cut));
    for (let index = 0; index < events.count; index += 1) {
      const flags = events.flags(index);
      if (seen.contentAt >= 0 && reader.isPlain(flags, events.buffer[events.dataStart(index)])) {
        reader.countPlain(
          events.buffer,
          events.eventStart(index),
          events.eventEnd(index),
          events.dataStart(index),
        );
        seen.kinds.push("plain");
        continue;
      }
      const event = reader.read(events.dataText(index), flags, events.eventName(index));
      seen.kinds.push(event.kind);
      seen.usage ??= event.usage;
      if (event.isUsageOnly) seen.hidden += 1;
      else if (event.kind === "part") reader.count(event);
      if (event.hasContent && seen.contentAt < 0) seen.contentAt = seen.kinds.length - 1;
    }
  }
  return { ...seen, delivered: reader.delivered };
}

test("a stream: text, finish reason, usage, end", () => {
  const stream = `${chunk("")}${chunk(" Hel")}${chunk("lo é")}${chunk("!")}${chunk("", "stop")}${usageChunk}data: [DONE]\n\n`;
  const { kinds, usage: told, hidden, contentAt, delivered } = relay(stream);
  assert.deepEqual(kinds, ["part", "part", "plain", "plain", "part", "part", "end"]);
  assert.deepEqual(protocol.readUsage(told), {
    input: 5,
    cachedInput: 0,
    cacheWrite: 0,
    output: 3,
    reasoning: 0,
  });
  assert.deepEqual([hidden, contentAt], [1, 1]);
  assert.deepEqual(delivered, { events: 3, contentBytes: 10, mergedBytes: 0, images: 0 });
});

test("a stream that ends without a finish reason is no whole answer; errors are told apart from chunks", () => {
  assert.equal(relay(`${chunk("a")}data: [DONE]\n\n`).kinds.at(-1), "unsound");
  assert.equal(relay(`${chunk("a", "length")}data: [DONE]\n\n`).kinds.at(-1), "end");
  const errors = [
    'data: {"error":{"message":"x"}}',
    'event: error\ndata: {"message":"x"}',
    'data: {"object":"error"}',
    "data: oops",
  ];
  assert.equal(relay(`${chunk("a")}${errors[0]}\n\n`).kinds.at(-1), "error");
  assert.deepEqual(relay(errors.map((error) => `${error}\n\n`).join("")).kinds, [
    "error",
    "error",
    "error",
    "error",
  ]);
});

test("text is counted as it would be if events were parsed, whatever is in it", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom('"text":"x"', '\\"text\\":\\"', "\n\t", "\u{1f600}", "x".repeat(100)),
  );
  const escaped = (json: string): string =>
    json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom(0, 1),
      (texts, isEscaped, space) => {
        const logprobs = {
          tokens: ["text", '"text":"'],
          token_logprobs: [-1],
          top_logprobs: [{ text: -1 }],
          text_offset: [0],
        };
        const choices = texts.map((one, index) => ({ text: one, index, logprobs, finish_reason: null }));
        const json = JSON.stringify({ ...head, choices }, null, space);
        const bytes = Buffer.from(`data: ${isEscaped ? escaped(json) : json}`);
        // A lone surrogate has no UTF-8 form.
        const sum = texts.reduce((length, one) => length + Buffer.byteLength(one.toWellFormed()), 0);
        const isWhole = texts.every((one) => one.isWellFormed());
        if (isWhole) assert.equal(namedTextBytes(bytes, 0, bytes.length), sum, json);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a prompt that is repeated is no output", () => {
  const reader = new CompletionStreamReader(11);
  const { delivered } = relay(`${chunk("The prompt.")}${chunk(" More")}${chunk("", "stop")}`, reader);
  assert.deepEqual(delivered, { events: 1, contentBytes: 5, mergedBytes: 0, images: 0 });
});

test("a whole answer: usage and text; what is none", () => {
  const choices = [
    { text: "one é", index: 0, logprobs: null, finish_reason: "stop" },
    { text: "two", index: 1, logprobs: null, finish_reason: "length" },
  ];
  const body = Buffer.from(JSON.stringify({ ...head, choices, usage }));
  const answer = protocol.readWhole(body);
  assert.ok(answer !== undefined);
  assert.equal(protocol.readUsage(answer.usage)?.output, 3);
  assert.equal(protocol.contentSize(body, answer.content).contentBytes, 9);
  for (const text of ["", "{}", '{"choices":{}}', '{"choices":[],"error":{"message":"x"}}', '{"choices":['])
    assert.equal(protocol.readWhole(Buffer.from(text)), undefined, text);
});

test("usage:null is taken out of chunks for a caller that did not ask", () => {
  const shown = protocol.withoutUsage(Buffer.from(chunk("a", null, { usage: null })));
  assert.equal(shown.toString(), chunk("a"));
});
