/**
 * Answers in the Responses format: the order of events, complete items, the same response object streamed and
 * whole; and known bugs of other gateways.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { messagesDecoder } from "../anthropic-messages/decode-answer.ts";
import { responsesPayloads } from "../payloads/marks.ts";
import { plainSeal } from "../payloads/seal.ts";
import type { AnswerContext } from "../protocol.ts";
import { createRequestReader } from "./decode-request.ts";
import { echoOf } from "./echo.ts";
import { type AnswerHead, ResponseWriter } from "./encode-answer.ts";
import { errorBody, failedEnd } from "./errors.ts";
import { ToolNames } from "./request/tool-names.ts";
import { headOf, randomOf, sayRandom, usage } from "./testing/answers.ts";
import { eventsOf, gather, shown, type WireEvent } from "./testing/gather.ts";
import { responsesTranslation } from "./translation.ts";
import { readUsage, usageOnWire } from "./usage.ts";

type Fields = Record<string, unknown>;

const responseOf = (event: WireEvent | undefined): Fields => {
  assert.ok(event !== undefined);
  return event["response"] as Fields;
};

function streamed(say: (sink: StreamSink) => void, head: AnswerHead = headOf()): WireEvent[] {
  const writer = new ResponseWriter(head, true);
  say(writer);
  writer.close();
  return shown(eventsOf(writer.take()));
}

function whole(say: (sink: AnswerSink) => void, head: AnswerHead = headOf()): Fields {
  const writer = new ResponseWriter(head, false);
  say(writer);
  const body = writer.build();
  assert.ok(body !== undefined);
  assert.equal(writer.take().length, 0, "a whole answer has no events");
  return JSON.parse(body.toString()) as Fields;
}

/** Writes both forms and checks that they are equal. */
function both(say: (sink: AnswerSink) => void, head: AnswerHead = headOf()): Fields {
  const response = gather(streamed(say, head));
  assert.deepEqual(whole(say, head), response);
  return response;
}

const outputOf = (response: Fields): Fields[] => response["output"] as Fields[];
const typesOf = (events: readonly WireEvent[]): string[] =>
  events.map(({ type }) => type.replace("response.", ""));

