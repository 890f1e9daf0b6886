/** Answers of every kind as Anthropic messages: streamed, whole, read by the SDK, and decoded again. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import type { StreamSink } from "../../conversation/answer.ts";
import { conversationOf, recordingSink } from "../../conversation/testing/conversations.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { messagesPayloads } from "../payloads/marks.ts";
import { plainSeal } from "../payloads/seal.ts";
import type { DecodeContext } from "../protocol.ts";
import { messagesDecoder } from "./decode-answer.ts";
import { createRequestReader } from "./decode-request.ts";
import { type AnswerHead, MessageWriter } from "./encode-answer.ts";
import { headOf, randomOf, sayRandom, usage } from "./testing/answers.ts";
import { eventsOf, gather } from "./testing/gather.ts";

type Say = (sink: StreamSink) => void;
type Fields = Record<string, unknown>;

function streamed(say: Say, more: Partial<AnswerHead> = {}): Buffer {
  const writer = new MessageWriter(headOf(more), true);
  say(writer);
  writer.close();
  return writer.take();
}

function whole(say: Say, more: Partial<AnswerHead> = {}): Fields {
  const writer = new MessageWriter(headOf(more), false);
  say(writer);
  return JSON.parse(String(writer.build())) as Fields;
}

/** The message; checks that the streamed and the whole form are equal. */
function said(say: Say, more: Partial<AnswerHead> = {}): Fields {
  const message = gather(eventsOf(streamed(say, more)));
  assert.deepEqual(message, whole(say, more));
  return message;
}

const contentOf = (message: Fields): Fields[] => message["content"] as Fields[];
const kinds = (message: Fields): unknown[] => contentOf(message).map(({ type }) => type);
const payloadOf = (block: Fields | undefined) =>
  messagesPayloads.read(String(block?.["signature"]), plainSeal);

/** Reads the stream with the SDK's own client. */
async function readBySdk(stream: Buffer): Promise<Fields> {
  const client = new Anthropic({
    apiKey: "sk-ant-test",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(stream), { headers: { "content-type": "text/event-stream" } }),
  });
  const params = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] };
  return JSON.parse(JSON.stringify(await client.messages.stream(params).finalMessage())) as Fields;
}

describe("a message", () => {
  test("has one start, its blocks in order, its end and its usage, and nothing after", () => {
    const say: Say = (sink) => {
      sink.model("served");
      sink.begin(0, { ...usage, output: 1 });
      sink.idle();
      sink.text("Hi");
      sink.text(" there");
      sink.usage(usage);
      sink.finish("stop");
      sink.conclude();
    };
    const events = eventsOf(streamed(say));
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ],
    );
    const start = events[0]?.["message"] as Fields;
    assert.equal((start["usage"] as Fields)["input_tokens"], 3, "what is known is told at once");
    const message = said(say);
    assert.deepEqual(
      [message["id"], message["model"], message["stop_reason"], message["stop_sequence"]],
      ["msg_req_1", "served", "end_turn", null],
    );
    assert.deepEqual(contentOf(message), [{ type: "text", text: "Hi there" }]);
    assert.deepEqual(message["usage"], {
      input_tokens: 3,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 4 },
    });
    assert.ok(!String(streamed(say)).includes("[DONE]"));
  });

  test("whose usage comes at the end is told all of it there, cache included; a guess at its start", () => {
    const events = eventsOf(
      streamed((sink) => {
        sink.text("Hi");
        sink.usage(usage);
        sink.finish("stop");
      }),
    );
    const begun = events[0]?.["message"] as Fields;
    const start = begun["usage"] as Fields;
    assert.deepEqual(
      [start["input_tokens"], start["output_tokens"], start["cache_creation"]],
      [7, 0, undefined],
    );
    const ending = events.find(({ type }) => type === "message_delta")?.["usage"] as Fields;
    assert.deepEqual(
      [ending["input_tokens"], ending["cache_read_input_tokens"], ending["cache_creation_input_tokens"]],
      [3, 1, 2],
    );
  });

  test("ends for the reason clients act on", () => {
    const ended = (say: Say): unknown[] => {
      const message = said((sink) => say(sink));
      return [message["stop_reason"], message["stop_sequence"], message["stop_details"]];
    };
    const call: Say = (sink) => sink.toolCall(0, { id: "a", name: "f" });
    assert.deepEqual(
      ended((sink) => sink.finish("stop")),
      ["end_turn", null, null],
    );
    assert.deepEqual(
      ended((sink) => sink.finish("stop", 0, "END")),
      ["stop_sequence", "END", null],
    );
    assert.deepEqual(
      ended((sink) => sink.finish("length")),
      ["max_tokens", null, null],
    );
    assert.deepEqual(
      ended((sink) => sink.finish("tool_calls")),
      ["end_turn", null, null],
    );
    const called: Say = (sink) => {
      call(sink);
      sink.finish("stop");
    };
    assert.deepEqual(ended(called), ["tool_use", null, null]);
    const refusal = (explanation: string | null) => ({ type: "refusal", category: null, explanation });
    assert.deepEqual(
      ended((sink) => sink.finish("content_filter")),
      ["refusal", null, refusal(null)],
    );
    const refused: Say = (sink) => {
      sink.refusal("I will not.");
      sink.finish("stop");
    };
    assert.deepEqual(ended(refused), ["refusal", null, refusal("I will not.")]);
  });
});

