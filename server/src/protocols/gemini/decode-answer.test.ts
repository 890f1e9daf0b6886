import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestMemory, requestOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { ask, askStream, call, response, stream, text } from "../../providers/google/fixtures/pieces.ts";
import { decodeRequest } from "../openai-chat/decode-request.ts";
import { chatTranslation } from "../openai-chat/translation.ts";
import { geminiDecoder } from "./decode-answer.ts";
import { finishOf } from "./finish.ts";
import { logprobsSettings } from "./logprobs.ts";

type Fields = Record<string, unknown>;

const translation = chatTranslation(geminiDecoder);

const contextOf = (body: object, memory = createTestMemory()) => ({
  id: "chatcmpl-req_1",
  createdSeconds: 7,
  model: "gemini-3.1-pro-preview",
  request: requestOf({ model: "m", ...body }, { memory }),
});

/** The messages of a whole answer, by choice. */
function messages(body: object, answer: object, memory = createTestMemory()): Fields[] {
  const bytes = translation.whole(Buffer.from(JSON.stringify(answer)), contextOf(body, memory));
  assert.ok(bytes, "there is an answer");
  return (JSON.parse(bytes.toString()) as { choices: { message: Fields }[] }).choices.map(
    ({ message }) => message,
  );
}

/** The chunks of a stream, without the terminal marker. */
function chunks(body: object, answer: string, memory = createTestMemory()): Fields[] {
  const translator = translation.stream(contextOf(body, memory));
  const out = Buffer.concat([translator.push(Buffer.from(answer)), translator.end()]).toString();
  const events = out.split("\n\n").filter((event) => event.startsWith("data: {"));
  return events.map((event) => JSON.parse(event.slice(6)) as Fields);
}

const deltas = (list: readonly Fields[]): Fields[] =>
  list.flatMap((chunk) => (chunk["choices"] as { delta: Fields }[]).map(({ delta }) => delta));

test("the answer names the model that served, as Google names it; without its word the one that was called", () => {
  const said = response([text("a")], "STOP");
  const unsaid = { ...said, modelVersion: undefined };
  const whole = (answer: object) =>
    JSON.parse(translation.whole(Buffer.from(JSON.stringify(answer)), contextOf(ask()))?.toString() ?? "null")
      .model;
  assert.deepEqual([whole(said), whole(unsaid)], ["m-001", "gemini-3.1-pro-preview"]);
  const streamed = (...answers: object[]) => [
    ...new Set(chunks(askStream(), stream(...answers)).map(({ model }) => model)),
  ];
  assert.deepEqual(streamed(response([text("a")]), said), ["m-001"]);
  assert.deepEqual(streamed(unsaid, said), ["gemini-3.1-pro-preview"], "one name from beginning to end");
});

const shown = { extra_content: { google: { thought_signature: "c2ln" } } };
const signed = call("f", { a: 1 }, { thoughtSignature: "c2ln" }, "c1");

