/**
 * OpenAI's SDK, unmodified, reads the streams and answers that Plaza writes in the Responses format: its
 * stream helper, which holds every event to its order, its plain stream, and its parser of whole answers.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI, { APIError } from "openai";
import type { AnswerSink } from "../../server/src/conversation/answer.ts";
import { createRequestReader } from "../../server/src/protocols/openai-responses/decode-request.ts";
import { ResponseWriter } from "../../server/src/protocols/openai-responses/encode-answer.ts";
import { failedEnd } from "../../server/src/protocols/openai-responses/errors.ts";
import { responsesRepair } from "../../server/src/protocols/openai-responses/repair/repair.ts";
import {
  headOf,
  randomOf,
  sayRandom,
  usage,
} from "../../server/src/protocols/openai-responses/testing/answers.ts";
import type { AnswerContext } from "../../server/src/protocols/protocol.ts";
import { responsesLies } from "../behaviour/bugs/lies-of-responses.ts";

/** A client whose every call is answered by these bytes. */
function clientOf(bytes: Buffer, type = "text/event-stream"): OpenAI {
  return new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1:9/v1",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(bytes), {
        status: 200,
        headers: { "content-type": `${type}; charset=utf-8` },
      }),
  });
}

function write(say: (sink: AnswerSink) => void, isStream: boolean, head = headOf()): Buffer {
  const writer = new ResponseWriter(head, isStream);
  say(writer);
  if (!isStream) return writer.build() ?? Buffer.alloc(0);
  writer.close();
  // What is for the gateway alone goes to nobody.
  return Buffer.from(
    writer
      .take()
      .toString()
      .replace(/event: plaza\.usage\n.*\n\n/g, ""),
  );
}

const request = { model: "m", input: "Q" } as const;

/** What callers of Responses get of an upstream that leaves things out. */
function mended(bytes: Buffer): Buffer {
  const context = { id: "resp_req_1", createdSeconds: 7, model: "m" } as AnswerContext;
  const stream = responsesRepair.stream(context);
  return Buffer.concat([stream.push(bytes), stream.end()]);
}

async function both(say: (sink: AnswerSink) => void, head = headOf()) {
  const streamed = await clientOf(write(say, true, head))
    .responses.stream(request)
    .finalResponse();
  const whole = await clientOf(write(say, false, head), "application/json").responses.create(request);
  return { streamed, whole };
}

describe("openai (Node) on what Plaza writes", () => {
  test("text, thoughts, calls: the stream's response is the whole one", async () => {
    const { streamed, whole } = await both((sink) => {
      sink.reasoning("Hm");
      sink.text("Hi ");
      sink.citation({ url: "https://a.test", title: "A", start: 0, end: 2 });
      sink.text("there");
      sink.refusal("No.");
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolArguments(0, '{"x":1}');
      sink.customCall(1, { id: "b", name: "patch", input: "*** Begin" });
      sink.image("image/png", "AAAA");
      sink.finish("tool_calls");
      sink.usage(usage);
    });
    assert.equal(streamed.output_text, "Hi there");
    assert.equal(whole.output_text, "Hi there");
    assert.equal(streamed.status, "completed");
    assert.equal(streamed.usage?.input_tokens_details.cached_tokens, 1);
    assert.deepEqual(
      streamed.output.map(({ type }) => type),
      ["reasoning", "message", "function_call", "custom_tool_call", "image_generation_call"],
    );
    // The stream helper puts parsed arguments beside each call.
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (key, one) =>
          key === "parsed_arguments" || key === "parsed" ? undefined : one,
        ),
      );
    assert.deepEqual(plain(streamed.output), plain(whole.output));
  });

  test("calls of tools that became functions are the items of those tools", async () => {
    const tools = [{ type: "shell", environment: { type: "local" } }, { type: "apply_patch" }];
    const { toolNames } = createRequestReader()(Buffer.from(JSON.stringify({ ...request, tools })));
    const { streamed, whole } = await both((sink) => {
      sink.text("Look.");
      sink.toolCall(0, { id: "a", name: "shell" });
      sink.toolCall(1, { id: "b", name: "apply_patch" });
      sink.toolArguments(1, '{"type":"delete_file","path":"x"}');
      sink.toolArguments(0, '{"commands":["ls"]}');
      sink.finish("tool_calls");
    }, headOf({ toolNames }));
    assert.deepEqual(streamed.output.slice(1), whole.output.slice(1));
    const [, shell, patch] = streamed.output;
    assert.ok(shell?.type === "shell_call" && patch?.type === "apply_patch_call");
    assert.deepEqual([shell.call_id, shell.action.commands], ["a", ["ls"]]);
    assert.deepEqual([patch.call_id, patch.operation], ["b", { type: "delete_file", path: "x" }]);
  });

  test("an answer that ran out of tokens is incomplete, and says why", async () => {
    const { streamed, whole } = await both((sink) => {
      sink.text("Cut");
      sink.finish("length");
    });
    for (const response of [streamed, whole]) {
      assert.equal(response.status, "incomplete");
      assert.equal(response.incomplete_details?.reason, "max_output_tokens");
    }
  });

  test("200 random answers", async () => {
    const first = Date.now() % 1_000_000;
    for (let seed = first; seed < first + 200; seed += 1) {
      try {
        const { streamed, whole } = await both((sink) => sayRandom(sink, randomOf(seed)));
        assert.equal(streamed.output_text, whole.output_text);
        assert.equal(streamed.output.length, whole.output.length);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });

  test("a stream that fails throws, with its code", async () => {
    const writer = new ResponseWriter(headOf(), true);
    writer.text("Hi");
    const head = { responseId: "resp_req_1", createdSeconds: 7, model: "m", sequenceNumber: 5 };
    const end = failedEnd(head, {
      code: "rate_limit_exceeded",
      type: "rate_limit_error",
      message: "Slow.",
      status: 429,
    });
    const bytes = Buffer.concat([writer.take(), end]);
    const isTold = (error: unknown): boolean =>
      error instanceof APIError && error.code === "rate_limit_exceeded" && error.message.includes("Slow.");
    await assert.rejects(clientOf(bytes).responses.stream(request).finalResponse(), isTold);
    const plain = await clientOf(bytes).responses.create({ ...request, stream: true });
    await assert.rejects(async () => {
      for await (const event of plain) assert.ok(event.type !== "response.failed");
    }, isTold);
    // Of a client that passes over `error`, as Codex does: the last word is the same response's.
    const events = end.toString().split("\n\n");
    assert.match(String(events[1]), /^event: response\.failed\n/);
  });

  for (const [name, lie] of Object.entries(responsesLies))
    test(`a stream that Plaza mended: ${name}`, async (t) => {
      if (name === "unknown item types and events") {
        t.skip("the helper takes no item of a type it does not know, of OpenAI either");
        return;
      }
      const response = await clientOf(mended(Buffer.from(String(lie.answer.body))))
        .responses.stream(request)
        .finalResponse();
      assert.equal(response.output_text, lie.text ?? "Hello");
      const calls = response.output.filter((item) => item.type === "function_call");
      assert.deepEqual(
        calls.map(({ call_id, arguments: text }) => [call_id, JSON.parse(text)]),
        (lie.calls ?? []).map(({ id, args }) => [id, args]),
      );
    });
});
