import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { bedrock } from "../../providers/bedrock/bedrock.ts";
import { hello, models, user, weather } from "../../providers/bedrock/fixtures/build.ts";
import { translatedChat } from "../../providers/testing/translated-chat.ts";
import type { ProviderRequest } from "../protocol.ts";
import { Untranslatable } from "../untranslatable.ts";
import type { ConverseBody } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

const upstream = upstreamOf(bedrock, { baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com" });

function encoded(
  body: Fields,
  model: string = models.budget,
  more: Partial<ProviderRequest> = {},
): { readonly body: ConverseBody; readonly dropped: readonly string[] | undefined } {
  const request = requestOf({ model: "m", messages: hello, ...body }, more);
  const call = translatedChat(bedrock).encode(request, upstream, "key", model);
  return { body: JSON.parse(call.body.toString()) as ConverseBody, dropped: call.dropped };
}

const sent = (body: Fields, model?: string, more?: Partial<ProviderRequest>): ConverseBody =>
  encoded(body, model, more).body;

const assistantCall = (id: string, text: string, name = "weather"): Fields => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: text } }],
});
const result = (id: string, content: unknown): Fields => ({ role: "tool", tool_call_id: id, content });
const png = "data:image/png;base64,iVBORw0KGgo=";

test("the head of a call", () => {
  const request = requestOf({ model: "m", stream: true, messages: hello });
  const call = translatedChat(bedrock).encode(request, upstream, "ABSKkey", models.budget);
  assert.equal(call.path, "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
  assert.deepEqual(call.headers, [
    ...["content-type", "application/json", "accept", "application/vnd.amazon.eventstream"],
    ...["accept-encoding", "identity", "user-agent", "plaza/0.1", "authorization", "Bearer ABSKkey"],
  ]);
  const keys = translatedChat(bedrock).encode(
    request,
    upstream,
    "AKIAIOSFODNN7EXAMPLE:secret",
    models.budget,
  );
  assert.equal(keys.headers.includes("authorization"), false);
});

test("turns alternate, begin with the user's, hold no blank texts, and keep later instructions", () => {
  const { messages, system } = sent({
    messages: [
      { role: "system", content: "one" },
      { role: "assistant", content: "hi" },
      user("a"),
      user([
        { type: "text", text: "  " },
        { type: "text", text: "b" },
      ]),
      { role: "developer", content: [{ type: "text", text: "two" }] },
      { role: "assistant", content: "" },
      user("c"),
    ],
  });
  assert.deepEqual(system, [{ text: "one" }]);
  assert.deepEqual(messages, [
    { role: "user", content: [{ text: "(continue)" }] },
    { role: "assistant", content: [{ text: "hi" }] },
    { role: "user", content: [{ text: "a" }, { text: "b" }, { text: "two" }, { text: "c" }] },
  ]);
});

test("an assistant turn last: continued without blanks at its end, or answered where a model goes on with none", () => {
  const messages = [user("a"), { role: "assistant", content: "The answer is \n" }];
  assert.deepEqual(sent({ messages }).messages.at(-1), {
    role: "assistant",
    content: [{ text: "The answer is" }],
  });
  assert.deepEqual(sent({ messages }, models.adaptive).messages.at(-1), {
    role: "user",
    content: [{ text: "(continue)" }],
  });
});

test("images and documents are inline, by type, with names of their own", () => {
  const media = new Map([["https://x.test/a.jpg", { mediaType: "image/jpeg", bytes: Buffer.from("jpeg") }]]);
  const pdf = "data:application/pdf;base64,JVBERi0=";
  const { messages } = sent(
    {
      messages: [
        user([
          { type: "image_url", image_url: { url: png } },
          { type: "image_url", image_url: { url: "https://x.test/a.jpg" } },
          { type: "file", file: { file_data: pdf, filename: "Bericht_2026  (v1).pdf" } },
          { type: "file", file: { file_data: pdf, filename: "Bericht 2026 (v1).pdf" } },
          {
            type: "file",
            file: { file_data: "data:application/octet-stream;base64,AA==", filename: "报告.md" },
          },
          { type: "file", file: { file_data: pdf } },
        ]),
      ],
    },
    models.nova,
    { media },
  );
  const document = (format: string, name: string, bytes = "JVBERi0=") => ({
    document: { format, name, source: { bytes } },
  });
  assert.deepEqual(messages[0]?.content, [
    { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
    { image: { format: "jpeg", source: { bytes: "anBlZw==" } } },
    document("pdf", "Bericht 2026 (v1)"),
    document("pdf", "Bericht 2026 (v1) (2)"),
    document("md", "document-3", "AA=="),
    document("pdf", "document-4"),
    { text: "." },
  ]);
});

test("cache marks become cache points behind what they mark, four at most, where the model has such", () => {
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const body = {
    tools: [{ ...weather, ...mark }],
    messages: [
      { role: "system", content: [{ type: "text", text: "s", ...mark }] },
      user([
        { type: "text", text: "a", ...mark },
        { type: "text", text: "b" },
      ]),
      { role: "assistant", content: "c", ...mark },
      { ...user("d"), ...mark },
    ],
  };
  const long = sent(body);
  const point = { cachePoint: { type: "default", ttl: "1h" } };
  assert.equal(long.toolConfig?.tools.length, 1, "the first of five gives way");
  assert.deepEqual(long.system, [{ text: "s" }, point]);
  assert.deepEqual(
    long.messages.map(({ content }) => content),
    [
      [{ text: "a" }, point, { text: "b" }],
      [{ text: "c" }, point],
      [{ text: "d" }, point],
    ],
  );
  const nova = sent(body, models.nova);
  assert.deepEqual(nova.system?.at(-1), { cachePoint: { type: "default" } });
  assert.equal(nova.toolConfig?.tools.length, 1);
  assert.equal(JSON.stringify(sent(body, models.llama)).includes("cachePoint"), false);
  const whole = sent({ cache_control: { type: "ephemeral" }, messages: [user("a")] });
  assert.deepEqual(whole.messages[0]?.content, [{ text: "a" }, { cachePoint: { type: "default" } }]);
});

test("without tools the past's calls are told in words, as no protocol of Bedrock's takes them otherwise", () => {
  const messages = [user("a"), assistantCall("x", '{"city":"Oslo"}'), result("x", "rain"), user("And?")];
  for (const more of [{}, { tools: [weather], tool_choice: "none" }]) {
    const body = sent({ messages, ...more });
    assert.equal(body.toolConfig, undefined);
    assert.deepEqual(body.messages.slice(1), [
      { role: "assistant", content: [{ text: '[Called weather with {"city":"Oslo"}]' }] },
      { role: "user", content: [{ text: "[weather answered]" }, { text: "rain" }, { text: "And?" }] },
    ]);
  }
});

test("arguments that are no object, odd ids and odd names of the past never stop a call", () => {
  const messages = [
    user("a"),
    assistantCall("call:1/é", "{broken", "weather.now"),
    result("call:1/é", ""),
    assistantCall("0", "[1]"),
    result("0", "x"),
    assistantCall("0", '{"id":12345678901234567890}'),
    result("0", "y"),
  ];
  const request = requestOf({ model: "m", messages, tools: [weather] });
  const text = translatedChat(bedrock).encode(request, upstream, "k", models.budget).body.toString();
  assert.ok(text.includes('"id":12345678901234567890'), "digits survive");
  const blocks = (JSON.parse(text) as ConverseBody).messages.flatMap(({ content }) => content);
  const uses = blocks.flatMap((block) => ("toolUse" in block ? [block.toolUse] : []));
  const results = blocks.flatMap((block) => ("toolResult" in block ? [block.toolResult] : []));
  assert.deepEqual(
    uses.map(({ toolUseId }) => toolUseId),
    results.map(({ toolUseId }) => toolUseId),
  );
  assert.equal(new Set(uses.map(({ toolUseId }) => toolUseId)).size, 3);
  for (const { toolUseId, name } of uses) {
    assert.match(toolUseId, /^[\w-]{1,64}$/);
    assert.match(name, /^[\w-]{1,64}$/);
  }
  assert.deepEqual(
    uses.slice(0, 2).map(({ input }) => input),
    [{ _raw: "{broken" }, { _raw: "[1]" }],
  );
  assert.deepEqual(results[0]?.content, [{ text: "(no content)" }]);
  const short = sent({ messages, tools: [weather] }, models.mistral).messages.flatMap(
    ({ content }) => content,
  );
  for (const block of short)
    if ("toolUse" in block) assert.match(block.toolUse.toolUseId, /^[A-Za-z0-9]{9}$/);
});

test("allowed tools are the only ones; a choice the model cannot be held to is refused by name", () => {
  const other = { type: "function", function: { name: "other" } };
  const allowed = { mode: "required", tools: [{ type: "function", function: { name: "other" } }] };
  const { toolConfig } = sent({
    tools: [weather, other],
    tool_choice: { type: "allowed_tools", allowed_tools: allowed },
  });
  assert.deepEqual(toolConfig, {
    tools: [{ toolSpec: { name: "other", inputSchema: { json: { type: "object", properties: {} } } } }],
    toolChoice: { any: {} },
  });
  const dropped = encoded({ tools: [weather], tool_choice: "required" }, models.llama, { dropsParams: true });
  assert.deepEqual(dropped.dropped, ["tool_choice"]);
  assert.deepEqual(dropped.body.toolConfig?.toolChoice, { auto: {} });
});

test("a model that thinks by a budget cannot be forced: the effort gives way, and that is told; others think on", () => {
  const body = { tools: [weather], tool_choice: "required", reasoning_effort: "high" };
  const budget = encoded(body, models.budget);
  assert.deepEqual(budget.dropped, ["reasoning_effort"]);
  assert.deepEqual(budget.body.toolConfig?.toolChoice, { any: {} });
  assert.equal(budget.body.additionalModelRequestFields?.["thinking"], undefined);
  const adaptive = encoded(body, models.adaptive);
  assert.equal(adaptive.dropped, undefined);
  assert.deepEqual(adaptive.body.toolConfig?.toolChoice, { any: {} });
  assert.deepEqual(adaptive.body.additionalModelRequestFields, {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
  });
});

test("output is cut to what is paid for and what the model can write", () => {
  const most = (body: Fields, more: Partial<ProviderRequest>, model?: string) =>
    sent(body, model, more).inferenceConfig?.maxTokens;
  assert.equal(most({}, {}), undefined);
  assert.equal(most({}, { outputTokensMax: 300 }), 300);
  assert.equal(most({ max_completion_tokens: 500 }, { outputTokensMax: 300 }), 300);
  assert.equal(most({ max_tokens: 9_000 }, { outputCap: 1_000 }), 1_000);
  assert.equal(most({ max_tokens: 9_000_000 }, {}), 64_000);
  assert.equal(most({ max_tokens: 9_000_000 }, {}, models.profile), 9_000_000);
});

test("what asks for a manner and cannot be had is left out and told", () => {
  const all = { temperature: 0.2, top_p: 0.5, top_k: 3 };
  const none = encoded(all, models.gpt);
  assert.deepEqual(none.dropped, ["temperature", "top_p", "top_k"]);
  assert.equal(none.body.inferenceConfig, undefined);
  const one = encoded(all, models.budget);
  assert.deepEqual(one.dropped, ["top_p"]);
  assert.deepEqual(one.body.inferenceConfig, { temperature: 0.2 });
  assert.deepEqual(one.body.additionalModelRequestFields, { top_k: 3 });
  const defaults = encoded({ temperature: 1, top_p: 1, top_k: 0, store: false, metadata: {} }, models.gpt);
  assert.deepEqual([defaults.dropped, defaults.body.inferenceConfig], [undefined, undefined]);
  const books = encoded({ seed: 0, user: "u", prompt_cache_key: "k", verbosity: "low" }, models.gpt);
  assert.deepEqual(books.dropped, ["seed", "user", "prompt_cache_key", "verbosity"]);
  for (const [tier, type, dropped] of [
    ["flex", { type: "flex" }, undefined],
    ["priority", { type: "priority" }, undefined],
    ["default", undefined, undefined],
    ["scale", undefined, ["service_tier"]],
  ] as const) {
    const seen = encoded({ service_tier: tier }, models.nova);
    assert.deepEqual([seen.body.serviceTier, seen.dropped], [type, dropped], tier);
  }
});

interface Refusal {
  readonly name: string;
  readonly body: Fields;
  readonly param: string;
  readonly code?: Untranslatable["code"];
  readonly model?: string;
}

const part = (value: Fields): Fields => ({ messages: [user([value])] });
const refusals: readonly Refusal[] = [
  { name: "n", body: { n: 2 }, param: "n" },
  { name: "logprobs", body: { logprobs: true }, param: "logprobs" },
  { name: "a field nobody knows", body: { frobnicate: 1 }, param: "frobnicate" },
  {
    name: "thinking, of a model that is no Claude",
    body: { thinking: {}, reasoning_effort: "low" },
    param: "thinking",
    model: models.nova,
  },
  {
    name: "effort, of a model that does not reason",
    body: { reasoning_effort: "low" },
    param: "reasoning_effort",
    model: models.llama,
  },
  {
    name: "no effort, of a model that always reasons",
    body: { reasoning_effort: "none" },
    param: "reasoning_effort",
    model: models.oss,
  },
  {
    name: "an effort nobody knows",
    body: { reasoning_effort: "huge" },
    param: "reasoning_effort",
    code: "invalid_request",
    model: models.oss,
  },
  {
    name: "a temperature out of range",
    body: { temperature: 3 },
    param: "temperature",
    code: "invalid_request",
  },
  { name: "top_p out of range", body: { top_p: -1 }, param: "top_p", code: "invalid_request" },
  { name: "top_k that is no count", body: { top_k: 0.5 }, param: "top_k", code: "invalid_request" },
  { name: "stop, of a model that has none", body: { stop: "x" }, param: "stop", model: models.gpt },
  { name: "stop at blanks", body: { stop: ["\n"] }, param: "stop" },
  {
    name: "parallel calls forbidden, where they cannot be",
    body: { tools: [weather], parallel_tool_calls: false },
    param: "parallel_tool_calls",
    model: models.nova,
  },
  {
    name: "a certain tool, of a model that takes any",
    body: { tools: [weather], tool_choice: { type: "function", function: { name: "weather" } } },
    param: "tool_choice",
    model: models.mistral,
  },
  {
    name: "a schema, of a model that can be neither held nor forced",
    body: {
      response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } },
    },
    param: "response_format",
    model: models.llama,
  },
  {
    name: "a tool's odd name",
    body: { tools: [{ type: "function", function: { name: "a.b" } }] },
    param: "tools[0].function.name",
  },
  {
    name: "a tool's long name",
    body: { tools: [{ type: "function", function: { name: "a".repeat(65) } }] },
    param: "tools[0].function.name",
  },
  {
    name: "a tool whose arguments are no object",
    body: { tools: [{ type: "function", function: { name: "a", parameters: { type: "string" } } }] },
    param: "tools[0].function.parameters.type",
    code: "invalid_request",
  },
  {
    name: "a custom tool's grammar",
    body: { tools: [{ type: "custom", custom: { name: "a", format: { type: "grammar" } } }] },
    param: "tools[0].custom.format",
  },
  {
    name: "blank messages",
    body: { messages: [user(" "), user([])] },
    param: "messages",
    code: "invalid_request",
  },
  {
    name: "an image of the wrong type",
    body: part({ type: "image_url", image_url: { url: "data:image/tiff;base64,AA==" } }),
    param: "messages[0].content[0].image_url.url",
  },
  {
    name: "an image nobody fetched",
    body: part({ type: "image_url", image_url: { url: "https://x.test/a.png" } }),
    param: "messages[0].content[0].image_url.url",
  },
  {
    name: "a file of the wrong type",
    body: part({ type: "file", file: { file_data: "data:application/zip;base64,AA==" } }),
    param: "messages[0].content[0].file.file_data",
  },
  {
    name: "audio, of a model that hears nothing",
    body: part({ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }),
    param: "messages[0].content[0].input_audio",
  },
  {
    name: "an image in a system message",
    body: {
      messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: png } }] }, user("a")],
    },
    param: "messages[0].content[0]",
    code: "invalid_request",
  },
  {
    name: "an image of the assistant's",
    body: {
      messages: [
        user("a"),
        { role: "assistant", content: [{ type: "image_url", image_url: { url: png } }] },
        user("b"),
      ],
    },
    param: "messages[1].content[0]",
  },
];

