/**
 * Anthropic's official SDKs for JavaScript and Python, unmodified, against the product, with upstreams of all
 * four wire formats behind it: whole answers, the stream helper, the tool runner, counting, models, betas,
 * typed errors and the SDK's own retries.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { geminiResponse, geminiText } from "../behaviour/harness/gemini-shapes.ts";
import {
  messageEnd,
  messageStart,
  streamOf as messagesStream,
  messagesUsage,
  textBlock,
  textMessage,
  wholeMessage,
} from "../behaviour/harness/messages-shapes.ts";
import {
  streamOf as chatStream,
  completion,
  openaiError,
  toolCall,
} from "../behaviour/harness/openai-shapes.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import {
  functionCallItem,
  messageItem,
  response,
  streamOf as responsesStream,
  textResponse,
} from "../behaviour/harness/responses-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../behaviour/harness/scripted-upstream.ts";
import { startProcess } from "../rigs/harness/processes/processes.ts";
import { pythonFolder, pythonWith, whyNoPython } from "./python.ts";

const names = ["claude", "gpt", "gpt-responses", "gemini"] as const;
type Name = (typeof names)[number];

let upstream: ScriptedUpstream;
let product: Product;
let key: string;
let client: Anthropic;

before(async () => {
  upstream = await startScriptedUpstream();
  const origin = upstream.baseUrl.replace(/\/v1$/, "");
  const of = (id: string, provider: string, baseUrl: string) => ({
    ...openaiUpstream(id, baseUrl),
    provider,
  });
  const spoken = {
    ...model("gpt-responses", ["gpt", "upstream-model"]),
    deployments: [{ upstream: "gpt", model: "upstream-model", formats: ["openai-responses"] }],
  };
  product = await startProduct({
    catalog: {
      upstreams: [
        of("claude", "anthropic", upstream.baseUrl),
        of("gpt", "openai", upstream.baseUrl),
        of("gemini", "google", `${origin}/v1beta`),
        // What failed is remembered of an upstream.
        ...["busy", "overloaded"].map((id) => of(id, "anthropic", upstream.baseUrl)),
      ],
      models: [
        ...["claude", "gpt", "gemini", "busy", "overloaded"].map((id) => model(id, [id, "upstream-model"])),
        spoken,
      ],
    },
  });
  ({ key } = await product.createKey(await product.createAccount()));
  client = clientWith();
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

const clientWith = (more: object = {}): Anthropic =>
  new Anthropic({ baseURL: product.origin, apiKey: key, maxRetries: 0, timeout: 20_000, ...more });

const ask = (id: string) => ({
  model: id,
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Say it." }],
});

const answers: Readonly<Record<Name, { readonly whole: object; readonly stream: ScriptedAnswer }>> = {
  claude: {
    whole: wholeMessage([textBlock("Hello")]),
    stream: messagesStream(textMessage("Hel", "lo")),
  },
  gpt: {
    whole: completion({ message: { content: "Hello" } }),
    stream: { events: chatStream([{ content: "Hel" }, { content: "lo" }]) },
  },
  "gpt-responses": {
    whole: response([messageItem("Hello")]),
    stream: responsesStream(textResponse(["Hel", "lo"])),
  },
  gemini: {
    whole: geminiResponse([geminiText("Hello")], "STOP"),
    stream: {
      events: [geminiResponse([geminiText("Hel")]), geminiResponse([geminiText("lo")], "STOP")],
    },
  },
};

/** A call of the tool `add`, as each upstream makes it. */
const calls: Readonly<Record<Name, object>> = {
  claude: wholeMessage([{ type: "tool_use", id: "call_1", name: "add", input: { a: 2, b: 3 } }], {
    stop_reason: "tool_use",
  }),
  gpt: completion({
    message: { tool_calls: [toolCall("call_1", "add", { a: 2, b: 3 })] },
    finish: "tool_calls",
  }),
  "gpt-responses": response([functionCallItem("call_1", "add", { a: 2, b: 3 })]),
  gemini: geminiResponse([{ functionCall: { id: "call_1", name: "add", args: { a: 2, b: 3 } } }], "STOP"),
};

