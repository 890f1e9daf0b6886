import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTestMemory, requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { call, response, stream, text, weather } from "../../providers/google/fixtures/pieces.ts";
import { google } from "../../providers/google/google.ts";
import { translatedChat } from "../../providers/testing/translated-chat.ts";
import type { ReplayMemory } from "../protocol.ts";
import { Untranslatable } from "../untranslatable.ts";

type Fields = Record<string, unknown>;

const model = "gemini-3.1-pro-preview";
const urls = {
  gemini: "https://x.test/v1beta",
  vertex: "https://x-aiplatform.googleapis.com/v1/projects/p/locations/x/publishers/google",
};

const contentsOf = (body: Fields, memory: ReplayMemory, baseUrl: string): Fields[] => {
  const upstream = upstreamOf(google, { baseUrl });
  const { body: sent } = translatedChat(google).encode(
    requestOf({ model, ...body }, { memory }),
    upstream,
    "k",
    model,
  );
  return (JSON.parse(sent.toString()) as { contents: Fields[] }).contents;
};

const answered = [
  text("Looking."),
  call("weather", { city: "Oslo" }, { thoughtSignature: "c2ln" }, "c1"),
  call("weather", { city: "Rome" }, {}, "c2"),
];

/** The assistant's message as a client keeps it, from a whole answer or a stream. */
function messageOf(body: Fields, memory: ReplayMemory): Fields {
  const request = requestOf({ model, ...body }, { memory });
  const context = { id: "chatcmpl-req_1", createdSeconds: 1, model, request };
  if (body["stream"] !== true) {
    const bytes = translatedChat(google).translation.whole(
      Buffer.from(JSON.stringify(response(answered, "STOP"))),
      context,
    );
    return (
      (JSON.parse(bytes?.toString() ?? "") as { choices: { message: Fields }[] }).choices[0]?.message ?? {}
    );
  }
  const translator = translatedChat(google).translation.stream(context);
  const out = [
    translator.push(Buffer.from(stream(response(answered), response([], "STOP")))),
    translator.end(),
  ];
  const calls: { function: Fields }[] = [];
  let content = "";
  for (const event of Buffer.concat(out).toString().split("\n\n")) {
    if (!event.startsWith("data: {")) continue;
    const chunk = JSON.parse(event.slice(6)) as {
      choices: { delta: { content?: string; tool_calls?: { index: number; function: Fields }[] } }[];
    };
    const delta = chunk.choices[0]?.delta;
    content += delta?.content ?? "";
    for (const { index, ...piece } of delta?.tool_calls ?? []) {
      const known = calls[index];
      if (known === undefined) calls[index] = piece;
      else known.function["arguments"] = `${known.function["arguments"]}${piece.function["arguments"]}`;
    }
  }
  return { role: "assistant", content, tool_calls: calls };
}

/** As most clients send it back: without members they do not know. */
function plain(message: Fields): Fields {
  const calls = (message["tool_calls"] as Fields[]).map(({ id, type, function: called }) => ({
    id,
    type,
    function: called,
  }));
  return { role: "assistant", content: message["content"], tool_calls: calls };
}

for (const api of ["gemini", "vertex"] as const) {
  for (const isStream of [false, true]) {
    test(`a tool conversation comes back as it was: ${api}, ${isStream ? "streamed" : "whole"}`, () => {
      const memory = createTestMemory();
      const body = { messages: [{ role: "user", content: "Weather?" }], tools: [weather], stream: isStream };
      const message = messageOf(body, memory);
      const results = ["c1", "c2"].map((id) => ({ role: "tool", tool_call_id: id, content: `sun ${id}` }));
      const again = (kept: Fields, recalled: ReplayMemory) =>
        contentsOf({ ...body, messages: [...body.messages, kept, ...results] }, recalled, urls[api]);
      const expected = [
        { role: "user", parts: [{ text: "Weather?" }] },
        {
          role: "model",
          parts: answered.map((part) => {
            const { id, ...called } = (part["functionCall"] as Fields | undefined) ?? {};
            if (part["functionCall"] === undefined) return part;
            return { ...part, functionCall: api === "vertex" ? called : { id, ...called } };
          }),
        },
        {
          role: "user",
          parts: ["c1", "c2"].map((id) => ({
            functionResponse: {
              ...(api === "vertex" ? {} : { id }),
              name: "weather",
              response: { output: `sun ${id}` },
            },
          })),
        },
      ];
      const forgetful = createTestMemory();
      assert.deepEqual(
        again(message, forgetful),
        expected,
        "with the extra fields, to a process that knows nothing",
      );
      assert.deepEqual(again(plain(message), memory), expected, "without them, to the one that remembers");
      const lost = JSON.stringify(again(plain(message), forgetful));
      assert.equal(lost, JSON.stringify(expected).replace("c2ln", "skip_thought_signature_validator"));
    });
  }
}