for (const { name, body, param, code = "unsupported_parameter", model } of refusals) {
  test(`refused by name: ${name}`, () => {
    assert.throws(
      () => sent(body, model),
      (error) => {
        assert.ok(error instanceof Untranslatable, String(error));
        assert.deepEqual([error.param, error.code], [param, code]);
        return true;
      },
    );
  });
}

test("results without calls and calls without results are wrong everywhere", () => {
  const cases: readonly (readonly [Fields[], string])[] = [
    [[user("a"), result("x", "y")], "messages[1].tool_call_id"],
    [[user("a"), assistantCall("x", "{}"), result("x", "1"), result("x", "2")], "messages[3].tool_call_id"],
    [[user("a"), assistantCall("x", "{}")], "messages[1].tool_calls"],
    [
      [user("a"), assistantCall("x", "{}"), user("b"), { role: "assistant", content: "c" }],
      "messages[1].tool_calls",
    ],
  ];
  for (const [messages, param] of cases) {
    for (const tools of [[weather], []]) {
      assert.throws(
        () => sent({ messages, tools }),
        (error) =>
          error instanceof Untranslatable && error.code === "invalid_request" && error.param === param,
      );
    }
  }
});

test("schemas nested 60 deep go through", () => {
  let schema: Fields = { type: "object", properties: {} };
  for (let depth = 0; depth < 56; depth += 2) schema = { type: "object", properties: { a: schema } };
  const tools = [{ type: "function", function: { name: "deep", parameters: schema, strict: true } }];
  const entry = sent({ tools }).toolConfig?.tools[0];
  assert.ok(entry !== undefined && "toolSpec" in entry);
});