for (const name of names) {
  describe(`an upstream that speaks as ${name} does`, () => {
    test("a whole answer, its usage and its request id", async () => {
      upstream.answerWith({ body: answers[name].whole });
      const message = await client.messages.create(ask(name));
      assert.deepEqual(
        message.content.map((block) => (block.type === "text" ? block.text : block.type)),
        ["Hello"],
      );
      assert.deepEqual(
        [message.type, message.role, message.stop_reason],
        ["message", "assistant", "end_turn"],
      );
      assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
      assert.match(message._request_id ?? "", /^req_/);
    });

    test("the stream helper: its texts, its final message, its usage", async () => {
      upstream.answerWith(answers[name].stream);
      const stream = client.messages.stream(ask(name));
      const texts: string[] = [];
      stream.on("text", (text) => texts.push(text));
      const message = await stream.finalMessage();
      assert.equal(texts.join(""), "Hello");
      assert.equal(await stream.finalText(), "Hello");
      assert.equal(message.stop_reason, "end_turn");
      assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
      assert.match(stream.request_id ?? "", /^req_/);
    });

    test("the tool runner: its tool is run, the whole conversation goes back, the text comes", async () => {
      upstream.answerWith({ body: calls[name] }, { body: answers[name].whole });
      const asked: object[] = [];
      const add = betaTool({
        name: "add",
        description: "Adds two numbers.",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        run: ({ a, b }) => {
          asked.push({ a, b });
          return `sum ${a + b}`;
        },
      });
      const message = await client.beta.messages.toolRunner({ ...ask(name), tools: [add] });
      assert.deepEqual(asked, [{ a: 2, b: 3 }]);
      assert.deepEqual(
        message.content.map((block) => (block.type === "text" ? block.text : block.type)),
        ["Hello"],
      );
      assert.equal(upstream.calls.length, 2);
      // The runner asks for a conversation held by the server, and sends all of it where there is none.
      for (const part of ["Say it.", "add", "sum 5"]) assert.ok(upstream.calls[1]?.text.includes(part), part);
      for (const { text } of upstream.calls) assert.ok(!text.includes('"thread"'), text);
    });
  });
}

test("a thread of the SDK's own: each turn has all that was said before", async () => {
  const turn = (text: string): ScriptedAnswer => ({
    body: wholeMessage([textBlock(text)], { id: `msg_${text}` }),
  });
  upstream.answerWith(turn("One"), turn("Two"), turn("Three"));
  const { messages: _, ...rest } = ask("claude");
  const thread = client.beta.messages.thread({ ...rest, system: "Be brief." });
  for (const [index, text] of ["a", "b", "c"].entries()) {
    await thread.send({ role: "user", content: text });
    const sent = upstream.calls[index]?.body as { messages: unknown[]; system: unknown };
    assert.deepEqual([sent.messages.length, sent.system], [index * 2 + 1, "Be brief."]);
  }
  assert.equal(upstream.calls.length, 3);
});

test("tokens are counted where an upstream counts; where none does it is not found", async () => {
  upstream.answerWith({ body: { input_tokens: 412 } });
  const { model: id, messages } = ask("claude");
  const counted = await client.messages.countTokens({ model: id, messages, system: "Be brief." });
  assert.equal(counted.input_tokens, 412);
  await assert.rejects(client.messages.countTokens({ model: "gpt", messages }), NotFoundError);
});

test("models are listed in pages the SDK reads, and one by its id", async () => {
  const ids: string[] = [];
  for await (const one of client.models.list({ limit: 2 })) {
    assert.equal(one.type, "model");
    assert.ok(one.display_name !== "" && !Number.isNaN(Date.parse(one.created_at)));
    ids.push(one.id);
  }
  assert.deepEqual(ids.sort(), ["busy", "claude", "gemini", "gpt", "gpt-responses", "overloaded"]);
  assert.equal((await client.models.retrieve("claude")).id, "claude");
});