const word = fc.oneof(
  fc.string({ maxLength: 20, unit: anyCharacter }),
  fc.constantFrom("", "a", "{}", "[1]", "{bad"),
);
const anything = fc.jsonValue({ maxDepth: 3 });
/** Mostly the usual value. */
const mostly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 30 }, { arbitrary: anything, weight: 1 });
const dataUrl = fc.constantFrom(
  "data:image/png;base64,AAAA",
  "data:,x",
  "data:image/gif;base64,AA",
  "https://x.test/a.png",
  "ftp://x",
  "",
);
const part = fc.oneof(
  { arbitrary: fc.record({ type: fc.constant("text"), text: word }), weight: 20 },
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: dataUrl }) }),
  fc.record({
    type: fc.constant("input_audio"),
    input_audio: fc.record({ data: word, format: fc.constantFrom("wav", "mp3", "x") }),
  }),
  fc.record({ type: fc.constant("file"), file: fc.record({ file_data: dataUrl }) }),
  fc.record({ type: fc.constant("refusal"), refusal: word }),
  anything,
);
const content = fc.oneof(word, fc.array(part, { maxLength: 3 }), fc.constant(null));
const id = fc.constantFrom("a", "b", "ü/ \u0000", "c".repeat(200));
const toolCall = fc.record({
  id,
  type: fc.constantFrom("function", "custom"),
  function: fc.record({ name: fc.constantFrom("f", "g", "3d"), arguments: word }),
  custom: fc.record({ name: fc.constant("f"), input: word }),
  extra_content: anything,
});
const message = fc.oneof(
  { arbitrary: fc.record({ role: fc.constantFrom("system", "developer", "user"), content }), weight: 20 },
  fc.record({ role: fc.constant("assistant"), content: word }),
  fc.record(
    {
      role: fc.constant("assistant"),
      content,
      tool_calls: fc.array(toolCall, { maxLength: 2 }),
      images: fc.array(fc.record({ image_url: fc.record({ url: dataUrl }) }), { maxLength: 1 }),
      reasoning_details: anything,
    },
    { requiredKeys: ["role"] },
  ),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content }),
);
/** A call with its results, so that not every request is refused. */
const exchange = fc
  .array(toolCall, { minLength: 1, maxLength: 3 })
  .map((calls) => [
    { role: "assistant", tool_calls: calls },
    ...calls.map((called) => ({ role: "tool", tool_call_id: called.id, content: "done" })),
  ]);
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.record({ type: fc.constantFrom("string", "number"), const: anything }),
    fc.record({ $ref: fc.constant("#/definitions/x") }),
    fc.boolean(),
    anything,
    fc.record({ type: fc.constant("object"), properties: fc.dictionary(word, tie("node"), { maxKeys: 3 }) }),
    fc.record({
      anyOf: fc.array(tie("node"), { maxLength: 2 }),
      allOf: fc.array(tie("node"), { maxLength: 2 }),
    }),
  ),
}));
const tools = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom("function", "custom"),
    function: fc.record({
      name: fc.constantFrom("f", "g", "3d"),
      parameters: mostly(node),
      strict: fc.boolean(),
    }),
    custom: fc.record({ name: fc.constant("h") }),
  }),
  { maxLength: 3, selector: (tool) => (tool.type === "custom" ? "h" : tool.function.name) },
);
const body = fc.record(
  {
    messages: fc
      .array(
        fc.oneof(
          message.map((one) => [one]),
          exchange,
        ),
        { minLength: 1, maxLength: 5 },
      )
      .map((lists) => lists.flat()),
    tools,
    tool_choice: mostly(fc.constantFrom("auto", "none")),
    parallel_tool_calls: anything,
    response_format: mostly(
      fc.oneof(
        fc.constantFrom({ type: "text" }, { type: "json_object" }),
        fc.record({ type: fc.constant("json_schema"), json_schema: fc.record({ name: word, schema: node }) }),
      ),
    ),
    reasoning_effort: mostly(fc.constantFrom("none", "low", "medium", "max")),
    reasoning: mostly(fc.record({ max_tokens: fc.integer({ min: -1 }), exclude: fc.boolean() })),
    temperature: mostly(fc.double({ noNaN: true, noDefaultInfinity: true })),
    top_k: mostly(fc.integer({ min: -1 })),
    seed: mostly(fc.maxSafeInteger()),
    stop: mostly(fc.oneof(word, fc.array(word, { maxLength: 7 }))),
    n: mostly(fc.integer({ min: 1, max: 10 })),
    max_tokens: mostly(fc.integer({ min: 1 })),
    frequency_penalty: mostly(fc.integer({ min: -2, max: 2 })),
    modalities: mostly(fc.constantFrom(["text"], ["image"], ["audio"])),
    service_tier: mostly(fc.constantFrom("flex", "auto", "constructor")),
    web_search_options: mostly(fc.constant({})),
    google: mostly(fc.record({ thinking_config: anything, safety_settings: fc.constant([]) })),
    extra_body: mostly(fc.constant({ google: { thinkingConfig: { thinkingBudget: 1 } } })),
    unknown: anything,
  },
  { requiredKeys: ["messages"] },
);

test("any chat request is translated or refused by name", () => {
  const models = [
    "gemini-2.0-flash",
    "gemini-2.5-pro",
    "gemini-3.1-pro-preview",
    "gemma-3-4b-it",
    "constructor",
  ];
  let translated = 0;
  fc.assert(
    fc.property(
      body,
      fc.constantFrom(...models),
      fc.constantFrom(...Object.values(urls)),
      fc.boolean(),
      (sent, name, baseUrl, dropsParams) => {
        let request: ReturnType<typeof requestOf>;
        try {
          request = requestOf({ model: name, ...sent }, { dropsParams });
        } catch {
          // The gateway refuses it before a provider sees it.
          return;
        }
        try {
          const { body: bytes } = translatedChat(google).encode(
            request,
            upstreamOf(google, { baseUrl }),
            "k",
            name,
          );
          const { contents } = JSON.parse(bytes.toString()) as {
            contents: { role: string; parts: Fields[] }[];
          };
          translated += 1;
          assert.ok(contents.length > 0);
          contents.forEach(({ role, parts }, index) => {
            assert.equal(role, index % 2 === 0 ? "user" : "model");
            assert.ok(parts.length > 0);
            for (const one of parts) assert.notEqual(one["text"], "");
          });
        } catch (error) {
          if (!(error instanceof Untranslatable)) throw error;
          assert.notEqual(error.param, "");
        }
      },
    ),
    { numRuns: 1_500, seed: 20_261_121 },
  );
  assert.ok(translated > 150, `${translated} were translated`);
});