describe("thoughts", () => {
  const claude = { format: "anthropic-claude-v1", model: "claude" };

  test("stand in blocks of their own, Anthropic's signatures byte for byte", () => {
    const message = said((sink) => {
      sink.reasoning("Let me");
      sink.reasoning(" see");
      sink.opaqueReasoning({ ...claude, text: "Let me see", signature: "Eq+/=", callsBefore: 0 });
      sink.opaqueReasoning({ ...claude, data: "b3Bh" });
      sink.text("Yes.");
      sink.reasoning("More");
      sink.text("No.");
      sink.finish("stop");
    });
    assert.deepEqual(contentOf(message).slice(0, 3), [
      { type: "thinking", thinking: "Let me see", signature: "Eq+/=" },
      { type: "redacted_thinking", data: "b3Bh" },
      { type: "text", text: "Yes." },
    ]);
    assert.deepEqual(kinds(message).slice(3), ["thinking", "text"]);
    assert.deepEqual(payloadOf(contentOf(message)[3]), { kind: "parts", parts: [] });
  });

  test("of other vendors come back to them: a signature of a call before it, of a text after it", () => {
    const google = { format: "google-gemini-v1", id: "text", data: "text signature" };
    const message = said((sink) => {
      sink.reasoning("Hm");
      sink.text("Part");
      sink.opaqueReasoning(google);
      sink.text(" one");
      sink.toolCall(0, { id: "a", name: "f", signature: "call signature" });
      sink.toolArguments(0, "{}");
      sink.toolCall(1, { id: "b", name: "g" });
      sink.finish("tool_calls");
    });
    assert.deepEqual(kinds(message), ["thinking", "text", "thinking", "tool_use", "tool_use"]);
    assert.deepEqual(contentOf(message)[1], { type: "text", text: "Part one" });
    const parts = [google, { call: "a", data: "call signature" }];
    assert.deepEqual(payloadOf(contentOf(message)[2]), { kind: "parts", parts });
    const { conversation } = createRequestReader()(
      Buffer.from(
        JSON.stringify({
          model: "m",
          max_tokens: 9,
          messages: [
            { role: "user", content: "Q" },
            { role: "assistant", content: contentOf(message) },
            {
              role: "user",
              content: ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id })),
            },
          ],
        }),
      ),
    );
    const blocks = conversation.turns[1]?.blocks ?? [];
    const call = blocks.find((block) => block.kind === "tool call");
    assert.equal(call?.signature, "call signature");
    const reasoning = blocks.filter((block) => block.kind === "reasoning");
    assert.ok(reasoning.some(({ id, data }) => id === "text" && data === "text signature"));
  });

  test("of other vendors never stand last: programs read the last block as the result", () => {
    const google = { format: "google-gemini-v1", id: "text", data: "text signature" };
    const late = { format: "openai-responses-v1", id: "rs_1", data: "enc" };
    const answer = said((sink) => {
      sink.reasoning("Hm");
      sink.text("Hi");
      sink.opaqueReasoning(google);
      sink.opaqueReasoning(late);
      sink.finish("stop");
    });
    assert.deepEqual(kinds(answer), ["thinking", "text"]);
    const calling = said((sink) => {
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolArguments(0, "{}");
      sink.opaqueReasoning(google);
      sink.finish("tool_calls");
    });
    assert.deepEqual(kinds(calling), ["tool_use"]);
    // Hidden thoughts between calls go before the call they led to.
    const between = said((sink) => {
      sink.toolCall(0, { id: "a", name: "f" });
      sink.toolArguments(0, "{}");
      sink.opaqueReasoning({ ...late, callsBefore: 1 });
      sink.toolCall(1, { id: "b", name: "g" });
      sink.finish("tool_calls");
    });
    assert.deepEqual(kinds(between), ["tool_use", "thinking", "tool_use"]);
    const on = said((sink) => {
      sink.text("Hi");
      sink.opaqueReasoning(google);
      sink.reasoning("More");
      sink.text("Bye");
      sink.finish("stop");
    });
    assert.deepEqual(kinds(on).at(-1), "text");
    assert.match(JSON.stringify(contentOf(on)), /plaza-thinking/);
  });

  test("nobody asked for are not told, but for what a tool's result has to bring back", () => {
    const say: Say = (sink) => {
      sink.reasoning("Hm");
      sink.opaqueReasoning({ format: "openai-responses-v1", model: "m", data: "enc", id: "rs_1" });
      sink.text("Hi");
      sink.finish("stop");
    };
    assert.deepEqual(kinds(said(say, { showsThoughts: false })), ["text"]);
    const calling: Say = (sink) => {
      say(sink);
      sink.toolCall(0, { id: "a", name: "f" });
    };
    const message = said(calling, { showsThoughts: false });
    assert.deepEqual(kinds(message), ["text", "thinking", "tool_use"]);
    assert.equal(contentOf(message)[1]?.["thinking"], "");
    const signed: Say = (sink) => {
      sink.opaqueReasoning({ ...claude, text: "Hm", signature: "sig" });
      sink.toolCall(0, { id: "a", name: "f" });
      sink.finish("tool_calls");
    };
    assert.deepEqual(contentOf(said(signed, { showsThoughts: false }))[0], {
      type: "thinking",
      thinking: "Hm",
      signature: "sig",
    });
  });

  test("whose words are not to be seen travel in the signature", () => {
    const say: Say = (sink) => {
      sink.reasoning("secret");
      sink.opaqueReasoning({ ...claude, text: "secret", signature: "sig" });
      sink.text("Hi");
      sink.finish("stop");
    };
    const [block] = contentOf(said(say, { hidesWords: true }));
    assert.equal(block?.["thinking"], "");
    assert.deepEqual(payloadOf(block), {
      kind: "parts",
      parts: [{ ...claude, text: "secret", signature: "sig" }],
    });
    const omitted: Say = (sink) => {
      sink.opaqueReasoning({ ...claude, text: "", signature: "sig" });
      sink.finish("stop");
    };
    assert.equal(contentOf(said(omitted, { hidesWords: true }))[0]?.["signature"], "sig");
  });
});

