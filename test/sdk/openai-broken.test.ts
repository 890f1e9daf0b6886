/**
 * The official `openai` package, unmodified, when an answer breaks off: streams cut by the upstream, callers
 * that leave, timeouts of the SDK's own.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError, InternalServerError } from "openai";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { streamOf } from "../behaviour/harness/openai-shapes.ts";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

let rig: SdkRig;
let client: OpenAI;

before(async () => {
  rig = await startSdkRig({ PLAZA_KEEP_ALIVE_COMMENT_MS: "1s" });
  client = new OpenAI({ baseURL: rig.product.baseUrl, apiKey: rig.key, maxRetries: 0, timeout: 20_000 });
});
after(() => rig?.stop());

const hello = [{ role: "user" as const, content: "Hello, Plaza!" }];
const ask = (modelId: string) => ({ model: modelId, messages: hello });

/** Iterates until the end or an error; keeps both. */
async function drain(
  stream: AsyncIterable<ChatCompletionChunk>,
): Promise<{ chunks: ChatCompletionChunk[]; error: unknown }> {
  const chunks: ChatCompletionChunk[] = [];
  try {
    for await (const one of stream) chunks.push(one);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}

const finishes = (chunks: readonly ChatCompletionChunk[]) =>
  chunks
    .flatMap((one) => one.choices.map((choice) => choice.finish_reason))
    .filter((reason) => reason !== null);

describe("a stream that breaks", () => {
  const breaks = [
    { name: "cut by a reset", x_rig: { tokens: 20, cutEvent: 6, how: "rst", gapMs: 5 } },
    { name: "cut inside HTTP's framing", x_rig: { tokens: 20, cutEvent: 6, how: "truncate", gapMs: 5 } },
    { name: "ended cleanly without a finish", x_rig: { tokens: 20, cutEvent: 6, how: "end", gapMs: 5 } },
    { name: "told of an error in-band", x_rig: { tokens: 20, fault: "error_in_band" } },
  ];
  for (const { name, x_rig } of breaks) {
    test(`${name}: the SDK throws an APIError and sees no finish reason`, async () => {
      const stream = await client.chat.completions.create({ ...ask("counting"), stream: true, ...{ x_rig } });
      const { chunks, error } = await drain(stream);
      assert.ok(chunks.length > 0);
      assert.ok(error instanceof APIError, `not an APIError: ${error}`);
      assert.equal(error.code, "upstream_error");
      assert.equal(error.type, "server_error");
      assert.deepEqual(finishes(chunks), []);
      const helper = client.chat.completions.stream({ ...ask("counting"), ...{ x_rig } });
      await assert.rejects(helper.finalChatCompletion(), APIError);
    });
  }

  test("broken before any content: a status, not a stream", async () => {
    for (const fault of ["reset_after_headers", "reset_before_headers"]) {
      await assert.rejects(
        client.chat.completions.create({ ...ask("counting"), stream: true, ...{ x_rig: { fault } } }),
        (error) => {
          assert.ok(error instanceof InternalServerError);
          assert.equal(error.status, 502);
          return true;
        },
      );
    }
  });
});

describe("a model that thinks for long", { concurrency: true }, () => {
  const thinking = (x_rig: Readonly<Record<string, unknown>>) => ({
    ...ask("patient"),
    stream: true as const,
    ...{ x_rig },
  });

  test("comments keep the connection alive and disturb nothing", async () => {
    const response = await client.chat.completions.create(thinking({ firstMs: 2_200 })).asResponse();
    assert.match(await response.text(), /^: .+\n\n(?:: .+\n\n)*data: /);
    const { chunks, error } = await drain(await client.chat.completions.create(thinking({ firstMs: 2_200 })));
    assert.equal(error, undefined);
    assert.deepEqual(finishes(chunks), ["stop"]);
  });

  test("and then fails: the SDK throws an APIError, although the status was sent", async () => {
    const stream = await client.chat.completions.create(thinking({ headersMs: 20_000 }));
    const { chunks, error } = await drain(stream);
    assert.deepEqual(chunks, []);
    assert.ok(error instanceof APIError);
    assert.equal(error.code, "upstream_timeout");
  });
});

/** True when the counting upstream has seen this call cancelled. */
const isCancelled = (id: string): Promise<boolean> =>
  eventually(() => rig.counting.findCall(id)?.end === "cancelled", 5_000, 5);

describe("the caller leaves", () => {
  const slow = (id: string, over: Readonly<Record<string, unknown>>) => ({
    ...ask("counting"),
    ...{ x_rig: { id, tokens: 2_000, gapMs: 20, ...over } },
  });

  test("AbortController during a stream cancels the upstream's work", async () => {
    const controller = new AbortController();
    const stream = await client.chat.completions.create(
      { ...slow("abort-stream", {}), stream: true },
      { signal: controller.signal },
    );
    const { error } = await drain(
      (async function* () {
        for await (const one of stream) {
          yield one;
          controller.abort();
        }
      })(),
    );
    assert.ok(error === undefined || error instanceof APIUserAbortError);
    assert.ok(await isCancelled("abort-stream"));
  });

  test("leaving the loop cancels too", async () => {
    const stream = await client.chat.completions.create({ ...slow("break", {}), stream: true });
    for await (const _one of stream) break;
    assert.ok(await isCancelled("break"));
  });

  test("AbortController while waiting for a whole answer", async () => {
    const controller = new AbortController();
    const call = client.chat.completions.create(slow("abort-whole", { headersMs: 20_000 }), {
      signal: controller.signal,
    });
    assert.ok(await eventually(() => rig.counting.findCall("abort-whole") !== undefined, 5_000, 5));
    controller.abort();
    await assert.rejects(call, APIUserAbortError);
    assert.ok(await isCancelled("abort-whole"));
  });

  test("the SDK's timeout cancels the upstream's work, once per attempt", async () => {
    const call = client.chat.completions.create(slow("timeout", { headersMs: 20_000 }), {
      timeout: 300,
      maxRetries: 1,
    });
    await assert.rejects(call, APIConnectionTimeoutError);
    const mine = () => rig.counting.calls().filter((one) => one.id === "timeout");
    assert.ok(
      await eventually(() => mine().length === 2 && mine().every((one) => one.end === "cancelled"), 5_000, 5),
    );
  });

  test("other calls go on", async () => {
    rig.scripted.answerWith({ events: streamOf([{ content: "still here" }]) });
    const final = await client.chat.completions.stream(ask("scripted")).finalChatCompletion();
    assert.equal(final.choices[0]?.message.content, "still here");
  });
});
