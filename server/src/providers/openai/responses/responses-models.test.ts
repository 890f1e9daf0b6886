/** Which format a call at OpenAI, Azure, xAI and others is told in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import { requestOf } from "../../../gateway/dispatch/testing/fixture-rig.ts";
import { messagesFormat } from "../../../protocols/anthropic-messages/answers/answers.ts";
import type { CallerFormat } from "../../../protocols/format.ts";
import { chatFormat } from "../../../protocols/openai-chat/answers/answers.ts";
import { responsesFormat } from "../../../protocols/openai-responses/answers/answers.ts";
import { azure } from "../../azure/azure.ts";
import { codecOf, spokenFor } from "../../codec-of.ts";
import { upstreamAt } from "../../testing/passing.ts";
import { openai } from "../openai.ts";

const official = upstreamAt("https://api.openai.com/v1");
const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const messages = [{ role: "user", content: "Hi" }];
const bytes = (body: object): Buffer => Buffer.from(JSON.stringify({ messages, ...body }));

interface Call {
  readonly upstream?: Upstream;
  readonly caller?: CallerFormat;
  readonly formats?: readonly FormatId[];
  readonly body?: object;
}

function formatOf(
  model: string,
  { upstream = official, caller = chatFormat, formats, body = {} }: Call = {},
) {
  const provider = upstream.provider === "azure" ? azure : (openai.forUpstream?.(upstream) ?? openai);
  return spokenFor(provider, caller, { deployment: { model, formats }, body: bytes(body) })?.format;
}

test("chat with tools goes by Responses to models that refuse it else, and only then", () => {
  const withTools = { body: { tools } };
  const rows: readonly (readonly [model: string, call: Call, format: FormatId])[] = [
    ["gpt-5.6", withTools, "openai-responses"],
    ["gpt-5.10-mini", withTools, "openai-responses"],
    ["gpt-6", withTools, "openai-responses"],
    ["gpt-5.6", {}, "openai-chat"],
    ["gpt-5.6", { body: { tools: [] } }, "openai-chat"],
    ["gpt-5.6", { body: { messages: [{ role: "user", content: 'say "tools"' }] } }, "openai-chat"],
    ["gpt-5.6", { body: { tools, reasoning_effort: "none" } }, "openai-chat"],
    ["gpt-5.6", { body: { functions: [{ name: "f" }] } }, "openai-responses"],
    ["gpt-5.6", { body: { tools: "nonsense" } }, "openai-chat"],
    ["gpt-5.6-chat-latest", withTools, "openai-chat"],
    ["gpt-5.5", withTools, "openai-chat"],
    ["gpt-5.5", { body: { tools, reasoning_effort: "high" } }, "openai-responses"],
    ["gpt-5.1", { body: { tools, reasoning_effort: "high" } }, "openai-chat"],
    ["gpt-5-pro", {}, "openai-responses"],
    ["gpt-5.1-codex", {}, "openai-responses"],
    ["gpt-4.1", withTools, "openai-chat"],
  ];
  for (const [model, call, format] of rows)
    assert.equal(formatOf(model, call), format, `${model} ${JSON.stringify(call)}`);
});

test("callers of other formats reach such a model by Responses, others by chat", () => {
  const caller = messagesFormat;
  assert.equal(formatOf("gpt-5.6", { caller }), "openai-responses");
  assert.equal(formatOf("gpt-4.1", { caller }), "openai-chat");
  assert.equal(formatOf("gpt-4.1", { caller: responsesFormat }), "openai-responses");
});

test("who speaks Responses: OpenAI, Grok, Azure by the model's name, others where a deployment says so", () => {
  const caller = responsesFormat;
  const elsewhere = upstreamAt("https://models.example/v1");
  const at = (model: string, upstream: Upstream) => formatOf(model, { caller, upstream });
  assert.equal(at("gpt-4o-audio-preview", official), "openai-chat");
  assert.equal(at("grok-4.7", upstreamAt("https://api.x.ai/v1", { preset: "xai" })), "openai-responses");
  const cloud = upstreamAt("https://x.openai.azure.com", { provider: "azure" });
  assert.equal(at("gpt-5.1", cloud), "openai-responses");
  assert.equal(at("my-mistral", cloud), "openai-chat");
  assert.equal(at("gpt-5.1", elsewhere), "openai-chat");
  const formats = ["openai-responses"] as const;
  assert.equal(formatOf("gpt-5.1", { caller, upstream: elsewhere, formats }), "openai-responses");
  assert.equal(formatOf("m", { upstream: elsewhere, formats }), "openai-responses");
  assert.equal(formatOf("gpt-5.6", { body: { tools }, formats: ["openai-chat"] }), "openai-chat");
});

test("at Azure it is the v1 surface, whichever the base address names", () => {
  const [, spoken] = azure.formats;
  assert.ok(spoken !== undefined);
  const { encode } = codecOf(chatFormat, spoken);
  const pathAt = (baseUrl: string, more: Partial<Upstream> = {}) =>
    encode(
      requestOf({ model: "m", messages }),
      upstreamAt(baseUrl, { provider: "azure", ...more }),
      "k",
      "d",
    );
  assert.equal(pathAt("https://x.openai.azure.com").path, "/openai/v1/responses");
  assert.equal(pathAt("https://x.openai.azure.com/openai/v1").path, "/openai/v1/responses");
  const preview = pathAt("https://x.openai.azure.com/openai/v1", { options: { apiVersion: "preview" } });
  assert.equal(preview.path, "/openai/v1/responses?api-version=preview");
  assert.equal((JSON.parse(preview.body.toString()) as { model: string }).model, "d");
});
