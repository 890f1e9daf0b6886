/**
 * Chat upstreams for callers of other formats: what each service is sent of one conversation, and what it
 * refuses, under the caller's names.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { createTestMemory } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { messagesFormat } from "../../protocols/anthropic-messages/answers/answers.ts";
import type { CallerFormat } from "../../protocols/format.ts";
import { responsesFormat } from "../../protocols/openai-responses/answers/answers.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { Untranslatable } from "../../protocols/untranslatable.ts";
import { azure } from "../azure/azure.ts";
import { codecOf } from "../codec-of.ts";
import { presets } from "../presets/presets.ts";
import { openai } from "./openai.ts";

type Fields = Record<string, unknown>;

const upstreamOf = (preset: string | undefined, baseUrl = "https://api.test/v1"): Upstream => ({
  id: "up",
  provider: "openai",
  preset,
  baseUrl,
  credentials: ["key"],
  timeouts: defaultTimeouts,
});

const requestOf = (body: Fields, more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  body: Buffer.from(JSON.stringify(body)),
  spans: {},
  isStream: body["stream"] === true,
  nowMs: 0,
  memory: createTestMemory(),
  ...more,
});

function codecAt(upstream: Upstream, caller: CallerFormat = messagesFormat) {
  const [spoken] = (openai.forUpstream?.(upstream) ?? openai).formats;
  assert.ok(spoken !== undefined);
  return codecOf(caller, spoken);
}

function sentTo(upstream: Upstream, body: Fields, model = "m", more: Partial<ProviderRequest> = {}) {
  const call = codecAt(upstream).encode(requestOf(body, more), upstream, "key", model);
  return { call, sent: JSON.parse(call.body.toString()) as Fields };
}

const asked = { model: "public", max_tokens: 900, messages: [{ role: "user", content: "Hi" }] };
const official = upstreamOf(undefined, "https://api.openai.com/v1");

test("a conversation is written as chat, with what is always asked for and nothing of the caller's names", () => {
  const { call, sent } = sentTo(official, { ...asked, system: "Be brief.", stream: true }, "gpt-5.1");
  assert.equal(call.path, "/v1/chat/completions");
  assert.deepEqual(sent, {
    model: "gpt-5.1",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ],
    max_completion_tokens: 900,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("the output is cut down to what is paid for, under the name the upstream knows", () => {
  assert.equal(sentTo(official, asked, "m", { outputTokensMax: 100 }).sent["max_completion_tokens"], 100);
  assert.equal(sentTo(upstreamOf("deepseek"), asked, "m", { outputTokensMax: 100 }).sent["max_tokens"], 100);
  assert.equal(sentTo(upstreamOf("vllm"), asked, "m").sent["max_tokens"], 900);
});

test("how much to think is said in words the model has; what has none is told as left out", () => {
  const thinking = { ...asked, thinking: { type: "enabled", budget_tokens: 16_000 } };
  const effortOf = (model: string) => {
    const { sent, call } = sentTo(official, thinking, model);
    return [sent["reasoning_effort"], call.dropped];
  };
  assert.deepEqual(effortOf("gpt-5.1"), ["medium", undefined]);
  assert.deepEqual(effortOf("o4-mini"), ["medium", undefined]);
  assert.deepEqual(effortOf("gpt-4.1"), [undefined, ["output_config.effort"]]);
});

test("a service's own rules hold for what was written, and what they leave out is told in the caller's words", () => {
  const { sent, call } = sentTo(upstreamOf("mistral"), {
    ...asked,
    metadata: { user_id: "u1" },
    tools: [{ name: "f", input_schema: { type: "object" } }],
    tool_choice: { type: "any" },
    messages: [
      ...asked.messages,
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_0123456789", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_0123456789", content: "ok" }] },
    ],
  });
  assert.equal(sent["tool_choice"], "any");
  assert.equal(sent["safety_identifier"], undefined);
  assert.deepEqual(call.dropped, ["metadata.user_id"]);
  const messages = sent["messages"] as { tool_call_id?: string }[];
  assert.match(messages.at(-1)?.tool_call_id ?? "", /^[A-Za-z0-9]{9}$/);
});

test("what a service refuses is refused under the caller's name", () => {
  const refused = () =>
    sentTo(upstreamOf("perplexity"), { ...asked, tools: [{ name: "f", input_schema: { type: "object" } }] });
  assert.throws(refused, (error) => error instanceof Untranslatable && error.param === "tools");
  const upstream = upstreamOf("deepseek");
  const codec = codecAt(upstream, responsesFormat);
  const body = { model: "m", input: "Hi", seed: 5 };
  assert.throws(
    () => codec.encode(requestOf(body), upstream, "key", "m"),
    (error) => error instanceof Untranslatable && error.param === "seed",
  );
});

test("thoughts a service wants back are sent back under its name", () => {
  const thought = { type: "thinking", thinking: "Which one?", signature: "" };
  const { sent } = sentTo(upstreamOf("deepseek"), {
    ...asked,
    tools: [{ name: "f", input_schema: { type: "object" } }],
    messages: [
      ...asked.messages,
      { role: "assistant", content: [thought, { type: "tool_use", id: "toolu_1", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
    ],
  });
  const [, said] = sent["messages"] as Fields[];
  assert.equal(said?.["reasoning_content"], "Which one?");
});

test("marks of the prompt cache go to routes to Claude alone", () => {
  const marked = {
    ...asked,
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
    ],
  };
  const has = (preset: string | undefined, model: string) =>
    JSON.stringify(sentTo(upstreamOf(preset), marked, model).sent).includes("cache_control");
  assert.deepEqual(
    [
      has("openrouter", "anthropic/claude-sonnet-4.5"),
      has("openrouter", "openai/gpt-5"),
      has("groq", "claude"),
    ],
    [true, false, false],
  );
});

test("services whose sampling knows top_k get it; others leave it out or refuse it", () => {
  const takers = presets.filter(({ provider, id }) => {
    if (provider !== "openai") return false;
    try {
      return sentTo(upstreamOf(id), { ...asked, top_k: 5 }).sent["top_k"] === 5;
    } catch (error) {
      assert.ok(error instanceof Untranslatable, id);
      return false;
    }
  });
  assert.deepEqual(takers.map(({ id }) => id).sort(), [
    "fireworks",
    "llamacpp",
    "lmstudio",
    "openrouter",
    "qwen",
    "sglang",
    "siliconflow",
    "together",
    "vllm",
  ]);
});

test("at Azure the deployment's path and the key's header are chat's own", () => {
  const upstream = { ...upstreamOf(undefined, "https://x.openai.azure.com/openai/v1"), provider: "azure" };
  const [spoken] = azure.formats;
  assert.ok(spoken !== undefined);
  const call = codecOf(messagesFormat, spoken).encode(requestOf(asked), upstream, "key", "dep");
  assert.equal(call.path, "/openai/v1/chat/completions");
  assert.ok(call.headers.includes("api-key"));
  assert.equal((JSON.parse(call.body.toString()) as Fields)["max_completion_tokens"], 900);
});

test("answers go through the service's rules first, streamed and whole", () => {
  const upstream = upstreamOf("groq");
  const { translation } = codecAt(upstream);
  assert.ok(translation !== undefined);
  const request = requestOf({ ...asked, thinking: { type: "enabled", budget_tokens: 2_000 } });
  const context = { id: "msg_1", createdSeconds: 0, model: "m", request };
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const whole = translation.whole(
    Buffer.from(
      JSON.stringify({
        model: "m",
        choices: [
          { index: 0, message: { role: "assistant", content: "Yes", reasoning: "Hm" }, finish_reason: "eos" },
        ],
        usage,
      }),
    ),
    context,
  );
  const { content, stop_reason } = JSON.parse(whole?.toString() ?? "null") as {
    content: Fields[];
    stop_reason: string;
  };
  assert.deepEqual(
    content.map((block) => block["thinking"] ?? block["text"]),
    ["Hm", "Yes"],
  );
  assert.equal(stop_reason, "end_turn");
  const stream = translation.stream(context);
  const chunk = (delta: Fields, finish_reason: string | null = null) =>
    Buffer.from(`data: ${JSON.stringify({ model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  const out = Buffer.concat([
    stream.push(chunk({ reasoning: "Hm" })),
    stream.push(chunk({ content: "Yes" })),
    stream.push(chunk({}, "eos")),
    stream.push(Buffer.from(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)),
    stream.end(),
  ]).toString();
  assert.match(out, /"thinking_delta","thinking":"Hm"/);
  assert.match(out, /"text_delta","text":"Yes"/);
  assert.match(out, /event: message_stop/);
});