describe("calls", () => {
  test("that are told at once, piece by piece, are blocks one after another", () => {
    const message = said((sink) => {
      sink.toolCall(0, { id: "call_1", name: "f" });
      sink.toolCall(1, { id: "call_2", name: "g" });
      sink.toolArguments(1, '{"y":');
      sink.toolArguments(0, '{"x"');
      sink.toolArguments(0, ":1}");
      sink.toolArguments(1, "2}");
      sink.toolCall(2, { id: "call_3", name: "h" });
      sink.finish("tool_calls");
    });
    assert.deepEqual(
      contentOf(message).map(({ id, name, input }) => [id, name, input]),
      [
        ["call_1", "f", { x: 1 }],
        ["call_2", "g", { y: 2 }],
        ["call_3", "h", {}],
      ],
    );
  });

  test("keep their ids; one that is missing, twice or of other letters is made, the same every time", () => {
    const say: Say = (sink) => {
      for (const [index, id] of ["a", "a", "", "x/y"].entries()) sink.toolCall(index, { id, name: "f" });
      sink.finish("tool_calls");
    };
    const ids = ["a", "toolu_1_1", "toolu_1_2", "toolu_1_3"];
    assert.deepEqual(
      contentOf(said(say)).map(({ id }) => id),
      ids,
    );
  });

  test("keep the digits of a number, and what is no object is still an input", () => {
    const text = (json: string): string => {
      const writer = new MessageWriter(headOf(), false);
      writer.toolCall(0, { id: "a", name: "f" });
      writer.toolArguments(0, json);
      writer.finish("tool_calls");
      return String(writer.build());
    };
    assert.match(text('{"x":12345678901234567890}'), /"input":\{"x":12345678901234567890\}/);
    assert.match(text('{"x":'), /"input":\{"_raw":"\{\\"x\\":"\}/);
  });
});

