/**
 * Adapted answers beyond what the fixtures show: bytes left untouched, removed parts, and malformed answers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AnswerContext, ProviderRequest } from "../../protocols/protocol.ts";
import { createAnswerTranslation } from "./adapt-answer.ts";
import type { AnswerRules } from "./rules.ts";

const context: AnswerContext = {
  id: "chatcmpl-req_0123456789",
  createdSeconds: 1_760_000_000,
  model: "m",
  request: { body: Buffer.from("{}"), spans: {}, isStream: true } satisfies ProviderRequest,
};

const all: AnswerRules = {
  reasoning: "reasoning",
  finish: { eos: "stop", error: "failed" },
  hasParts: true,
  hasChoiceUsage: true,
  strips: ["content_filter_results", "prompt_filter_results"],
  tidies: true,
};

function stream(rules: AnswerRules, ...chunks: readonly string[]): string {
  const translator = createAnswerTranslation(rules).stream(context);
  const parts = chunks.map((chunk) => translator.push(Buffer.from(chunk)));
  return Buffer.concat([...parts, translator.end()]).toString();
}

const whole = (rules: AnswerRules, answer: unknown): unknown => {
  const text = createAnswerTranslation(rules).whole(Buffer.from(JSON.stringify(answer)), context);
  return text === undefined ? undefined : (JSON.parse(text.toString()) as unknown);
};

const event = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, ...choice }], ...more })}\n\n`;

test("events that hold nothing of it are the very same bytes, without a copy", () => {
  const translator = createAnswerTranslation(all).stream(context);
  const bytes = Buffer.from(
    `data:{"choices": [{"delta":{"content":"a \\"reasoning\\": 1.0"},"finish_reason":null}],"n":9007199254740993}\r\n\r\n: x\n\n${event({ delta: { content: "b" } })}`,
  );
  const out = translator.push(bytes);
  assert.deepEqual(out, bytes);
  assert.equal(out.buffer, bytes.buffer);
});

test("a whole answer without any of it is the very same buffer", () => {
  const body = Buffer.from(
    '{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"big":9007199254740993}',
  );
  assert.equal(createAnswerTranslation(all).whole(body, context), body);
  for (const text of ["", "nonsense", "[]", "null", '{"error":{"code":1}}', '{"choices":{}}']) {
    const other = Buffer.from(text);
    assert.equal(createAnswerTranslation(all).whole(other, context), other, text);
  }
});

test("nothing of a filter's remarks is left, and chunks of nothing else are gone", () => {
  const remark = { content_filter_results: { hate: { filtered: false } } };
  const out = stream(
    all,
    `data: ${JSON.stringify({ id: "", created: 0, model: "", choices: [], prompt_filter_results: [remark] })}\n\n`,
    event({ delta: { role: "assistant" }, ...remark }, { id: "", created: 0, model: "" }),
    event({ delta: {}, finish_reason: null, ...remark }),
    event({ delta: { content: "a", ...remark }, ...remark }),
    event({ delta: {}, finish_reason: "stop", ...remark }),
  );
  assert.doesNotMatch(out, /filter/);
  const pieces = out
    .trim()
    .split("\n\n")
    .map((line) => JSON.parse(line.slice(6)) as { id: string; choices: { delta: object }[] });
  assert.deepEqual(
    pieces.map(({ choices }) => choices[0]?.delta),
    [{ role: "assistant" }, { content: "a" }, {}],
  );
  assert.deepEqual(pieces[0], {
    id: context.id,
    choices: [{ index: 0, delta: { role: "assistant" } }],
    created: context.createdSeconds,
    model: "m",
  });
  assert.deepEqual(
    whole(all, {
      id: "1",
      choices: [{ message: { content: "a" }, ...remark }],
      prompt_filter_results: [remark],
    }),
    { id: "1", choices: [{ message: { content: "a" } }] },
  );
});

test("reasoning that has the usual name already keeps it", () => {
  const both = { message: { content: "a", reasoning: "x", reasoning_content: "y" } };
  assert.deepEqual(whole({ reasoning: "reasoning" }, { choices: [both] }), {
    choices: [{ message: { content: "a", reasoning_content: "y" } }],
  });
});

test("calls without numbers or ids get them, and keep them", () => {
  const out = stream(
    {},
    event({ delta: { tool_calls: [{ id: "a", function: { name: "f", arguments: "" } }] } }),
    event({ delta: { tool_calls: [{ function: { arguments: '{"x"' } }] } }),
    event({ delta: { tool_calls: [{ function: { arguments: ":1}" } }] } }),
    event({ delta: { tool_calls: [{ id: "b", function: { name: "g", arguments: { y: 2 } } }] } }),
    event({ delta: { tool_calls: [{ index: 5, function: { name: "h", arguments: "{}" } }] } }),
    event({ delta: {}, finish_reason: "stop" }),
  );
  const deltas = out
    .trim()
    .split("\n\n")
    .map((line) => JSON.parse(line.slice(6)).choices[0]);
  assert.deepEqual(
    deltas.map((choice) => choice.delta.tool_calls?.[0]),
    [
      { id: "a", function: { name: "f", arguments: "" }, index: 0, type: "function" },
      { function: { arguments: '{"x"' }, index: 0 },
      { function: { arguments: ":1}" }, index: 0 },
      { id: "b", function: { name: "g", arguments: '{"y":2}' }, index: 1, type: "function" },
      {
        index: 5,
        function: { name: "h", arguments: "{}" },
        id: "call_q_0123456789_5".replace("q_0123456789", context.id.slice(-12)),
        type: "function",
      },
      undefined,
    ],
  );
  assert.equal(deltas.at(-1)?.finish_reason, "tool_calls");
});

test("thoughts before tool calls are remembered with each call's id, once the choice is over, unless they are endless", () => {
  const play = (rules: AnswerRules, isStream: boolean, ...pieces: readonly object[]) => {
    const kept = new Map<string, string>();
    const memory = {
      recall: () => undefined,
      remember: (id: string, value: string) => void kept.set(id, value),
    };
    const translation = createAnswerTranslation(rules);
    const asked = { ...context, request: { ...context.request, memory } };
    const stream = translation.stream(asked);
    for (const piece of pieces) {
      if (isStream) stream.push(Buffer.from(`data: ${JSON.stringify({ choices: [piece] })}\n\n`));
      else translation.whole(Buffer.from(JSON.stringify({ choices: [piece] })), asked);
    }
    return [...kept];
  };
  const calls = [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }];
  const second = [{ index: 1, id: "b", function: { name: "g", arguments: "{}" } }];
  const rules: AnswerRules = { isRemembered: true };
  const pieces = [
    { delta: { reasoning_content: "H" } },
    { delta: { reasoning_content: "m" } },
    { delta: { tool_calls: calls } },
    { delta: { tool_calls: second } },
  ];
  const end = { delta: {}, finish_reason: "tool_calls" };
  assert.deepEqual(play(rules, true, ...pieces, end), [
    ["a", '"Hm"'],
    ["b", '"Hm"'],
  ]);
  assert.deepEqual(play(rules, true, ...pieces), []);
  assert.deepEqual(play({}, true, ...pieces, end), []);
  const long = { delta: { reasoning_content: "x".repeat(200_000) } };
  assert.deepEqual(play(rules, true, long, long, ...pieces, end), []);
  const message = { reasoning_content: "Hm", tool_calls: calls };
  assert.deepEqual(play(rules, false, { message, finish_reason: "tool_calls" }), [["a", '"Hm"']]);
});

test("a failure ends the stream, errors and named events go on as they are", () => {
  const out = stream(all, event({ delta: {}, finish_reason: "error" }), "data: [DONE]\n\n");
  assert.match(
    out,
    /^event: error\ndata: \{"error":\{"type":"server_error","code":"error","message":""\}\}\n\n$/,
  );
  const error = 'event: error\ndata: {"error":{"finish_reason":"eos"}}\n\n';
  assert.equal(stream(all, error), error);
  assert.equal(whole(all, { choices: [{ message: {}, finish_reason: "error" }] }), undefined);
});

test("an event larger than the limit ends the stream at once, with an error", () => {
  const said = event({ delta: { content: "a" } });
  const out = stream(all, said, `data: ${"y".repeat(9 * 1024 * 1024)}`, "y", "\n\ndata: [DONE]\n\n");
  assert.match(
    out,
    /^data: .*"content":"a".*\n\nevent: error\ndata: \{"error":\{"type":"server_error","code":"\w+","message":""\}\}\n\n$/,
  );
});

test("whatever comes, nothing is thrown, and no text is lost", () => {
  const anyDelta = fc.dictionary(
    fc.constantFrom("content", "reasoning", "tool_calls", "role", "own"),
    fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom("a", null)),
  );
  const anyChoice = fc.dictionary(
    fc.constantFrom("index", "delta", "message", "finish_reason", "usage"),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyDelta, fc.constantFrom("eos", "", "stop")),
  );
  const anyPiece = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ choices: fc.oneof(fc.array(anyChoice), fc.jsonValue()), usage: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 5 }), (pieces) => {
      const lines = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`);
      const out = stream(all, ...lines, event({ delta: { content: "the end" } }));
      const isFailed = out.includes('"code":"error"') && out.includes("event: error");
      if (!isFailed) assert.ok(out.includes("the end"));
      for (const piece of pieces)
        createAnswerTranslation(all).whole(Buffer.from(JSON.stringify(piece)), context);
    }),
    { numRuns: 300 },
  );
});
