import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { passedRequest, upstreamAt } from "../testing/passing.ts";
import { passingMessages } from "./passing-messages.ts";
import { vertexAnthropic } from "./vertex-anthropic.ts";

const upstream = upstreamAt(
  "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic",
);
const sent = (text: string, more: Partial<ProviderRequest> = {}) =>
  passingMessages.encode(passedRequest(text, ["max_tokens"], more), upstream, "token", "claude-x@1");
const version = '"anthropic_version":"vertex-2023-10-16"';

test("the model goes into the path and the version into the body; every other byte passes", () => {
  const call = sent('{ "model":"a", "max_tokens":9 ,"messages":[ {"role":"user","content":"é"} ]}');
  assert.equal(
    call.body.toString(),
    `{${version}, "max_tokens":9 ,"messages":[ {"role":"user","content":"é"} ]}`,
  );
  assert.match(call.path, /\/models\/claude-x@1:rawPredict$/);
  assert.match(sent('{"model":"a"}', { isStream: true }).path, /:streamRawPredict$/);
  assert.equal(call.dropped, undefined);
});

test("whatever stands first or last is cut so that an object is left", () => {
  const texts = [
    '{"model":"a","messages":[]}',
    '{"messages":[],"model":"a","service_tier":"auto"}',
    '{"service_tier":"auto","model":"a","messages":[]}',
    '{"models":["a"],"messages":[],"service_tier":"auto","model":"a"}',
  ];
  for (const text of texts) {
    const body = JSON.parse(sent(text, { outputTokensMax: 7 }).body.toString()) as Record<string, unknown>;
    assert.deepEqual(
      Object.keys(body)
        .filter((name) => name !== "messages")
        .sort(),
      ["anthropic_version", "max_tokens"],
      text,
    );
  }
  assert.deepEqual(sent(texts[1] as string).dropped, ["service_tier"]);
  assert.equal(sent(`{${version},"model":"a"}`).body.toString(), `{${version}}`);
});

test("a mark on the whole request is put where it takes effect, or told as left out", () => {
  const mark = '"cache_control":{"type":"ephemeral"}';
  const withBlocks = (more: string) =>
    `{"model":"a",${mark},"messages":[{"role":"user","content":[{"type":"text","text":"x"${more}}]}]}`;
  const marked = sent(withBlocks(""));
  const block = `{${mark},"type":"text","text":"x"}`;
  assert.equal(marked.body.toString(), `{${version},"messages":[{"role":"user","content":[${block}]}]}`);
  assert.equal(
    sent(withBlocks(`,${mark}`))
      .body.toString()
      .split(mark).length,
    2,
  );
  const told = sent(`{"model":"a",${mark},"messages":[{"role":"user","content":"x"}]}`);
  assert.deepEqual(told.dropped, ["cache_control"]);
});

test("betas that Vertex takes go on by its names for them; others are told", () => {
  const given = [
    "claude-code-20250219",
    "interleaved-thinking-2025-05-14",
    "advanced-tool-use-2025-11-20",
    "effort-2025-11-24",
    "context-management-2025-06-27",
  ].join(",");
  const { headers, dropped } = sent('{"model":"a"}', { forwarded: { "anthropic-beta": given } });
  assert.equal(
    headers[headers.indexOf("anthropic-beta") + 1],
    "interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19,context-management-2025-06-27",
  );
  assert.deepEqual(dropped, ["claude-code-20250219", "effort-2025-11-24"]);
  assert.ok(!headers.includes("anthropic-version"));
});

test("an upstream holds no conversation, and that is told", () => {
  const { body, dropped } = sent('{"model":"a","thread":{"type":"create"},"diagnostics":null,"messages":[]}');
  assert.equal(body.toString(), `{${version},"messages":[]}`);
  assert.deepEqual(dropped, ["thread"]);
});

test("a budget of thinking follows the output that is paid for, unless it is for a whole turn", () => {
  const text = `{"model":"a","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":8000}}`;
  const thinking = (outputTokensMax: number, beta = "") => {
    const call = sent(text, { outputTokensMax, forwarded: { "anthropic-beta": beta } });
    return [JSON.parse(call.body.toString()).thinking, call.dropped];
  };
  assert.deepEqual(thinking(4_000), [{ type: "enabled", budget_tokens: 3_999 }, undefined]);
  assert.deepEqual(thinking(1_000), [{ type: "disabled" }, ["thinking.budget_tokens"]]);
  assert.deepEqual(thinking(4_000, "interleaved-thinking-2025-05-14")[0], {
    type: "enabled",
    budget_tokens: 8_000,
  });
});

test("a body with a file at an address is translated, so that the file is fetched", () => {
  const [{ mayPass }] = vertexAnthropic.formats;
  const link = '{"type":"image","source":{"type" : "url" , "url":"https://a.test/1.png"}}';
  assert.equal(mayPass(Buffer.from(`{"messages":[{"content":[${link}]}]}`)), false);
  const call = '{"type":"tool_use","input":{"url":"https://a.test"}}';
  assert.equal(mayPass(Buffer.from(`{"messages":[{"content":[${call}]}]}`)), true);
});
