import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import { messagesFormat } from "../../../protocols/anthropic-messages/answers/answers.ts";
import type { CallerFormat } from "../../../protocols/format.ts";
import { chatFormat } from "../../../protocols/openai-chat/answers/answers.ts";
import { loadProviders, providerFor } from "../../../providers/index.ts";
import type { Provider } from "../../../providers/provider.ts";
import { chat } from "../../endpoints/chat/chat.ts";
import { completions } from "../../endpoints/completions/completions.ts";
import { embeddings } from "../../endpoints/embeddings/embeddings.ts";
import { wayOf as wayOfCall } from "./way.ts";

await loadProviders(["openai", "anthropic", "bedrock", "demo"]);

const liveAt = (provider: string) => {
  const upstream: Upstream = {
    id: "one",
    provider,
    baseUrl: "https://upstream.test/v1",
    credentials: ["key"],
    timeouts: defaultTimeouts,
  };
  const found = providerFor(upstream);
  assert.ok(found !== undefined);
  return { provider: found, upstream };
};

const asked = (format: CallerFormat) => ({ operation: "chat", protocol: { format } }) as const;

const call = { deployment: { model: "m" }, body: Buffer.from("{}") };
const wayOf = (provider: Provider, endpoint: Parameters<typeof wayOfCall>[1]) =>
  wayOfCall(provider, endpoint, call);

test("callers of the upstream's own format are passed on, others translated", () => {
  const { provider } = liveAt("openai");
  const plain = wayOf(provider, chat);
  assert.equal(plain.isPlain, true);
  assert.equal(plain.translation, undefined);
  const translated = wayOf(provider, asked(messagesFormat));
  assert.equal(translated.isPlain, false);
  assert.ok(translated.translation !== undefined);
  assert.notEqual(translated.single, plain.single);
});

test("a way is made once for each provider and format", () => {
  const { provider } = liveAt("anthropic");
  const way = wayOf(provider, asked(chatFormat));
  assert.equal(wayOf(provider, chat), way);
  assert.notEqual(wayOf(provider, asked(messagesFormat)), way);
  assert.notEqual(wayOf(liveAt("openai").provider, chat), way);
});

test("a provider without a network plays for chat, and for others through chat", () => {
  const { provider } = liveAt("demo");
  assert.equal(wayOf(provider, chat).translation, undefined);
  assert.equal(wayOf(provider, chat).isPlain, true);
  const { script, translation } = wayOf(provider, asked(messagesFormat));
  assert.ok(script !== undefined && translation !== undefined);
});

test("what asks no conversation is served by operation, or not at all", () => {
  assert.ok(wayOf(liveAt("openai").provider, completions).single !== undefined);
  assert.ok(wayOf(liveAt("bedrock").provider, embeddings).batch !== undefined);
  const { single, batch, script } = wayOf(liveAt("anthropic").provider, completions);
  assert.deepEqual([single, batch, script], [undefined, undefined, undefined]);
});

test("what no upstream can read keeps a body from passing", () => {
  const { provider } = liveAt("anthropic");
  const at = (body: string) =>
    wayOfCall(provider, asked(messagesFormat), { ...call, body: Buffer.from(body) });
  assert.equal(at("{}").translation, undefined);
  assert.equal(at("{}"), at('{"model":"m"}'));
  assert.ok(at('{"signature":"plaza-thinking-1.e30"}').translation !== undefined);
});

test("a deployment says which formats its upstream speaks for the model", () => {
  const { provider } = liveAt("anthropic");
  const at = (formats: readonly FormatId[]) =>
    wayOfCall(provider, asked(messagesFormat), { ...call, deployment: { model: "m", formats } });
  assert.ok(at(["gemini", "anthropic-messages"]).single !== undefined);
  assert.equal(at(["gemini"]).single, undefined);
});