describe("a stream that fails", () => {
  test("says the upstream's error and no end; a report of usage says no end either", () => {
    const bytes = streamed((sink) => {
      sink.text("Hi");
      sink.usage(usage);
      sink.reportUsage();
      sink.error('{"type":"error",\n"error":{"type":"overloaded_error"}}');
      sink.finish("stop");
    });
    const events = eventsOf(bytes);
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ["message_delta", "error"],
    );
    const [ending] = events.slice(-2);
    assert.equal((ending?.["delta"] as Fields | undefined)?.["stop_reason"], null);
    const cut = streamed((sink) => sink.text("Hi"));
    assert.ok(!String(cut).includes("message_stop"));
    assert.equal(new MessageWriter(headOf(), false).build(), undefined);
  });

  test("an answer nobody could keep is refused", () => {
    const writer = new MessageWriter(headOf(), false);
    const piece = "x".repeat(8 * 1024 * 1024);
    assert.throws(() => {
      for (let count = 0; count < 5; count += 1) writer.text(piece);
    });
  });
});

const context: DecodeContext = {
  conversation: conversationOf({}),
  model: "m",
  memory: undefined,
  answerId: "a",
};

/** The reported events with adjacent pieces of one kind joined. */
function joined(events: readonly unknown[][]): unknown[][] {
  const list: unknown[][] = [];
  for (const event of events) {
    const [method, first, second] = event;
    const last = list.at(-1);
    if (["begin", "model", "conclude", "idle"].includes(String(method))) continue;
    if (last !== undefined && method === last[0] && ["text", "reasoning"].includes(String(method)))
      last[1] = `${last[1]}${first}`;
    else if (method === "toolArguments" && last?.[0] === method && last[1] === first)
      last[2] = `${last[2]}${second}`;
    else list.push([...event]);
  }
  return list;
}

function decodedAgain(bytes: Buffer, size: number): unknown[][] {
  const { sink, said: events } = recordingSink();
  const reader = messagesDecoder().stream(context, sink);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return events;
}

describe("answers made up at random", () => {
  test("are the same streamed and whole, to a strict client", () => {
    for (let seed = 1; seed <= runsOf(2_000); seed += 1) {
      const more = { showsThoughts: seed % 3 !== 0, hidesWords: seed % 5 === 0 };
      said((sink) => sayRandom(sink, randomOf(seed)), more);
    }
  });

  test("are put together by the official SDK to the same message", async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const say: Say = (sink) => sayRandom(sink, randomOf(seed));
      const { parsed_output: _, ...read } = await readBySdk(streamed(say));
      const content = contentOf(read).map(({ parsed_output: __, ...block }) => block);
      const expected = whole(say);
      // `cache_creation` is as in the first report.
      const { cache_creation: ___, ...counted } = expected["usage"] as Fields;
      assert.deepEqual({ ...read, content }, { ...expected, usage: counted }, `seed ${seed}`);
    }
  });

  test("are read back to the same events by the reader of Anthropic's answers", () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const { sink, said: events } = recordingSink();
      sayRandom(sink, randomOf(seed), true);
      const again = joined(
        decodedAgain(
          streamed((to) => sayRandom(to, randomOf(seed), true)),
          999,
        ),
      );
      const finished = joined(events).filter(([method]) => method !== "usage");
      const read = again.filter(([method]) => method !== "usage" && method !== "close");
      assert.deepEqual(strip(read), strip(finished), `seed ${seed}`);
      assert.deepEqual(
        again.find(([method]) => method === "usage"),
        joined(events).find(([method]) => method === "usage"),
      );
    }
  });

  test("are the same however they are cut", () => {
    let cuts = 0;
    for (let seed = 1; cuts < runsOf(10_000); seed += 1) {
      const bytes = streamed((sink) => sayRandom(sink, randomOf(seed), true));
      const all = joined(decodedAgain(bytes, bytes.length));
      const random = randomOf(seed + 7);
      for (let count = 0; count < 20; count += 1) {
        const at = random(bytes.length);
        const { sink, said: events } = recordingSink();
        const reader = messagesDecoder().stream(context, sink);
        reader.push(bytes.subarray(0, at));
        reader.push(bytes.subarray(at));
        reader.end();
        assert.deepEqual(joined(events), all);
        cuts += 1;
      }
    }
  });
});

/** Removes call numbers and model names, which the decoder sets itself. */
function strip(events: readonly unknown[][]): unknown[] {
  return events.map((event) => {
    const [method, first] = event;
    if (method !== "opaqueReasoning") return event.filter((part) => part !== 0);
    const { callsBefore: _, model: __, ...rest } = first as Fields;
    return [method, rest];
  });
}