describe("the lifecycle", () => {
  test("of a text: every event, in order, numbered", () => {
    const events = streamed((sink) => {
      sink.model("named");
      sink.text("Hi");
      sink.text("");
      sink.text(" there");
      sink.finish("stop");
      sink.usage(usage);
    });
    assert.deepEqual(typesOf(events), [
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    assert.deepEqual(
      events.map(({ sequence_number: number }) => number),
      events.map((_, index) => index),
    );
    const response = gather(events);
    assert.equal(response["id"], "resp_req_1");
    assert.equal(response["model"], "named");
    assert.deepEqual(outputOf(response), [
      {
        id: "msg_1_0",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", annotations: [], logprobs: [], text: "Hi there" }],
      },
    ]);
  });

  test("of thoughts, words, calls and a custom call: items in order, each whole", () => {
    const names = new ToolNames();
    names.add("f");
    names.addIn("crm", "find");
    names.add("patch");
    const say = (sink: AnswerSink): void => {
      sink.reasoning("Hm. ");
      sink.reasoning("So.");
      sink.opaqueReasoning({ format: "v", model: "m", text: "Hm. So.", signature: "s" });
      sink.text("Looking.");
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolArguments(0, '{"x"');
      sink.toolArguments(0, ":1}");
      sink.toolCall(1, { id: "b", name: "crm__find" });
      sink.customCall(2, { id: "c", name: "patch", input: "*** Begin" });
      sink.finish("tool_calls");
      sink.usage(usage);
    };
    const response = both(say, headOf({ toolNames: names }));
    const [thought, ...rest] = outputOf(response);
    const payload = responsesPayloads.read(String(thought?.["encrypted_content"]), plainSeal);
    assert.deepEqual(payload, {
      kind: "parts",
      parts: [{ format: "v", model: "m", text: "Hm. So.", signature: "s" }],
    });
    assert.deepEqual(thought?.["summary"], [{ type: "summary_text", text: "Hm. So." }]);
    assert.deepEqual(
      rest.map(({ content: _, ...item }) => item),
      [
        { id: "msg_1_1", type: "message", status: "completed", role: "assistant" },
        {
          id: "fc_1_2",
          type: "function_call",
          status: "completed",
          arguments: '{"x":1}',
          call_id: "a",
          name: "f",
        },
        {
          id: "fc_1_3",
          type: "function_call",
          status: "completed",
          arguments: "{}",
          call_id: "b",
          name: "find",
          namespace: "crm",
        },
        {
          id: "ctc_1_4",
          type: "custom_tool_call",
          status: "completed",
          input: "*** Begin",
          call_id: "c",
          name: "patch",
        },
      ],
    );
    // A call that arrives whole ends before the next begins, because clients run it at once.
    const types = streamed(say).map(({ type, output_index: index }) => `${type} ${index}`);
    assert.ok(
      types.indexOf("response.output_item.done 2") < types.indexOf("response.output_item.added 3"),
      types.join("\n"),
    );
  });

  test("of calls whose arguments come interleaved", () => {
    const response = both((sink) => {
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolCall(1, { id: "b", name: "g" });
      for (const part of ['{"x', '":1}']) for (const index of [0, 1]) sink.toolArguments(index, part);
      sink.finish("tool_calls");
    });
    assert.deepEqual(
      outputOf(response).map((item) => item["arguments"]),
      ['{"x":1}', '{"x":1}'],
    );
    assert.equal(response["usage"], null);
  });

  test("of refusals, citations, log probabilities and images", () => {
    const token = { token: "Hi", logprob: -1, bytes: [72, 105], alternatives: [] };
    const response = both((sink) => {
      sink.text("Before. ");
      sink.toolCall(0, { id: "a", name: "f" });
      sink.logprobs([token]);
      sink.text("Hi");
      sink.citation({ url: "https://a.test", title: "A", start: 8, end: 10 });
      sink.logprobs([token]);
      sink.refusal("No.");
      sink.image("image/png", "AAAA");
      sink.finish("stop");
    });
    const [, , message, image] = outputOf(response);
    const logprob = { token: "Hi", logprob: -1, bytes: [72, 105], top_logprobs: [] };
    assert.deepEqual(message?.["content"], [
      {
        type: "output_text",
        text: "Hi",
        annotations: [
          { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 2 },
        ],
        logprobs: [logprob],
      },
      { type: "refusal", refusal: "No." },
    ]);
    assert.deepEqual(image, {
      id: "ig_1_3",
      type: "image_generation_call",
      status: "completed",
      result: "AAAA",
    });
  });

  test("of an answer that ran out of tokens, or was filtered: why, and what was cut", () => {
    const rows = [
      ["length", "max_output_tokens"],
      ["content_filter", "content_filter"],
    ] as const;
    for (const [finish, reason] of rows) {
      const response = both((sink) => {
        sink.reasoning("Hm");
        sink.text("Cut");
        sink.finish(finish);
        sink.usage(usage);
      });
      assert.equal(response["status"], "incomplete");
      assert.deepEqual(response["incomplete_details"], { reason });
      assert.equal(outputOf(response)[1]?.["status"], "incomplete");
    }
    const call = both((sink) => {
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolCall(1, { id: "b", name: "f" });
      sink.toolArguments(1, '{"x');
      sink.finish("length");
    });
    assert.deepEqual(
      outputOf(call).map((item) => [item["status"], item["arguments"]]),
      [
        ["completed", "{}"],
        ["incomplete", '{"x'],
      ],
    );
  });

  test("of nothing", () => {
    const response = both((sink) => {
      sink.finish("stop");
      sink.usage(usage);
    });
    assert.deepEqual(response["output"], []);
    const unfinished = new ResponseWriter(headOf(), true);
    unfinished.text("x");
    unfinished.take();
    unfinished.conclude();
    unfinished.close();
    assert.equal(unfinished.take().length, 0, "no end is claimed without a finish");
    assert.equal(new ResponseWriter(headOf(), false).build(), undefined);
  });
});

describe("reasoning", () => {
  test("a call's signature goes before the call, and comes back to it", () => {
    const response = both((sink) => {
      sink.reasoning("Hm");
      sink.toolCall(0, { id: "a", name: "f", signature: "sig" });
      sink.toolCall(1, { id: "b", name: "f" });
      sink.finish("tool_calls");
    });
    assert.deepEqual(
      outputOf(response).map(({ type }) => type),
      ["reasoning", "function_call", "function_call"],
    );
    const body = Buffer.from(
      JSON.stringify({
        input: [
          { role: "user", content: "Q" },
          ...outputOf(response),
          ...["a", "b"].map((id) => ({ type: "function_call_output", call_id: id, output: "x" })),
        ],
      }),
    );
    const [, turn] = createRequestReader()(body).conversation.turns;
    assert.ok(turn?.role === "assistant");
    assert.deepEqual(
      turn.blocks.map((block) => [block.kind, block.kind === "tool call" ? block.signature : undefined]),
      [
        ["reasoning", undefined],
        ["tool call", "sig"],
        ["tool call", undefined],
      ],
    );
  });

  test("a part's signature does not cut its message in two, and never stands last", () => {
    const say = (sink: AnswerSink): void => {
      sink.text("One ");
      sink.opaqueReasoning({ format: "google-gemini-v1", id: "text", data: "t" });
      sink.text("two");
    };
    const alone = both((sink) => {
      say(sink);
      sink.finish("stop");
    });
    assert.deepEqual(
      outputOf(alone).map(({ type }) => type),
      ["message"],
    );
    const response = both((sink) => {
      say(sink);
      sink.toolCall(0, { id: "c", name: "f", signature: undefined });
      sink.finish("tool_calls");
    });
    const [message, thought] = outputOf(response);
    assert.match(JSON.stringify(message), /"text":"One two"/);
    const payload = responsesPayloads.read(String(thought?.["encrypted_content"]), plainSeal);
    assert.deepEqual(payload.kind === "parts" && payload.parts, [
      { format: "google-gemini-v1", id: "text", data: "t" },
    ]);
  });

  test("several signed thoughts are parts of one item; OpenAI's own stay one item each", () => {
    const signed = both((sink) => {
      for (const text of ["One", "Two"]) {
        sink.reasoning(text);
        sink.opaqueReasoning({ format: "anthropic-claude-v1", model: "c", text, signature: `s${text}` });
      }
      sink.finish("stop");
    });
    assert.equal(outputOf(signed).length, 1);
    assert.equal(JSON.stringify(signed).split("summary_text").length, 3);
    const native = both((sink) => {
      for (const data of ["gA", "gB"])
        sink.opaqueReasoning({ format: "openai-responses-v1", data, id: `rs_${data}` });
      sink.finish("stop");
    });
    assert.deepEqual(
      outputOf(native).map((item) => item["encrypted_content"]),
      ["gA", "gB"],
    );
  });
});

describe("the response object", () => {
  test("repeats the request's settings, and says OpenAI's own where there were none", () => {
    const tools = [{ type: "function", name: "f", parameters: {}, strict: true }];
    const request = {
      instructions: "Be brief.",
      tools,
      tool_choice: "required",
      temperature: 0.5,
      reasoning: { effort: "low" },
      text: { verbosity: "low" },
      metadata: { a: "b" },
      max_output_tokens: 9,
      parallel_tool_calls: false,
      service_tier: "flex",
    };
    const events = streamed((sink) => sink.finish("stop"), headOf({ echo: echoOf(request) }));
    for (const event of events) {
      const response = event["response"] as Fields;
      assert.equal(response["instructions"], "Be brief.");
      assert.deepEqual(response["tools"], tools);
      assert.equal(response["tool_choice"], "required");
      assert.equal(response["temperature"], 0.5);
      assert.deepEqual(response["reasoning"], { effort: "low", summary: null });
      assert.deepEqual(response["text"], { format: { type: "text" }, verbosity: "low" });
      assert.equal(response["top_p"], 1);
      assert.equal(response["truncation"], "disabled");
      assert.equal(response["error"], null);
      assert.equal(response["max_output_tokens"], 9);
      assert.equal(response["service_tier"], "flex");
    }
    assert.equal(echoOf({})["service_tier"], "default");
    assert.equal(echoOf({})["store"], true);
  });

  test("has all of the usage, and reads it back", () => {
    const response = both((sink) => {
      sink.finish("stop");
      sink.usage(usage);
    });
    assert.deepEqual(response["usage"], {
      input_tokens: 6,
      input_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 11,
    });
    const more = [
      usage,
      { ...usage, longCacheWrite: 1 },
      { ...usage, longCacheWrite: 2, hasUnknownClass: true },
      { ...usage, audioInput: 1, imageInput: 2, audioOutput: 1 },
    ];
    for (const one of more) assert.deepEqual(readUsage(usageOnWire(one)), one);
  });
});

describe("an end that is none", () => {
  test("the upstream's error is said as it is, once, and nothing after it", () => {
    const writer = new ResponseWriter(headOf(), true);
    writer.text("Hi");
    writer.take();
    writer.usage(usage);
    writer.reportUsage();
    writer.error('{"type":"error",\n"error":{}}');
    writer.error("{}");
    writer.text("x");
    writer.finish("stop");
    writer.reportUsage();
    writer.close();
    const text = writer.take().toString();
    assert.equal(text.split("event: ").length, 3);
    assert.match(text, /^event: plaza\.usage\ndata: \{"type":"plaza\.usage","response":\{"usage":/);
    assert.ok(text.endsWith('event: error\ndata: {"type":"error", "error":{}}\n\n'));
  });

  test("a failure tells the codes that clients act on", () => {
    const head = { responseId: "resp_1", createdSeconds: 7, model: "m", sequenceNumber: 5 };
    const rows = [
      ["context_length_exceeded", "context_length_exceeded"],
      ["insufficient_balance", "insufficient_quota"],
      ["rate_limit_exceeded", "rate_limit_exceeded"],
      ["content_filter", "invalid_prompt"],
      ["overloaded", "server_error"],
      ["upstream_error", "server_error"],
    ] as const;
    for (const [code, told] of rows) {
      const [error, failed] = eventsOf(
        failedEnd(head, { code, type: "t", message: "It failed.", status: 500 }),
      );
      assert.deepEqual([error?.type, error?.["code"], error?.["sequence_number"]], ["error", told, 5]);
      const response = responseOf(failed);
      assert.deepEqual([failed?.type, failed?.["sequence_number"]], ["response.failed", 6]);
      assert.deepEqual([response["id"], response["status"]], ["resp_1", "failed"]);
      assert.deepEqual(response["error"], { code: told, message: "It failed." });
    }
    const wait = {
      code: "rate_limit_exceeded",
      type: "t",
      message: "Too fast.",
      status: 429,
      retryAfterMs: 1_200,
    };
    const [, failed] = eventsOf(failedEnd(head, wait));
    const error = responseOf(failed)["error"] as { readonly message: string };
    // The pattern Codex searches for.
    assert.equal(/try again in\s*(\d+(?:\.\d+)?)\s*(s|ms|seconds?)/i.exec(error.message)?.[1], "2");
    assert.deepEqual(JSON.parse(errorBody({ ...wait, requestId: "req_1" }).toString()), {
      error: {
        message: "Too fast.",
        type: "t",
        param: null,
        code: "rate_limit_exceeded",
        request_id: "req_1",
      },
    });
  });

  test("an answer too long to be repeated at its end is none", () => {
    const writer = new ResponseWriter(headOf(), false);
    const text = "x".repeat(8 * 1024 * 1024);
    assert.throws(() => {
      for (let count = 0; count < 5; count += 1) writer.text(text);
    }, /too long/);
  });
});

test("the conclusion is known before the end, to the gateway alone", () => {
  const writer = new ResponseWriter(headOf(), true);
  writer.text("Hi");
  writer.finish("stop");
  writer.usage(usage);
  writer.conclude();
  const events = eventsOf(writer.take());
  const last = events.at(-1);
  assert.equal(last?.type, "plaza.usage");
  assert.deepEqual(readUsage(responseOf(last)["usage"]), usage);
  writer.text("late");
  writer.conclude();
  writer.close();
  writer.close();
  const rest = eventsOf(writer.take());
  assert.deepEqual(typesOf(rest), ["completed"]);
  gather(shown([...events, ...rest]));
});

test("other choices than the first are not said: there is one", () => {
  const response = both((sink) => {
    sink.text("Hi");
    sink.text("other", 1);
    sink.reasoning("other", 1);
    sink.toolCall(0, { id: "a", name: "f" }, 1);
    sink.toolArguments(0, "{}", 1);
    sink.finish("stop");
    sink.finish("length", 1);
  });
  assert.equal(outputOf(response).length, 1);
  assert.equal(response["status"], "completed");
});

const seeds = runsOf(2_000);
test(`${seeds} random answers: streamed strictly in order, and the same object whole`, () => {
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed < first + seeds; seed += 1) {
    try {
      both((sink) => sayRandom(sink, randomOf(seed), seed % 3 === 0));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

test("another protocol's stream, translated however it is cut, is one response with ids of its own", () => {
  const sse = (...events: object[]): Buffer =>
    Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const bytes = sse(
    { type: "message_start", message: { model: "claude", usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_stop", index: 0 },
    { type: "ping" },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hi ö" } },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "a", name: "n__f" } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"x":1}' } },
    { type: "content_block_stop", index: 2 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  );
  const body = Buffer.from(
    JSON.stringify({
      input: "Q",
      tools: [{ type: "namespace", name: "n", tools: [{ type: "function", name: "f" }] }],
    }),
  );
  const context = {
    id: "resp_req_9",
    createdSeconds: 7,
    model: "m",
    request: { body, echo: { store: false } },
  };
  const translation = responsesTranslation(messagesDecoder());
  const responses = [1, 7, bytes.length].map((size) => {
    const stream = translation.stream(context as unknown as AnswerContext);
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) out.push(stream.push(bytes.subarray(at, at + size)));
    out.push(stream.end());
    return gather(shown(eventsOf(Buffer.concat(out))));
  });
  const [response] = responses;
  for (const other of responses) assert.deepEqual(other, response);
  assert.ok(response !== undefined);
  assert.equal(response["store"], false);
  assert.deepEqual(
    outputOf(response).map(({ id, type }) => [id, type]),
    [
      ["rs_9_0", "reasoning"],
      ["msg_9_1", "message"],
      ["fc_9_2", "function_call"],
    ],
  );
  assert.deepEqual([outputOf(response)[2]?.["name"], outputOf(response)[2]?.["namespace"]], ["f", "n"]);
  assert.equal(translation.whole(Buffer.from("{}"), context as unknown as AnswerContext), undefined);
});
