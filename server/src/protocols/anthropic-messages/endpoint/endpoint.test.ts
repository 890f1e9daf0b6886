/** What a Messages endpoint handles besides messages: errors, token counts, prices of betas. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { errorCatalogue } from "@plaza/contract/errors.ts";
import { messagesPayloads } from "../../payloads/marks.ts";
import type { Seal } from "../../payloads/seal.ts";
import type { ProviderRequest } from "../../protocol.ts";
import { betasIn, pricedAmong } from "./betas.ts";
import { messagesCount } from "./count-protocol.ts";
import { countBody, countedFields, createCountReader, readCount } from "./count-tokens.ts";
import { errorBody, errorEvent, errorTypeOf } from "./errors.ts";
import { isFreeToolType, promptNames, scannedNames } from "./fields.ts";

const error = {
  code: "rate_limit_exceeded",
  type: "rate_limit_error",
  status: 429,
  message: "Slower.",
  param: null,
  requestId: "req_1",
};

test("an error has Anthropic's family for its status and the catalogue's code inside", () => {
  assert.deepEqual(JSON.parse(String(errorBody(error))), {
    type: "error",
    error: { type: "rate_limit_error", message: "Slower.", code: "rate_limit_exceeded" },
    request_id: "req_1",
  });
  const families = [400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504, 529];
  assert.deepEqual(families.map(errorTypeOf), [
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "invalid_request_error",
    "timeout_error",
    "conflict_error",
    "request_too_large",
    "invalid_request_error",
    "invalid_request_error",
    "rate_limit_error",
    "api_error",
    "api_error",
    "overloaded_error",
    "timeout_error",
    "overloaded_error",
  ]);
  for (const { status } of Object.values(errorCatalogue))
    assert.match(errorTypeOf(status), /_error$|_large$/);
});

test("a conversation nobody holds is told in the words upon which the SDKs send it again", () => {
  const body = errorBody({ ...error, code: "not_found", status: 404, param: "thread.previous_message_id" });
  assert.deepEqual(JSON.parse(String(body)).error.details, { error_code: "thread_not_found" });
  assert.ok(!("details" in JSON.parse(String(errorBody(error))).error));
});

test("a context that is too long is told in the words clients look for", () => {
  const told = (message: string): string =>
    JSON.parse(String(errorBody({ code: "context_length_exceeded", type: "t", status: 400, message }))).error
      .message;
  assert.equal(told("Shorten it."), "prompt is too long: Shorten it.");
  for (const own of [
    "Prompt is too long: 9 > 8",
    "input length and `max_tokens` exceed context limit: 6 + 3 > 8",
  ])
    assert.equal(told(own), own);
});

test("the SDK throws for an error in a stream, with its family", async () => {
  const start =
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","content":[],"usage":{}}}\n\n';
  const client = new Anthropic({
    apiKey: "sk-ant-test",
    maxRetries: 0,
    fetch: async () =>
      new Response(start + String(errorEvent({ ...error, status: 503 })), {
        headers: { "content-type": "text/event-stream" },
      }),
  });
  const params = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] };
  await assert.rejects(client.messages.stream(params).finalMessage(), (thrown) => {
    assert.ok(thrown instanceof APIError);
    assert.match(String(thrown.message), /overloaded_error/);
    return true;
  });
});

test("a count is the upstream's number or none", () => {
  assert.equal(String(countBody(123)), '{"input_tokens":123}');
  assert.equal(readCount(Buffer.from('{"input_tokens":7,"context_management":{}}')), 7);
  for (const body of ["", "{}", "[7]", '{"input_tokens":-1}', '{"input_tokens":"7"}', '{"input_tokens":0.5}'])
    assert.equal(readCount(Buffer.from(body)), undefined, body);
});

test("what is counted is all that is prompt: system and tools too", () => {
  const body = {
    model: "m",
    system: "Be brief.",
    tools: [{ name: "f", input_schema: { type: "object" } }],
    messages: [{ role: "user", content: "Hi" }],
  };
  for (const name of Object.keys(body)) assert.ok(countedFields.includes(name), name);
  assert.ok(!countedFields.includes("max_tokens") && !countedFields.includes("stream"));
  const { conversation } = createCountReader()(Buffer.from(JSON.stringify(body)));
  assert.deepEqual(
    conversation.turns.map(({ role }) => role),
    ["system", "user"],
  );
  assert.equal(conversation.toolUse.tools.length, 1);
});

test("betas that change a price are told apart from all others, of whatever date", () => {
  const betas = betasIn([
    "claude-code-20250219, interleaved-thinking-2025-05-14",
    "fast-mode-2026-02-01,fast-mode-2027-01-01,context-1m-2025-08-07,, extended-cache-ttl-2025-04-11",
  ]);
  assert.deepEqual(betas.slice(0, 3), [
    "claude-code-20250219",
    "interleaved-thinking-2025-05-14",
    "fast-mode-2026-02-01",
  ]);
  assert.deepEqual(
    pricedAmong(betas).map(({ name, by, field }) => [name, by, field]),
    [
      ["fast-mode", "field", "speed"],
      ["fast-mode", "field", "speed"],
      ["context-1m", "prompt", undefined],
      ["extended-cache-ttl", "cache", undefined],
    ],
  );
});

test("every field that is prompt is one that is looked for", () => {
  for (const name of promptNames) assert.ok((scannedNames as readonly string[]).includes(name), name);
});

test("tools the caller runs itself cost tokens alone; what Anthropic runs does not", () => {
  const free = [
    "bash_20250124",
    "text_editor_20250728",
    "computer_20251124",
    "memory_20250818",
    "computer_toolset_20260801",
    "browser_toolset_20260801",
    "tool_search_tool_regex_20251119",
    "tool_search_tool_bm25",
  ];
  for (const type of free) assert.ok(isFreeToolType(type), type);
  const others = ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825", "mcp_toolset"];
  for (const type of [...others, "advisor_20260301", "bash_20250124x", "BASH_20250124", "", null, undefined])
    assert.ok(!isFreeToolType(type), String(type));
});

test("a count opens the payloads of opaque reasoning that a call opens", () => {
  const seal: Seal = {
    seal: (json) => Buffer.from(json).toString("hex"),
    open: (sealed) => Buffer.from(sealed, "hex").toString("utf8"),
  };
  const signature = messagesPayloads.write([{ format: "f", text: "Hm", data: "d" }], seal);
  const content = [{ type: "thinking", thinking: "Hm", signature }];
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content },
    { role: "user", content: "b" },
  ];
  const request = { body: Buffer.from(JSON.stringify({ model: "m", messages })), seal };
  const conversation = messagesCount.format?.decode(request as unknown as ProviderRequest);
  assert.match(JSON.stringify(conversation?.turns), /"data":"d"/);
});
