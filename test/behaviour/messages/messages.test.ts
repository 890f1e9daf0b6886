/**
 * `POST /v1/messages` from end to end: what upstreams of each format are asked and the caller gets, what is
 * charged, how streams end, and what is refused before anything is called.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import {
  eventsIn,
  messageEnd,
  messageStart,
  messagesUsage,
  messagesWire,
  streamOf,
  textBlock,
  textEvents,
  textMessage,
  wholeMessage,
} from "../harness/messages-shapes.ts";
import {
  streamOf as chatStreamOf,
  chunk,
  completion,
  openaiError,
  usageChunk,
} from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const freshMax = 20;
let used = 0;
/** A model at Anthropic with another upstream behind it: what one did to a call is remembered. */
const fresh = (): string => `two-${used++}`;
let claude: ScriptedUpstream;
let chat: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  claude = await startScriptedUpstream();
  chat = await startScriptedUpstream();
  const anthropic = { provider: "anthropic" } as const;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("claude", claude.baseUrl, anthropic),
        upstreamAt("chat", chat.baseUrl),
        upstreamAt("open-chat", chat.baseUrl, { options: { allowUnpriced: "tools" } }),
        ...Array.from({ length: freshMax }, (_, index) =>
          upstreamAt(`up-${index}`, claude.baseUrl, anthropic),
        ),
        upstreamAt("open", claude.baseUrl, {
          ...anthropic,
          options: { allowUnpriced: "tools,speed,anthropic-beta", beta: "ours-2026-01-01" },
        }),
      ],
      models: [
        modelOn("claude", ["claude"], { maxOutput: 9_000 }),
        modelOn("claude-long", ["claude"], { context: 1_000_000 }),
        modelOn("gpt", ["chat"]),
        modelOn("open-chat", ["open-chat"]),
        modelOn("open", ["open"]),
        ...Array.from({ length: freshMax }, (_, index) => modelOn(`two-${index}`, [`up-${index}`, "chat"])),
        modelOn("limited", ["claude"], { limits: { tokensPerMinute: 60 } }),
        modelOn("embeds", ["chat"], { operations: ["embeddings"] }),
        modelOn("cached", ["claude"], {
          price: {
            input: parseUsd("1"),
            cachedInput: parseUsd("0.1"),
            cacheWrite: parseUsd("1.25"),
            longCacheWrite: parseUsd("2"),
            output: parseUsd("2"),
          },
        }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await claude?.stop();
  await chat?.stop();
});

const hello = wholeMessage([textBlock("Hello")]);
/** Of `messagesUsage` at the usual price. */
const charge = parseUsd("0.00002");
const talk = [{ role: "user", content: "Say it." }];

