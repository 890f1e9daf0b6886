import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { anthropic } from "./anthropic.ts";
import { passingMessages } from "./passing-messages.ts";

const upstream = upstreamAt("https://api.anthropic.com/v1");
const sent = (text: string, more: Partial<ProviderRequest> = {}) =>
  passingMessages.encode(passedRequest(text, ["max_tokens"], more), upstream, "sk", "claude-x");

const rest =
  '"system":[{"type":"text","text":"é \\ud83d\\ude00","cache_control":{"type":"ephemeral"}}],"x":1.0';

test("every byte but the model's name passes, and the very buffer where that is right already", () => {
  const call = sent(`{ "model" : "public",  "max_tokens":9, ${rest} }`);
  assert.equal(call.body.toString(), `{ "model" : "claude-x",  "max_tokens":9, ${rest} }`);
  assert.equal(call.path, "/v1/messages");
  const right = passedRequest(`{"model":"claude-x",${rest}}`, []);
  assert.equal(passingMessages.encode(right, upstream, "sk", "claude-x").body, right.body);
});

test("the output is cut to what is paid for, and the list of models is taken out", () => {
  const text = `{"models":["b"],"model":"a","max_tokens":9000,${rest}}`;
  assert.equal(
    sent(text, { outputTokensMax: 70 }).body.toString(),
    `{"model":"claude-x","max_tokens":70,${rest}}`,
  );
  const less = sent(`{"model":"a","max_tokens":5}`, { outputTokensMax: 70 });
  assert.equal(less.body.toString(), '{"model":"claude-x","max_tokens":5}');
  assert.equal(
    sent('{"models":["a"],"messages":[]}', { outputTokensMax: 70 }).body.toString(),
    '{"max_tokens":70,"model":"claude-x","messages":[]}',
  );
});

test("a budget of thinking stays below the output that is paid for, or there is none", () => {
  const text = (budget: number): string =>
    `{"model":"claude-x","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":${budget}},"z":1}`;
  const thinking = (budget: number, outputTokensMax: number): unknown =>
    JSON.parse(sent(text(budget), { outputTokensMax }).body.toString()).thinking;
  assert.deepEqual(thinking(8_000, 5_000), { type: "enabled", budget_tokens: 4_999 });
  assert.deepEqual(thinking(2_000, 5_000), { type: "enabled", budget_tokens: 2_000 });
  assert.deepEqual(thinking(8_000, 1_025), { type: "enabled", budget_tokens: 1_024 });
  assert.deepEqual(thinking(8_000, 1_024), { type: "disabled" });
  assert.deepEqual(sent(text(8_000), { outputTokensMax: 1_024 }).dropped, ["thinking.budget_tokens"]);
  assert.equal(sent(text(8_000), { outputTokensMax: 5_000 }).dropped, undefined);
  assert.deepEqual(JSON.parse(sent(text(8_000)).body.toString()).thinking.budget_tokens, 8_000);
});

test("an upstream holds no conversation and compares no earlier call, and that is told", () => {
  const thread = '"thread":{"type":"create"}';
  const diagnostics = '"diagnostics":{"previous_message_id":"msg_1"}';
  const texts: [text: string, left: string, dropped: string[] | undefined][] = [
    [`{"model":"a",${thread},${rest}}`, `{"model":"claude-x",${rest}}`, ["thread"]],
    [`{${thread},"model":"a",${diagnostics}}`, '{"model":"claude-x"}', ["thread", "diagnostics"]],
    [`{"models":["b"],${diagnostics},"model":"a"}`, '{"model":"claude-x"}', ["diagnostics"]],
    ['{"model":"a","thread":null}', '{"model":"claude-x","thread":null}', undefined],
  ];
  for (const [text, left, dropped] of texts) {
    const call = sent(text);
    assert.deepEqual([call.body.toString(), call.dropped], [left, dropped]);
  }
  const bounded = `{"max_tokens":9000,${thread},"model":"a","models":["b"],"z":1}`;
  assert.equal(
    sent(bounded, { outputTokensMax: 70 }).body.toString(),
    '{"max_tokens":70,"model":"claude-x","z":1}',
  );
});