describe("signatures in answers", () => {
  test("are shown beside the call they belong to, and remembered", () => {
    const memory = createTestMemory();
    const [message] = messages(ask(), response([signed, call("g", {}, {}, "c2")], "STOP"), memory);
    const expected = [
      { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' }, ...shown },
      { id: "c2", type: "function", function: { name: "g", arguments: "{}" } },
    ];
    assert.deepEqual(message?.["tool_calls"], expected);
    assert.equal(message?.["content"], null);
    assert.match(memory.recall("c1") ?? "", /c2ln/);
    assert.equal(memory.recall("c2"), undefined);
    const streamMemory = createTestMemory();
    const [, first] = deltas(chunks(askStream(), stream(response([signed], "STOP")), streamMemory));
    assert.deepEqual(first?.["tool_calls"], [
      { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" }, ...shown },
    ]);
    assert.equal(streamMemory.recall("c1"), memory.recall("c1"));
  });

  test("of texts and images go into reasoning_details", () => {
    const image = { inlineData: { mimeType: "image/png", data: "AA==" }, thoughtSignature: "aW1n" };
    const [message] = messages(
      ask(),
      response([text("hi"), image, { text: "", thoughtSignature: "dHh0" }], "STOP"),
    );
    assert.equal(message?.["content"], "hi");
    assert.deepEqual(message?.["images"], [
      { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
    ]);
    assert.deepEqual(message?.["reasoning_details"], [
      { type: "reasoning.encrypted", format: "google-gemini-v1", id: "image:0", data: "aW1n" },
      { type: "reasoning.encrypted", format: "google-gemini-v1", id: "text", data: "dHh0" },
    ]);
  });
});

const logprobsResult = {
  chosenCandidates: [
    { token: "Grü", tokenId: 1, logProbability: -0.5 },
    { token: "ße", tokenId: 2 },
  ],
  topCandidates: [
    {
      candidates: [
        { token: "Grü", logProbability: -0.5 },
        { token: "Hi", logProbability: -1.5 },
      ],
    },
    { candidates: [{ token: "ße", logProbability: -3 }] },
  ],
};
const tokens = [
  {
    token: "Grü",
    logprob: -0.5,
    bytes: [71, 114, 195, 188],
    top_logprobs: [{ token: "Grü", logprob: -0.5, bytes: [71, 114, 195, 188] }],
  },
  {
    token: "ße",
    logprob: -9999,
    bytes: [195, 159, 101],
    top_logprobs: [{ token: "ße", logprob: -3, bytes: [195, 159, 101] }],
  },
];

test("log probabilities come where they were asked for, with as many alternatives as were", () => {
  const answered = (reason?: string) => ({
    candidates: [{ content: { parts: [text("Grüße")] }, finishReason: reason, logprobsResult }],
  });
  const whole = (body: object): unknown => {
    const bytes =
      translation.whole(Buffer.from(JSON.stringify(answered("STOP"))), contextOf(body)) ?? assert.fail();
    return (JSON.parse(bytes.toString()) as { choices: { logprobs: unknown }[] }).choices[0]?.logprobs;
  };
  const asked = { ...ask(), logprobs: true, top_logprobs: 1 };
  assert.deepEqual(whole(asked), { content: tokens, refusal: null });
  const without = tokens.map((token) => ({ ...token, top_logprobs: [] }));
  assert.deepEqual(whole({ ...ask(), logprobs: true }), { content: without, refusal: null });
  assert.equal(whole(ask()), null);
  // A dropped setting has no effect on the answer, whatever its value.
  assert.doesNotThrow(() => whole({ ...asked, top_logprobs: "many" }));

  const events = chunks({ ...asked, stream: true }, stream(answered(), answered("STOP")));
  const said = events.flatMap((event) => event["choices"] as { delta: Fields; logprobs: unknown }[]);
  assert.deepEqual(
    said.map(({ delta, logprobs }) => [delta["content"], logprobs]),
    [
      ["", null],
      ["Grüße", { content: tokens, refusal: null }],
      ["Grüße", { content: tokens, refusal: null }],
      [undefined, null],
    ],
  );
});

test("tokens of a part that says nothing come with the end", () => {
  const answer = stream({
    candidates: [{ content: { parts: [] }, finishReason: "STOP", logprobsResult }],
  });
  const [, last] = chunks({ ...askStream(), logprobs: true, top_logprobs: 1 }, answer);
  assert.deepEqual(last?.["choices"], [
    { index: 0, delta: {}, logprobs: { content: tokens, refusal: null }, finish_reason: "stop" },
  ]);
});

test("an event larger than the limit ends the answer at once, with an error", () => {
  const translator = translation.stream(contextOf(askStream()));
  const said = Buffer.from(stream(response([text("a")])));
  const endless = Buffer.concat([said, Buffer.from("data: "), Buffer.alloc(9 * 1024 * 1024, "y")]);
  const out = translator.push(endless).toString();
  assert.match(out, /"content":"a"/);
  assert.match(out.split("\n\n").at(-2) ?? "", /^(?:event: error\n)?data: \{"error":/);
  assert.equal(translator.push(Buffer.from("y")).length, 0, "nothing comes after it");
});

test("numbers in arguments keep their spelling", () => {
  const answer =
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}';
  const bytes = translation.whole(Buffer.from(answer), contextOf(ask())) ?? assert.fail();
  assert.ok(bytes.includes('{\\"id\\":12345678901234567890}'));
  assert.ok(bytes.includes('"prompt_tokens":1'));
});

test("a function of the old kind is answered in the old way", () => {
  const body = { ...ask(), functions: [{ name: "f" }] };
  const [message] = messages(body, response([signed], "STOP"));
  assert.deepEqual(message?.["function_call"], { name: "f", arguments: '{"a":1}' });
  assert.equal(message?.["tool_calls"], undefined);
});

test("several answers end each for their own reason; one that is unfinished is no answer", () => {
  const candidate = (index: number, said: string, finishReason?: string) => ({
    index,
    content: { parts: [text(said)] },
    finishReason,
  });
  const two = messages(
    { ...ask(), n: 2 },
    { candidates: [candidate(1, "b", "STOP"), candidate(0, "a", "SAFETY")] },
  );
  assert.deepEqual(
    two.map(({ content }) => content),
    ["a", "b"],
  );
  const cut = chunks(askStream(), stream({ candidates: [candidate(0, "a", "STOP"), candidate(1, "b")] }));
  assert.ok(cut.every((chunk) => (chunk["choices"] as Fields[])[0]?.["finish_reason"] === null));
});

test("sources point at characters, though Google counts bytes", () => {
  const grounding = {
    groundingChunks: [
      { web: { uri: "https://a.test", title: "A" } },
      { maps: {} },
      { web: { uri: "https://b.test" } },
    ],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 8 }, groundingChunkIndices: [0, 1, 7] },
      { segment: { endIndex: 12 }, groundingChunkIndices: [2] },
      { segment: null },
      null,
    ],
  };
  const answer = {
    candidates: [
      { content: { parts: [text("Größe 🙂")] }, finishReason: "STOP", groundingMetadata: grounding },
    ],
  };
  const [message] = messages({ ...ask(), web_search_options: {} }, answer);
  const citation = (url: string, title: string, end_index: number) => ({
    type: "url_citation",
    url_citation: { url, title, start_index: 0, end_index },
  });
  assert.deepEqual(message?.["annotations"], [
    citation("https://a.test", "A", 6),
    citation("https://b.test", "", 8),
  ]);
  // Without a requested search there are no annotations.
  assert.equal(messages(ask(), answer)[0]?.["annotations"], undefined);
});

