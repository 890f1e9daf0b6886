/** The encoder beyond the fixtures: refusals by name, dropped fields, headers, and limits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { anthropic } from "../../providers/anthropic/anthropic.ts";
import { hello, models, user, weather } from "../../providers/anthropic/fixtures/build.ts";
import { translatedChat } from "../../providers/testing/translated-chat.ts";
import { decodeRequest } from "../openai-chat/decode-request.ts";
import type { ProviderRequest } from "../protocol.ts";
import { Untranslatable } from "../untranslatable.ts";
import { refusalsOf } from "./accepts.ts";
import { encodeRequest } from "./encode-request.ts";
import type { MessagesBody } from "./wire.ts";

/** Encodes a caller's body for Claude. */
const encodeMessages = (request: ProviderRequest, model: string) =>
  encodeRequest(decodeRequest(request.body), request, model);

type Body = Readonly<Record<string, unknown>>;

/** Asserts a refusal with this code and parameter. */
function refuses(
  body: Body,
  param: string,
  code: Untranslatable["code"] = "unsupported_parameter",
  model: string = models.adaptive,
): void {
  assert.throws(
    () => encodeMessages(requestOf({ model, messages: hello, ...body }), model),
    (error) => {
      assert(error instanceof Untranslatable, String(error));
      assert.deepEqual([error.code, error.param], [code, param]);
      return true;
    },
  );
}

/** The body sent and the dropped fields when the caller allows dropping. */
function lenient(
  body: Body,
  model: string = models.adaptive,
): { body: MessagesBody; dropped: readonly string[] | undefined } {
  const made = encodeMessages(requestOf({ model, messages: hello, ...body }, { dropsParams: true }), model);
  assert.deepEqual(refusalsOf(JSON.parse(JSON.stringify(made.body))), []);
  return made;
}

const call = (id: string, name = "get_weather") => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});
const picture = (url: string) => [user([{ type: "image_url", image_url: { url } }])];

describe("refused by name", () => {
  test("parameters the protocol has no word for", () => {
    refuses({ logprobs: true }, "logprobs");
    refuses({ n: 2 }, "n");
    refuses({ frequency_penalty: 0.5 }, "frequency_penalty");
    refuses({ logit_bias: { 5: 1 } }, "logit_bias");
    refuses({ web_search_options: {} }, "web_search_options");
    refuses({ modalities: ["text", "audio"] }, "modalities");
    refuses({ unheard_of: 1 }, "unheard_of");
    refuses({ stop: ["END", "\n"] }, "stop");
    refuses({ reasoning_effort: "high" }, "reasoning_effort", "unsupported_parameter", models.plain);
  });

  test("values that are wrong everywhere", () => {
    refuses({ temperature: 3 }, "temperature", "invalid_request");
    refuses({ top_p: -1 }, "top_p", "invalid_request");
    refuses({ top_k: 1.5 }, "top_k", "invalid_request");
    refuses({ reasoning_effort: "huge" }, "reasoning_effort", "invalid_request");
    refuses({ thinking: { type: "deep" } }, "thinking.type", "invalid_request");
    refuses({ thinking: { type: "enabled" } }, "thinking.budget_tokens", "invalid_request");
    refuses({ cache_control: { type: "eternal" } }, "cache_control", "invalid_request");
    refuses(
      { messages: [{ ...user("x"), cache_control: { type: "ephemeral", ttl: "2h" } }] },
      "messages[0].cache_control.ttl",
      "invalid_request",
    );
  });

  test("parts it does not take", () => {
    refuses({ messages: picture("data:image/tiff;base64,AAAA") }, "messages[0].content[0].image_url.url");
    refuses(
      { messages: picture("ftp://example.test/a.png") },
      "messages[0].content[0].image_url.url",
      "invalid_request",
    );
    refuses(
      { messages: [user([{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }])] },
      "messages[0].content[0].input_audio",
    );
    refuses(
      { messages: [user([{ type: "file", file: { file_data: "data:application/zip;base64,AAAA" } }])] },
      "messages[0].content[0].file.file_data",
    );
    refuses(
      {
        messages: [
          {
            role: "system",
            content: [{ type: "image_url", image_url: { url: "https://example.test/a.png" } }],
          },
          ...hello,
        ],
      },
      "messages[0].content[0]",
    );
  });

  test("tools it does not take", () => {
    const named = (name: string) => ({ type: "function", function: { name } });
    refuses({ tools: [named("files.read")] }, "tools[0].function.name");
    refuses(
      { tools: [{ type: "function", function: { name: "f", parameters: { type: "array" } } }] },
      "tools[0].function.parameters.type",
      "invalid_request",
    );
    refuses(
      { tools: [{ type: "custom", custom: { name: "f", format: { type: "grammar", grammar: {} } } }] },
      "tools[0].custom.format",
    );
    refuses(
      { tools: [weather], tool_choice: "required" },
      "tool_choice",
      "unsupported_parameter",
      models.always,
    );
  });

  test("tool loops that do not fit together", () => {
    const asked = { role: "assistant", content: null, tool_calls: [call("a"), call("b")] };
    const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });
    refuses({ messages: [...hello, result("a")] }, "messages[1].tool_call_id", "invalid_request");
    refuses({ messages: [...hello, asked, result("a")] }, "messages[1].tool_calls", "invalid_request");
    refuses(
      { messages: [...hello, asked, result("a"), { role: "assistant", content: "x" }] },
      "messages[1].tool_calls",
      "invalid_request",
    );
    refuses(
      { messages: [...hello, asked, result("a"), result("b"), result("b")] },
      "messages[4].tool_call_id",
      "invalid_request",
    );
    refuses(
      { messages: [...hello, asked, result("a"), result("c")] },
      "messages[3].tool_call_id",
      "invalid_request",
    );
    refuses(
      { messages: [...hello, { role: "assistant", tool_calls: [call("a", "a b")] }, result("a")] },
      "messages[1].tool_calls[0].function.name",
    );
  });

  test("a schema neither enforceable nor forceable", () => {
    const format = {
      type: "json_schema",
      json_schema: { name: "x", schema: { type: "array", items: { type: "string" } } },
    };
    refuses(
      { response_format: format },
      "response_format.json_schema.schema",
      "unsupported_parameter",
      models.classic,
    );
    const open = { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } };
    refuses(
      { response_format: open },
      "response_format.json_schema.schema",
      "unsupported_parameter",
      models.always,
    );
  });
});