test("a budget for a whole turn may exceed the output, and stays", () => {
  const text = `{"model":"claude-x","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":32000}}`;
  const forwarded = { "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14" };
  const { body, dropped } = sent(text, { outputTokensMax: 4_096, forwarded });
  assert.equal(body.toString(), text.replace('"max_tokens":32000', '"max_tokens":4096'));
  assert.equal(dropped, undefined);
  const without = sent(text, {
    outputTokensMax: 4_096,
    forwarded: { "anthropic-beta": "effort-2025-11-24" },
  });
  assert.equal(JSON.parse(without.body.toString()).thinking.budget_tokens, 4_095);
});

test("Claude Code's note for Anthropic goes to Anthropic, and to nobody else", () => {
  const note = '{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cch=97bd6;"}';
  const own = '{"type":"text","text":"You are Claude Code."}';
  const at = (baseUrl: string, system: string): string => {
    const request = passedRequest(`{"model":"claude-x","system":${system},"x":1}`, []);
    return passingMessages.encode(request, upstreamAt(baseUrl), "sk", "claude-x").body.toString();
  };
  const elsewhere = "http://127.0.0.1:8000/v1";
  assert.ok(at("https://api.anthropic.com/v1", `[${note},${own}]`).includes("billing"));
  assert.equal(at(elsewhere, `[${note}, ${own}]`), `{"model":"claude-x","system":[${own}],"x":1}`);
  assert.equal(at(elsewhere, `[ ${note} ]`), '{"model":"claude-x","system":[  ],"x":1}');
  for (const system of [`[${own},${note}]`, '"x-anthropic-billing-header: a"', `[${own}]`, "null", "[]"])
    assert.equal(at(elsewhere, system), `{"model":"claude-x","system":${system},"x":1}`);
  const said = '"messages":[{"role":"user","content":"x-anthropic-billing-header: what is that?"}]';
  const request = passedRequest(`{"model":"claude-x",${said}}`, []);
  assert.equal(passingMessages.encode(request, upstreamAt(elsewhere), "sk", "claude-x").body, request.body);
});

test("version and betas are the caller's beside the operator's; what is not sent is told", () => {
  const headersOf = (
    forwarded: Record<string, string>,
    more: Partial<ProviderRequest> = {},
    beta?: string,
  ) => {
    const at = upstreamAt("https://api.anthropic.com/v1", beta === undefined ? {} : { options: { beta } });
    const request = passedRequest('{"model":"claude-x"}', [], { forwarded, ...more });
    const { headers, dropped } = passingMessages.encode(request, at, "sk", "claude-x");
    const headerOf = (name: string) =>
      headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined;
    return [headerOf("anthropic-version"), headerOf("anthropic-beta"), dropped];
  };
  assert.deepEqual(headersOf({}), ["2023-06-01", undefined, undefined]);
  assert.deepEqual(headersOf({ "anthropic-version": "2026-10-21" })[0], "2026-10-21");
  assert.deepEqual(headersOf({ "anthropic-version": "a b" })[0], "2023-06-01");
  const betas = (value: string, ...rest: [Partial<ProviderRequest>?, string?]) =>
    headersOf({ "anthropic-beta": value }, ...rest).slice(1);
  assert.deepEqual(betas("b-1, a-2,,b-1"), ["b-1,a-2", undefined]);
  assert.deepEqual(betas("b-1", {}, "o-1,b-1"), ["o-1,b-1", undefined]);
  const long = "context-1m-2025-08-07";
  assert.deepEqual(betas(`b-1,${long}`), ["b-1", [long]]);
  assert.deepEqual(betas(long, { contextTokens: 200_000 }), [undefined, [long]]);
  assert.deepEqual(betas(long, { contextTokens: 1_000_000 }), [long, undefined]);
  assert.deepEqual(betas(long, {}, long), [long, undefined]);
  assert.deepEqual(betas("a;b"), [undefined, ["a;b"]]);
});

test("headers are ours: the key, the version, nothing of the caller's", () => {
  const { headers } = sent('{"model":"a"}', { isStream: true });
  assert.equal(headers[headers.indexOf("x-api-key") + 1], "sk");
  assert.equal(headers[headers.indexOf("anthropic-version") + 1], "2023-06-01");
  assert.equal(headers[headers.indexOf("accept") + 1], "text/event-stream");
});

test("a body with thoughts that only Plaza can read does not pass", () => {
  const [{ mayPass }] = anthropic.formats;
  assert.equal(mayPass(Buffer.from(`{"signature":"plaza-thinking-1.abc"}`)), false);
  assert.equal(mayPass(Buffer.from(`{"signature":"EqQBCgIY"}`)), true);
});