test("answers of any shape break nothing", () => {
  const shapes: unknown[] = [
    null,
    [],
    1,
    "x",
    {},
    { candidates: null },
    { candidates: [null, 1, "x", []] },
    { candidates: [{ index: -1, content: 1, finishReason: 5 }] },
    { candidates: [{ index: 1e9, content: { parts: [text("x")] }, finishReason: "STOP" }] },
    {
      candidates: [
        { content: { parts: [null, 1, {}, { text: 5 }, { functionCall: null }, { inlineData: {} }] } },
      ],
    },
    {
      candidates: [
        { content: { parts: [{ functionCall: {} }, { inlineData: { mimeType: "text/html", data: "x" } }] } },
      ],
    },
    { promptFeedback: { blockReason: 7 }, usageMetadata: "many" },
    { error: null },
    { error: "text" },
  ];
  for (const shape of shapes) {
    const json = JSON.stringify(shape);
    assert.doesNotThrow(() => translation.whole(Buffer.from(json), contextOf(ask())), json);
    assert.doesNotThrow(() => chunks(askStream(), stream(shape as object)), json);
  }
});

test("every finish reason of the table, with and without something said", () => {
  const none = { calls: 0, hasContent: false };
  const words = { calls: 0, hasContent: true };
  const called = { calls: 1, hasContent: true };
  const rows = [
    ["STOP", "stop", "stop", "tool_calls"],
    ["MAX_TOKENS", "length", "length", "length"],
    ["SAFETY", "content_filter", "content_filter", "content_filter"],
    ["LANGUAGE", "content_filter", "stop", "tool_calls"],
    ["NO_IMAGE", "content_filter", "stop", "tool_calls"],
    ["FINISH_REASON_UNSPECIFIED", "content_filter", "stop", "tool_calls"],
    ["MALFORMED_RESPONSE", "failed", "failed", "failed"],
    ["constructor", "content_filter", "stop", "tool_calls"],
  ] as const;
  for (const [reason, ...expected] of rows) {
    assert.deepEqual(
      [none, words, called].map((said) => finishOf(reason, said)),
      expected,
      reason,
    );
  }
});

test("as many alternatives are asked for as the caller wants, one included", () => {
  const settings = (top: number | undefined) =>
    logprobsSettings(decodeRequest(Buffer.from(JSON.stringify({ logprobs: true, top_logprobs: top }))));
  assert.deepEqual([undefined, 0, 1, 20].map(settings), [
    { responseLogprobs: true },
    { responseLogprobs: true },
    { responseLogprobs: true, logprobs: 1 },
    { responseLogprobs: true, logprobs: 20 },
  ]);
  for (const top of [21, -1, 0.5]) assert.throws(() => settings(top), /between 0 and 20/);
});