interface Asked {
  readonly model?: string;
  readonly key?: string;
  readonly from?: TestAccount;
  readonly path?: string;
  readonly leaveAt?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function askText(body: string, asked: Asked = {}): Promise<Seen> {
  const { from = account, path = "/v1/messages", key, leaveAt } = asked;
  let text = "";
  return post({
    url: `${app.origin}${path}`,
    key: from.key,
    headers: { ...asked.headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body,
    onArrival: ({ bytes }, call) => {
      text += bytes.toString("utf8");
      if (leaveAt !== undefined && text.includes(leaveAt)) call.destroy();
    },
  });
}

const ask = (body: object = {}, asked: Asked = {}): Promise<Seen> =>
  askText(
    JSON.stringify({ model: asked.model ?? "claude", max_tokens: 100, messages: talk, ...body }),
    asked,
  );

const textOf = ({ body }: Seen): string => body.toString("utf8");
const jsonOf = (seen: Seen): Record<string, unknown> => JSON.parse(textOf(seen)) as Record<string, unknown>;
const rowOf = async (seen: Seen) => {
  const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
  assert.ok(found !== undefined, textOf(seen));
  return found.request;
};

/** An error in Anthropic's shape. */
function assertRefused(seen: Seen, status: number, code: string, param?: string): void {
  assert.equal(seen.status, status, textOf(seen));
  const { type, error, request_id } = jsonOf(seen) as {
    type: unknown;
    error: Record<string, unknown>;
    request_id: unknown;
  };
  assert.deepEqual([type, error["code"], error["param"] ?? undefined], ["error", code, param], textOf(seen));
  assert.equal(request_id, seen.headers["request-id"]);
  assert.ok(String(error["type"]).endsWith("_error") || error["type"] === "request_too_large");
}

describe("at Anthropic", () => {
  test("the caller's bytes go on but for the model's name, and the answer's come back", async () => {
    claude.answerWith({ body: hello, headers: { "request-id": "req_theirs" } });
    const body =
      '{ "max_tokens": 100,\n "model" : "claude", "system":[{"type":"text","text":"\\u00e9 é","cache_control":{"type":"ephemeral","ttl":"1h"}}], "messages":[{"role":"user","content":"Say it."}], "new_field":{"a":1.0} }';
    const seen = await askText(body, { path: "/v1/messages?beta=true" });
    assert.equal(seen.status, 200, textOf(seen));
    const [call] = claude.calls;
    assert.equal(call?.text, body.replace('"claude"', '"upstream-model"'));
    assert.equal(call?.path, "/v1/messages");
    assert.equal(textOf(seen), JSON.stringify(hello));
    assert.match(String(seen.headers["request-id"]), /^req_/);
    assert.equal(seen.headers["request-id"], seen.headers["x-request-id"]);
    const row = await rowOf(seen);
    assert.deepEqual(
      [row.operation, row.inputTokens, row.outputTokens, row.usageSource, row.charge],
      ["chat", 10, 5, "exact", charge],
    );
  });

  test("version and betas are the caller's, the key is the upstream's, and nothing else goes on", async () => {
    claude.answerWith({ body: hello });
    const headers = {
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14",
      "x-claude-code-session-id": "s1",
      cookie: "a=b",
    };
    await ask({}, { headers });
    const sent = claude.calls[0]?.headers ?? {};
    assert.equal(sent["anthropic-version"], "2026-10-21");
    assert.equal(sent["anthropic-beta"], "claude-code-20250219,interleaved-thinking-2025-05-14");
    assert.equal(sent["x-api-key"], "sk-up");
    assert.ok(!JSON.stringify(sent).includes(account.key));
    for (const name of ["authorization", "cookie", "x-claude-code-session-id"])
      assert.equal(sent[name], undefined, name);
    claude.answerWith({ body: hello });
    await ask({}, { model: "open", headers: { "anthropic-beta": "theirs-2026-02-02" } });
    const merged = claude.calls[0]?.headers ?? {};
    assert.equal(merged["anthropic-version"], "2023-06-01");
    assert.equal(merged["anthropic-beta"], "ours-2026-01-01,theirs-2026-02-02");
  });

  test("a key in x-api-key opens it, as the older SDKs send it", async () => {
    claude.answerWith({ body: hello });
    const seen = await ask({}, { headers: { authorization: "", "x-api-key": account.key } });
    assert.equal(seen.status, 200, textOf(seen));
  });

  test("a stream is the upstream's, byte for byte, and ends with message_stop", async () => {
    const events = textMessage("Hel", "lo");
    claude.answerWith(streamOf(events));
    const seen = await ask({ stream: true });
    assert.equal(textOf(seen), messagesWire(events));
    assert.match(String(seen.headers["content-type"]), /^text\/event-stream/);
    const row = await rowOf(seen);
    assert.deepEqual([row.state, row.usageSource, row.charge], ["complete", "exact", charge]);
  });

  test("tokens read from and written to the cache are charged once, each at its rate", async () => {
    const usage = {
      input_tokens: 100,
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 1,
    };
    const whole = { ...usage, output_tokens: 10 };
    const cost = parseUsd("0.00067");
    claude.answerWith({ body: { ...hello, usage: whole } });
    const plain = await rowOf(await ask({}, { model: "cached" }));
    claude.answerWith(
      streamOf([
        messageStart(usage),
        ...textEvents(["Hi"]),
        ...messageEnd("end_turn", { output_tokens: 10 }),
      ]),
    );
    const streamed = await rowOf(await ask({ stream: true }, { model: "cached" }));
    for (const row of [plain, streamed]) {
      assert.deepEqual(
        [row.inputTokens, row.cachedInputTokens, row.cacheWriteTokens, row.outputTokens],
        [100, 1_000, 300, 10],
      );
      assert.equal(row.charge, cost);
    }
  });

  test("the list of models is ours, and a short balance cuts the output and what it thinks", async () => {
    const poor = await app.newAccount("0.005");
    claude.answerWith({ body: hello });
    const thinking = { type: "enabled", budget_tokens: 8_000 };
    const seen = await ask({ models: ["claude"], max_tokens: 9_000, thinking }, { from: poor });
    assert.equal(seen.status, 200, textOf(seen));
    const sent = claude.calls[0]?.body as { max_tokens: number; thinking: { budget_tokens: number } };
    assert.ok(!("models" in sent));
    assert.ok(sent.max_tokens < 2_500 && sent.max_tokens > 2_000, String(sent.max_tokens));
    assert.equal(sent.thinking.budget_tokens, sent.max_tokens - 1);
    assert.equal(seen.headers["x-plaza-max-tokens"], String(sent.max_tokens));
  });

  test("the model's cap lowers a budget of thinking with the output, but one that is for a whole turn", async () => {
    const thinking = { type: "enabled", budget_tokens: 32_000 };
    const headers = { "anthropic-beta": "interleaved-thinking-2025-05-14" };
    for (const [asked, budget] of [
      [{}, 8_999],
      [{ headers }, 32_000],
    ] as const) {
      claude.answerWith({ body: hello });
      const seen = await ask({ max_tokens: 32_000, thinking }, asked);
      assert.equal(seen.headers["x-plaza-max-tokens"], "9000");
      const sent = claude.calls[0]?.body as { max_tokens: number; thinking: { budget_tokens: number } };
      assert.deepEqual([sent.max_tokens, sent.thinking.budget_tokens], [9_000, budget]);
    }
  });

  test("a call that only warms the cache goes on and is charged for its prompt", async () => {
    const usage = { ...messagesUsage, input_tokens: 20, output_tokens: 0 };
    claude.answerWith({ body: { ...wholeMessage([]), stop_reason: "max_tokens", usage } });
    const seen = await ask({ max_tokens: 0 });
    assert.equal(seen.status, 200, textOf(seen));
    assert.equal(claude.calls[0]?.body["max_tokens"], 0);
    assert.equal((await rowOf(seen)).charge, parseUsd("0.00002"));
  });
});

describe("what would cost more than its tokens", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  test("is refused by name, and goes on where the operator allows it", async () => {
    claude.answerWith({ body: hello });
    assertRefused(await ask({ tools: [search] }), 400, "unsupported_parameter", "tools[0]");
    assertRefused(await ask({ speed: "fast" }), 400, "unsupported_parameter", "speed");
    assertRefused(await ask({ container: "c" }), 404, "not_found", "container");
    const headers = { "anthropic-beta": "user-profiles-billing-2026-09-01" };
    assertRefused(await ask({}, { headers }), 400, "unsupported_parameter", "anthropic-beta");
    assert.equal(claude.calls.length, 0);
    const allowed = await ask({ tools: [search], speed: "fast" }, { model: "open", headers });
    assert.equal(allowed.status, 200, textOf(allowed));
    assert.deepEqual(claude.calls[0]?.body["tools"], [search]);
  });

  const own = { name: "look", input_schema: { type: "object", properties: {} } };

  test("is left out and told where it is only offered beside the caller's own tools", async () => {
    const text =
      '{"model":"claude","max_tokens":100,"tools":[ {"type":"web_search_20250305","name":"web_search"}, {"name":"look","input_schema":{"type":"object"}} ],"messages":[{"role":"user","content":"Say it."}]}';
    claude.answerWith({ body: hello });
    const seen = await askText(text);
    assert.equal(seen.status, 200, textOf(seen));
    assert.equal(seen.headers["x-plaza-dropped-params"], "tools[0]");
    const left = text.replace('{"type":"web_search_20250305","name":"web_search"}, ', "");
    assert.equal(claude.calls[0]?.text, left.replace('"claude"', '"upstream-model"'));
    claude.answerWith(streamOf(textMessage("Hello")));
    const streamed = await ask({ stream: true, tools: [own, search], tool_choice: { type: "any" } });
    assert.equal(streamed.headers["x-plaza-dropped-params"], "tools[1]");
    assert.deepEqual(claude.calls[0]?.body["tools"], [own]);
    const tool_choice = { type: "tool", name: "web_search" };
    assertRefused(await ask({ tools: [own, search], tool_choice }), 400, "unsupported_parameter", "tools[1]");
  });

  test("is left out at upstreams of other formats, allowed or not; what is chosen is refused there", async () => {
    const bash = { type: "bash_20250124", name: "bash" };
    for (const [model, dropped] of [
      ["gpt", "tools[0], tools[2]"],
      ["open-chat", "tools[0], tools[2]"],
    ] as const) {
      chat.answerWith({ body: completion({ message: { content: "Done" } }) });
      const seen = await ask({ tools: [search, own, bash] }, { model });
      assert.equal(seen.status, 200, textOf(seen));
      assert.equal(seen.headers["x-plaza-dropped-params"], dropped);
      assert.match(JSON.stringify(chat.calls[0]?.body["tools"]), /^\[[^[]*"look"[^[]*\]$/);
    }
    for (const tools of [[search], [bash]])
      assertRefused(await ask({ tools }, { model: "open-chat" }), 400, "unsupported_parameter", "tools[0]");
  });

  test("a longer context than the catalog has is not asked for, and told to be left out", async () => {
    const headers = { "anthropic-beta": "context-1m-2025-08-07,claude-code-20250219" };
    claude.answerWith({ body: hello });
    const seen = await ask({}, { headers });
    assert.equal(claude.calls[0]?.headers["anthropic-beta"], "claude-code-20250219");
    assert.equal(seen.headers["x-plaza-dropped-params"], "context-1m-2025-08-07");
    claude.answerWith({ body: hello });
    const long = await ask({}, { model: "claude-long", headers });
    assert.equal(claude.calls[0]?.headers["anthropic-beta"], headers["anthropic-beta"]);
    assert.equal(long.headers["x-plaza-dropped-params"], undefined);
  });

  test("a file that lies at the upstream is nobody's here", async () => {
    const content = [{ type: "document", source: { type: "file", file_id: "file_1" } }];
    const seen = await ask({ messages: [{ role: "user", content }] });
    assertRefused(seen, 404, "not_found", "messages[0].content[0].source.file_id");
  });
});

describe("what is refused before anything is called", () => {
  test("in Anthropic's shape, with its words for each status", async () => {
    claude.answerWith({ body: hello });
    assertRefused(await ask({ max_tokens: "all" }), 400, "invalid_request", "max_tokens");
    assertRefused(await askText("{"), 400, "invalid_request");
    assertRefused(await ask({}, { from: { ...account, key: "sk-nope" } }), 401, "invalid_api_key");
    assertRefused(await ask({}, { model: "none" }), 404, "model_not_found", "model");
    assertRefused(await ask({}, { model: "embeds" }), 400, "wrong_endpoint", "model");
    const poor = await app.newAccount("0.000001");
    assertRefused(await ask({}, { from: poor }), 402, "insufficient_balance");
    assert.equal((await ask({ max_tokens: 30 }, { model: "limited" })).status, 200);
    assertRefused(await ask({ max_tokens: 30 }, { model: "limited" }), 429, "rate_limit_exceeded");
    claude.answerWith({ body: hello });
    assertRefused(await ask({}, { path: "/v1/messages/batches" }), 404, "not_found");
    const odd = { "anthropic-beta": `a${"x".repeat(5_000)}` };
    assertRefused(await ask({}, { headers: odd }), 400, "invalid_request");
    assert.equal(claude.calls.length, 0);
  });
});

describe("an upstream's trouble", () => {
  const error = (type: string, message: string) => ({
    type: "error",
    error: { type, message },
    request_id: "r",
  });

  test("is told in Anthropic's shape", async () => {
    claude.answerWith({ status: 400, body: error("invalid_request_error", "messages.0: odd") });
    assertRefused(await ask(), 400, "invalid_request");
    claude.answerWith({ status: 400, body: error("invalid_request_error", "prompt is too long: 9 > 8") });
    const long = await ask();
    assertRefused(long, 400, "context_length_exceeded", "messages");
    assert.match(String((jsonOf(long)["error"] as { message: string }).message), /^prompt is too long/i);
  });

  test("of a conversation that is too long is told in the words that Claude Code reads, unchanged", async () => {
    const said = [
      "prompt is too long: 214783 tokens > 200000 maximum",
      "input length and `max_tokens` exceed context limit: 195000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    ];
    for (const text of said) {
      claude.answerWith({ status: 400, body: error("invalid_request_error", text) });
      const seen = await ask();
      assertRefused(seen, 400, "context_length_exceeded", "messages");
      assert.equal((jsonOf(seen)["error"] as { message: string }).message, text);
    }
  });

  test("is tried elsewhere, in another format, and the caller sees Messages", async () => {
    claude.answerWith({ status: 529, body: error("overloaded_error", "Overloaded") });
    chat.answerWith({ body: completion({ message: { content: "Hello" } }) });
    const seen = await ask({}, { model: fresh() });
    assert.equal(seen.status, 200, textOf(seen));
    assert.deepEqual(jsonOf(seen)["content"], [textBlock("Hello")]);
    assert.deepEqual([(await rowOf(seen)).attempts, (await rowOf(seen)).upstreamId], [2, "chat"]);
  });

  test("before the first content of a stream, too", async () => {
    const bad = [
      messagesWire([messageStart(), { type: "ping" }, error("overloaded_error", "Overloaded")]),
      messagesWire([messageStart()]),
      "",
      "data: oops\n\n",
    ];
    for (const body of bad) {
      claude.answerWith({ ...streamOf([]), body });
      chat.answerWith({ events: chatStreamOf([{ content: "Hel" }, { content: "lo" }]) });
      const seen = await ask({ stream: true }, { model: fresh() });
      const events = eventsIn(textOf(seen));
      assert.equal(events.filter(({ type }) => type === "message_start").length, 1, textOf(seen));
      assert.equal(events.at(-1)?.type, "message_stop", body);
      assert.equal((await rowOf(seen)).upstreamId, "chat");
    }
  });

  test("after content is an error event, and no stream that broke looks finished", async () => {
    const begun = messagesWire([messageStart(), ...textEvents(["Hel"]).slice(0, 2)]);
    const bad = [
      { body: begun + messagesWire([error("overloaded_error", "Overloaded")]) },
      { body: begun, ending: "cut" as const },
      { body: begun },
      { body: begun + messagesWire([{ type: "message_stop" }]) },
    ];
    for (const answer of bad) {
      claude.answerWith({ ...streamOf([]), ...answer });
      chat.answerWith({ body: completion({ message: { content: "no" } }) });
      const seen = await ask({ stream: true }, { model: fresh() });
      const events = eventsIn(textOf(seen));
      const last = events.at(-1) as { type: string; error: { type: string; code: string } };
      assert.equal(last.type, "error", textOf(seen));
      assert.match(last.error.type, /_error$/);
      assert.ok(!events.some(({ type }) => type === "message_stop"), JSON.stringify(answer));
      assert.equal(chat.calls.length, 0);
      const row = await rowOf(seen);
      assert.deepEqual([row.state, row.charge > 0n], ["incomplete", true]);
    }
  });
});

describe("at upstreams that speak chat", () => {
  test("a conversation with tools, results and images is asked in chat's words", async () => {
    chat.answerWith({ body: completion({ message: { content: "Done" } }) });
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const seen = await ask(
      {
        system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
        tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
        thinking: { type: "adaptive" },
        context_management: { edits: [] },
        made_up: 1,
        messages: [
          { role: "user", content: "Look." },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "toolu_1",
                is_error: true,
                content: [textBlock("none"), image],
              },
            ],
          },
        ],
      },
      { model: "gpt" },
    );
    assert.equal(seen.status, 200, textOf(seen));
    const messages = chat.calls[0]?.body["messages"] as Record<string, unknown>[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "user"],
    );
    assert.equal(messages[3]?.["content"], "Error: none");
    assert.match(JSON.stringify(messages[4]), /data:image\/png;base64,AAAA/);
    assert.ok(!JSON.stringify(messages).includes("cache_control"));
    assert.equal(jsonOf(seen)["stop_reason"], "end_turn");
    assert.match(String(jsonOf(seen)["id"]), /^msg_/);
  });

  test("a stream is Messages', with usage at its start and all of it at its end", async () => {
    chat.answerWith({
      events: [
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Hel" }),
        chunk({ content: "lo" }),
        chunk({}, "stop"),
        usageChunk,
        "[DONE]",
      ],
    });
    const seen = await ask({ stream: true }, { model: "gpt" });
    const events = eventsIn(textOf(seen));
    assert.deepEqual(
      events.map(({ type }) => type).filter((type) => type !== "ping"),
      [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ],
    );
    const { message } = events[0] as unknown as { message: { usage: Record<string, number> } };
    assert.ok((message.usage["input_tokens"] ?? 0) > 0);
    assert.ok(!textOf(seen).includes("[DONE]"));
    assert.equal((await rowOf(seen)).usageSource, "exact");
  });

  test("a tool's call comes back with its id, whole and streamed", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"a":1}' } };
    const tools = [{ name: "look", input_schema: { type: "object" } }];
    chat.answerWith({ body: completion({ message: { tool_calls: [call] }, finish: "tool_calls" }) });
    const whole = jsonOf(await ask({ tools }, { model: "gpt" }));
    assert.deepEqual(whole["content"], [{ type: "tool_use", id: "call_1", name: "look", input: { a: 1 } }]);
    assert.equal(whole["stop_reason"], "tool_use");
  });

  test("an error of theirs has Anthropic's shape, with the caller's name of the field", async () => {
    chat.answerWith({ status: 400, body: openaiError("Too long.", { code: "context_length_exceeded" }) });
    const seen = await ask({}, { model: "gpt" });
    assertRefused(seen, 400, "context_length_exceeded", "messages");
    assert.match(textOf(seen), /prompt is too long/i);
  });
});

