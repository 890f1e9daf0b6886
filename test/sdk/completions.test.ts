/**
 * Legacy completions with the official `openai` packages for JavaScript and Python, unmodified, against a
 * first start's demo model and an upstream that fails.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import { model, openaiUpstream } from "../behaviour/harness/catalogs.ts";
import { textChunk, textCompletion } from "../behaviour/harness/completion-shapes.ts";
import { openaiError } from "../behaviour/harness/openai-shapes.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { startProcess } from "../rigs/harness/processes/processes.ts";
import { pythonFolder, pythonWith, whyNoPython } from "./python.ts";

let product: Product;
let failing: Product;
let scripted: ScriptedUpstream;
let client: OpenAI;
let atFailing: OpenAI;

before(async () => {
  product = await startProduct();
  client = new OpenAI({ baseURL: product.baseUrl, apiKey: product.firstKey, maxRetries: 0, timeout: 20_000 });
  scripted = await startScriptedUpstream();
  failing = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("scripted", scripted.baseUrl)],
      models: [{ ...model("text", ["scripted", "upstream-model"]), operations: ["completion"] }],
    },
  });
  const { key } = await failing.createKey(await failing.createAccount());
  atFailing = new OpenAI({ baseURL: failing.baseUrl, apiKey: key, maxRetries: 0, timeout: 20_000 });
});
after(async () => {
  await product?.stop();
  await failing?.stop();
  await scripted?.stop();
});

const demo = "demo-completion";

test("a first start lists the model with what it is for", async () => {
  const { operations } = (await client.models.retrieve(demo)) as unknown as { operations: string[] };
  assert.deepEqual(operations, ["completion"]);
});

describe("JavaScript", () => {
  test("a whole answer: text, usage, request id; 16 tokens where nothing is said", async () => {
    const answer = await client.completions.create({ model: demo, prompt: "Once upon a time" });
    assert.equal(answer.object, "text_completion");
    assert.match(answer.id, /^cmpl-/);
    assert.equal(answer.choices.length, 1);
    assert.ok((answer.choices[0]?.text ?? "").length > 0);
    assert.equal(answer.choices[0]?.finish_reason, "length");
    assert.equal(answer.usage?.completion_tokens, 16);
    assert.match(answer._request_id ?? "", /^req_/);
  });

  test("a stream says the same, and its usage where it was asked for", async () => {
    const asked = { model: demo, prompt: ["a", "b"], n: 2, max_tokens: 4, echo: true };
    const whole = await client.completions.create(asked);
    for (const include_usage of [false, true]) {
      const texts = ["", "", "", ""];
      let usage: OpenAI.CompletionUsage | undefined;
      const stream = await client.completions.create({
        ...asked,
        stream: true,
        ...(include_usage ? { stream_options: { include_usage } } : {}),
      });
      for await (const chunk of stream) {
        usage = chunk.usage ?? usage;
        for (const { index, text } of chunk.choices) texts[index] += text;
      }
      assert.deepEqual(
        texts,
        whole.choices.map(({ text }) => text),
      );
      assert.deepEqual(usage, include_usage ? whole.usage : undefined);
    }
  });

  test("token numbers, and a suffix", async () => {
    const { choices } = await client.completions.create({
      model: demo,
      prompt: [[1, 2], [3]],
      suffix: "end",
      max_tokens: 2,
    });
    assert.deepEqual(
      choices.map(({ index }) => index),
      [0, 1],
    );
  });

  test("a refusal, and a model for chats", async () => {
    const none = { model: demo, prompt: {} as unknown as string };
    await assert.rejects(client.completions.create(none), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      return error.param === "prompt" && error.code === "invalid_type";
    });
    await assert.rejects(client.completions.create({ model: "demo", prompt: "Hi" }), {
      status: 400,
      code: "wrong_endpoint",
    });
  });

  test("a stream that breaks throws, whatever was sent before", async () => {
    const begun = [textChunk(" Hel"), textChunk("lo")];
    const broken = [
      { events: begun, ending: "cut" as const },
      { events: [...begun, "[DONE]"] },
      { events: [...begun, openaiError("busy", { type: "server_error" })] },
    ];
    for (const answer of broken) {
      scripted.answerWith(answer);
      const stream = await atFailing.completions.create({ model: "text", prompt: "Hi", stream: true });
      const seen: string[] = [];
      await assert.rejects(async () => {
        for await (const { choices } of stream) seen.push(choices[0]?.text ?? "");
      }, OpenAI.APIError);
      assert.deepEqual(seen, [" Hel", "lo"]);
    }
  });

  test("an upstream that is busy once is no error for a client that repeats", async () => {
    scripted.answerWith({ status: 429, body: openaiError("slow down") }, { body: textCompletion(" Hello") });
    const patient = atFailing.withOptions({ maxRetries: 3 });
    const { choices } = await patient.completions.create({ model: "text", prompt: "Hi" });
    assert.equal(choices[0]?.text, " Hello");
  });
});

test("Python: whole, streamed, and a refusal", { skip: whyNoPython, timeout: 180_000 }, async () => {
  const python = await pythonWith("requirements-openai.txt");
  const running = startProcess(python, [`${pythonFolder}completions.py`]);
  running.child.stdin?.end(JSON.stringify({ baseUrl: product.baseUrl, key: product.firstKey, model: demo }));
  assert.equal(await running.ended, 0, running.stderr().slice(-2_000));
  const told = JSON.parse(running.stdout()) as {
    object: string;
    texts: string[];
    finish: string[];
    usage: object;
    streamed: string[];
    streamedUsage: object;
    refusal: object;
  };
  assert.equal(told.object, "text_completion");
  assert.deepEqual([told.texts.length, new Set(told.finish)], [4, new Set(["length"])]);
  assert.ok(told.texts[0]?.startsWith("Once") && told.texts[3]?.startsWith("upon"));
  assert.deepEqual(told.streamed, told.texts);
  assert.deepEqual(told.streamedUsage, told.usage);
  assert.deepEqual(told.refusal, { param: "prompt", code: "invalid_type" });
});