test("errors of the models' paths are the SDK's own, of the type and with the id that messages have", async () => {
  const found = await client.models.retrieve("claude").withResponse();
  assert.match(String(found.request_id), /^req_/);
  const bad = new Anthropic({ apiKey: "sk-bad", baseURL: product.origin, maxRetries: 0 });
  const rows = [
    [() => client.models.retrieve("nope"), NotFoundError, "not_found_error"],
    [() => client.beta.models.retrieve("nope"), NotFoundError, "not_found_error"],
    [() => bad.models.list(), AuthenticationError, "authentication_error"],
    [() => bad.models.retrieve("claude"), AuthenticationError, "authentication_error"],
  ] as const;
  for (const [call, kind, type] of rows) {
    const error = await Promise.resolve(call()).then(
      () => assert.fail("accepted"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof kind, String(error));
    assert.equal(error.type, type);
    assert.match(String(error.requestID), /^req_/);
    const { request_id: told } = error.error as { request_id?: string };
    assert.equal(told, error.requestID);
  }
});

test("betas of beta.messages reach an upstream of Messages", async () => {
  upstream.answerWith({ body: answers.claude.whole });
  const betas = ["context-management-2025-06-27", "made-up-2030-01-01"];
  const message = await client.beta.messages.create({
    ...ask("claude"),
    betas,
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
  });
  assert.equal(message.stop_reason, "end_turn");
  assert.equal(upstream.calls[0]?.headers["anthropic-beta"], betas.join(","));
  assert.ok("context_management" in (upstream.calls[0]?.body ?? {}));
});

describe("errors are the SDK's own classes", () => {
  test("of what Plaza refuses, with type, code and request id", async () => {
    const wrong = clientWith({ apiKey: "sk-plaza-wrong" });
    await assert.rejects(wrong.messages.create(ask("claude")), AuthenticationError);
    await assert.rejects(client.messages.create(ask("none")), NotFoundError);
    const { key: poor } = await product.createKey(await product.createAccount(), [
      "--budget",
      "0.000001/month",
    ]);
    await assert.rejects(clientWith({ apiKey: poor }).messages.create(ask("claude")), PaymentRequiredError);
    await assert.rejects(client.messages.create({ ...ask("claude"), messages: [] }), (error) => {
      assert.ok(error instanceof BadRequestError);
      assert.equal(error.type, "invalid_request_error");
      assert.match(error.message, /messages/);
      assert.match(error.requestID ?? "", /^req_/);
      return true;
    });
  });

  test("of what an upstream of another format refuses, and in a stream", async () => {
    upstream.answerWith({
      status: 400,
      body: openaiError("Too long.", { code: "context_length_exceeded" }),
    });
    await assert.rejects(client.messages.create(ask("gpt")), (error) => {
      assert.ok(error instanceof BadRequestError);
      assert.match(error.message, /prompt is too long/);
      return true;
    });
    upstream.answerWith({
      ...messagesStream([
        messageStart(),
        { type: "content_block_start", index: 0, content_block: textBlock("") },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
      ]),
      ending: "cut",
    });
    await assert.rejects(client.messages.stream(ask("claude")).finalMessage(), (error) => {
      assert.ok(error instanceof APIError);
      assert.match(String(error.message), /api_error/);
      return true;
    });
  });
});

describe("the SDK tries again", () => {
  const error = (type: string) => ({ type: "error", error: { type, message: "Later." } });
  const rows = [
    ["busy", 429, "rate_limit_error"],
    ["overloaded", 529, "overloaded_error"],
  ] as const;
  for (const [id, status, type] of rows)
    test(`after ${status}, as often as it was told, and is charged once`, async () => {
      const refusal = { status, headers: { "retry-after": "0.1" }, body: error(type) };
      upstream.answerWith(refusal, { body: answers.claude.whole });
      const message = await clientWith({ maxRetries: 2 }).messages.create(ask(id));
      assert.equal(message.usage.output_tokens, messagesUsage.output_tokens);
      assert.equal(upstream.calls.length, 2);
    });

  test("not after what no repeat helps", async () => {
    upstream.answerWith({ status: 400, body: error("invalid_request_error") });
    await assert.rejects(clientWith({ maxRetries: 2 }).messages.create(ask("claude")), BadRequestError);
    assert.equal(upstream.calls.length, 1);
    assert.ok(RateLimitError.prototype instanceof APIError);
  });
});

test("thinking that is hidden is one block with its signature alone", async () => {
  const thinking = { type: "thinking", thinking: "", signature: "" };
  const delta = { type: "signature_delta", signature: "EqQB" };
  upstream.answerWith(
    messagesStream([
      messageStart(),
      { type: "content_block_start", index: 0, content_block: thinking },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: textBlock("") },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 1 },
      ...messageEnd(),
    ]),
  );
  const { content } = await client.messages
    .stream({ ...ask("claude"), thinking: { type: "adaptive", display: "omitted" } })
    .finalMessage();
  assert.deepEqual(JSON.parse(JSON.stringify(content)), [
    { ...thinking, signature: "EqQB" },
    textBlock("Hi"),
  ]);
});

test("Python's anthropic reads answers, streams, models and errors of each", {
  skip: whyNoPython,
}, async () => {
  const python = await pythonWith("requirements-pydantic-ai.txt");
  upstream.answerWith(...names.flatMap((name) => [{ body: answers[name].whole }, answers[name].stream]), {
    body: { input_tokens: 412 },
  });
  const running = startProcess(python, [`${pythonFolder}messages.py`]);
  running.child.stdin?.end(JSON.stringify({ origin: product.origin, key, models: names }));
  assert.equal(await running.ended, 0, running.stderr().slice(-2_000));
  const seen = JSON.parse(running.stdout()) as Record<string, unknown>;
  assert.deepEqual(seen, {
    whole: names.map(() => ["Hello", "end_turn", true]),
    streamed: names.map(() => ["Hello", "Hello", "end_turn", true]),
    counted: 412,
    models: ["busy", "claude", "gemini", "gpt", "gpt-responses", "overloaded"],
    errors: ["AuthenticationError", "NotFoundError", "BadRequestError"],
  });
});