describe("kept, left, repeated", () => {
  for (const isStream of [false, true]) {
    test(`the same call again, ${isStream ? "streamed" : "whole"}: the same bytes, paid once`, async () => {
      claude.answerWith(isStream ? streamOf(textMessage("Hello")) : { body: hello });
      const key = `messages-${isStream}`;
      const [first, again] = [
        await ask({ stream: isStream }, { key }),
        await ask({ stream: isStream }, { key }),
      ];
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal(claude.calls.length, 1);
      assert.deepEqual([(await rowOf(first)).charge, (await rowOf(again)).charge], [charge, nanoUsd(0n)]);
      const other = await ask({ stream: isStream }, { key, path: "/v1/chat/completions" });
      assert.equal(other.status, 422, "the same body in another format is another call");
    });
  }

  test("a caller that leaves: the upstream is stopped, and what was written is charged", async () => {
    claude.answerWith({
      ...streamOf([]),
      body: messagesWire([messageStart(), ...textEvents(["Hel", "lo"]).slice(0, 3)]),
      ending: "hang",
    });
    const seen = await ask({ stream: true }, { leaveAt: '"lo"' });
    await claude.calls[0]?.cancelled;
    await app.callersGone();
    const row = await rowOf(seen);
    assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["aborted", "estimated", 2]);
  });

  test("an answer without usage is charged by what came", async () => {
    const { usage: _, ...unmetered } = hello;
    claude.answerWith({ body: unmetered });
    const row = await rowOf(await ask());
    assert.deepEqual([row.usageSource, row.outputTokens], ["estimated", 2]);
  });
});