describe("left out where that is allowed", () => {
  test("each by its name, once", () => {
    const { body, dropped } = lenient({
      messages: [
        user([
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          { type: "text", text: "Hi" },
        ]),
      ],
      logprobs: true,
      n: 3,
      stop: ["\n", "END"],
      tools: [weather],
    });
    assert.deepEqual(dropped, ["logprobs", "n", "messages[0].content[0].input_audio", "stop"]);
    assert.deepEqual(body.messages, [{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    assert.deepEqual(body.stop_sequences, ["END"]);
  });

  test("a tool that must be called may be called where it cannot be forced", () => {
    const { body, dropped } = lenient({ tools: [weather], tool_choice: "required" }, models.always);
    assert.deepEqual([body.tool_choice, dropped], [{ type: "auto" }, ["tool_choice"]]);
  });

  test("what asks for a manner is told even where nothing may be left out", () => {
    const request = requestOf({ model: models.adaptive, messages: hello, temperature: 0.3, top_p: 1 });
    assert.deepEqual(encodeMessages(request, models.adaptive).dropped, ["temperature"]);
    const usual = requestOf({ model: models.adaptive, messages: hello, temperature: 1 });
    assert.equal(encodeMessages(usual, models.adaptive).dropped, undefined);
  });
});

describe("limits", () => {
  test("output: what is asked, paid for, allowed, and possible; the least of them", () => {
    const most = (body: Body, more: Parameters<typeof requestOf>[1] = {}) =>
      encodeMessages(requestOf({ model: models.adaptive, messages: hello, ...body }, more), models.adaptive)
        .body.max_tokens;
    assert.equal(most({}), 128_000);
    assert.equal(most({}, { outputCap: 9_000 }), 9_000);
    assert.equal(most({ max_tokens: 50 }, { outputTokensMax: 40 }), 40);
    assert.equal(most({ max_tokens: 50 }, { outputTokensMax: 60 }), 50);
    assert.equal(most({}, { outputTokensMax: 60 }), 60);
    assert.equal(most({ max_tokens: 900_000 }), 128_000);
  });

  test("schemas nested as deep as a body may be", () => {
    let schema: Record<string, unknown> = { type: "object", properties: { a: { type: "string" } } };
    for (let depth = 0; depth < 26; depth += 1) schema = { type: "object", properties: { a: schema } };
    const tools = [{ type: "function", function: { name: "deep", parameters: schema, strict: true } }];
    const request = requestOf({ model: models.adaptive, messages: hello, tools });
    assert.equal(encodeMessages(request, models.adaptive).body.tools?.[0]?.strict, true);
  });

  test("whole numbers of any size stay what they are", () => {
    const body = {
      model: models.adaptive,
      messages: [
        ...hello,
        {
          role: "assistant",
          tool_calls: [
            { ...call("a"), function: { name: "get_weather", arguments: '{"id":12345678901234567890}' } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "x" },
      ],
    };
    const { body: sent } = translatedChat(anthropic).encode(
      requestOf(body),
      upstreamOf(anthropic),
      "",
      models.adaptive,
    );
    assert.match(sent.toString(), /"input":\{"id":12345678901234567890\}/);
  });

  test("ids that are said again, and odd ones, stay apart", () => {
    const turn = (id: string) => [
      { role: "assistant", tool_calls: [call(id)] },
      { role: "tool", tool_call_id: id, content: "x" },
    ];
    const list = ["call_0", "call_0", "a:b", "a/b", "ü".repeat(300)].flatMap(turn);
    const { body } = encodeMessages(
      requestOf({ model: models.adaptive, messages: [...hello, ...list] }),
      models.adaptive,
    );
    assert.deepEqual(refusalsOf(JSON.parse(JSON.stringify(body))), []);
  });
});

test("headers: key, version and beta flags, of the caller's nothing", () => {
  const upstream = upstreamOf(anthropic, {
    baseUrl: "https://api.test/v1",
    options: { beta: "one-1,two-2" },
  });
  const { path, headers } = translatedChat(anthropic).encode(
    requestOf({ model: "x", messages: hello, stream: true }),
    upstream,
    "sk-ant",
    models.adaptive,
  );
  assert.equal(path, "/v1/messages");
  const pairs = Object.fromEntries(
    Array.from({ length: headers.length / 2 }, (_, at) => headers.slice(at * 2, at * 2 + 2)),
  );
  assert.deepEqual(pairs, {
    "content-type": "application/json",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "plaza/0.1",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "one-1,two-2",
    "x-api-key": "sk-ant",
  });
  const probe = anthropic.probe(upstream, "");
  assert.equal(probe.path, "/v1/models");
  assert.equal(probe.headers.includes("x-api-key"), false);
});
