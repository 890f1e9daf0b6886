/**
 * Answers of Responses upstreams as reported to a sink: ordered or not, with or without deltas, complete,
 * failed or cut off.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { conversationOf, recordingSink } from "../../conversation/testing/conversations.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import type { DecodeContext, ReplayMemory } from "../protocol.ts";
import { responsesDecoder } from "./decode-answer.ts";
import { ResponseWriter } from "./encode-answer.ts";
import { headOf, randomOf, sayRandom } from "./testing/answers.ts";
import { eventsOf, gather, shown } from "./testing/gather.ts";

type Said = unknown[][];
type Event = Record<string, unknown> & { readonly type: string };

const contextOf = (more: Partial<DecodeContext> = {}): DecodeContext => ({
  conversation: conversationOf({}),
  model: "gpt-5.6",
  memory: undefined,
  answerId: "chatcmpl-req_1",
  ...more,
});

const sse = (...events: readonly object[]): Buffer =>
  Buffer.from(
    events.map((event) => `event: ${(event as Event).type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );

function streamed(bytes: Buffer, size = bytes.length, context = contextOf()): Said {
  const { sink, said } = recordingSink();
  const reader = responsesDecoder().stream(context, sink);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return said;
}

const play = (...events: readonly object[]): Said => streamed(sse(...events));

/** Joins adjacent pieces of one kind, so that it does not matter how an answer is cut. */
function joined(said: Said): Said {
  const out: Said = [];
  for (const [method, first, second] of said) {
    const last = out.at(-1);
    const isPiece = method === "text" || method === "reasoning" || method === "refusal";
    if (isPiece && last?.[0] === method) last[1] = `${last[1]}${first}`;
    else if (method === "toolArguments" && last?.[0] === method && last[1] === first)
      last[2] = `${last[2]}${second}`;
    else out.push([method, first, ...(second === undefined ? [] : [second])]);
  }
  return out.filter(([method]) => !["begin", "conclude", "close", "idle"].includes(String(method)));
}

const created = {
  type: "response.created",
  response: { id: "resp_1", model: "gpt-5.6-2026", status: "in_progress" },
};
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 16,
};
const counted = { input: 6, cachedInput: 4, cacheWrite: 0, output: 6, reasoning: 5 };
const completed = (output: readonly object[] = [], more: object = {}) => ({
  type: "response.completed",
  response: { id: "resp_1", status: "completed", model: "gpt-5.6-2026", output, usage, ...more },
});
const at = (index: number) => ({ output_index: index, content_index: 0, item_id: `i_${index}` });
const message = (text: string, index = 0) => ({
  type: "message",
  id: `i_${index}`,
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
const fn = (index: number, more: object = {}) => ({
  type: "function_call",
  id: `i_${index}`,
  call_id: `call_${index}`,
  name: "f",
  arguments: '{"x":1}',
  ...more,
});
const added = (index: number, item: object) => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
const done = (index: number, item: object) => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
const text = (index: number, delta: string) => ({ type: "response.output_text.delta", ...at(index), delta });
const args = (index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index: index,
  item_id: `i_${index}`,
  delta,
});
const thought = (index: number, more: object = {}) => ({
  type: "reasoning",
  id: `i_${index}`,
  summary: [],
  encrypted_content: "gAAAA",
  ...more,
});

/** One answer, as OpenAI streams it. */
const wellFormed = [
  created,
  { ...created, type: "response.in_progress" },
  added(0, thought(0, { encrypted_content: "g" })),
  { type: "response.reasoning_summary_part.added", output_index: 0, item_id: "i_0", summary_index: 0 },
  {
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    item_id: "i_0",
    summary_index: 0,
    delta: "One",
  },
  {
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    item_id: "i_0",
    summary_index: 1,
    delta: "Two",
  },
  done(0, thought(0, { summary: [{ text: "One" }, { text: "Two" }] })),
  added(1, message("", 1)),
  { type: "response.content_part.added", ...at(1), part: { type: "output_text", text: "" } },
  text(1, "Look"),
  { type: "response.of_next_month", anything: [1] },
  text(1, "ing ö"),
  { type: "response.output_text.done", ...at(1), text: "Looking ö" },
  done(1, message("Looking ö", 1)),
  added(2, fn(2, { arguments: "" })),
  args(2, '{"x"'),
  args(2, ":1}"),
  { type: "response.function_call_arguments.done", output_index: 2, item_id: "i_2", arguments: '{"x":1}' },
  done(2, fn(2)),
  { type: "response.web_search_call.in_progress", output_index: 3, item_id: "i_3" },
  completed([thought(0, { summary: [{ text: "One" }, { text: "Two" }] }), message("Looking ö", 1), fn(2)]),
];
const heard: Said = [
  ["model", "gpt-5.6-2026"],
  ["reasoning", "One\n\nTwo"],
  [
    "opaqueReasoning",
    { format: "openai-responses-v1", model: "gpt-5.6", data: "gAAAA", id: "i_0", callsBefore: 0 },
  ],
  ["text", "Looking ö"],
  ["toolCall", 0, { id: "call_2", name: "f" }],
  ["toolArguments", 0, '{"x":1}'],
  ["finish", "tool_calls"],
  ["usage", counted],
];

describe("a stream", () => {
  test("is heard in order, however it is cut, and ends once", () => {
    const bytes = sse(...wellFormed, completed(), { type: "response.failed", response: {} }, text(1, "late"));
    for (const size of [1, 2, 7, 100, bytes.length]) {
      const said = streamed(bytes, size);
      assert.deepEqual(joined(said), heard);
      assert.deepEqual(
        said.slice(-2).map(([method]) => method),
        ["conclude", "close"],
      );
    }
  });

  test("cut at every byte it has no end, and what was heard is a beginning", () => {
    const bytes = sse(...wellFormed);
    for (let length = 0; length < bytes.length - 2; length += 1) {
      const said = streamed(bytes.subarray(0, length));
      assert.ok(!said.some(([method]) => method === "close" || method === "finish"), String(length));
    }
  });

  test("without added, without deltas, without keys, or with its output at its end alone: the same answer", () => {
    const items = [
      thought(0, { summary: [{ text: "One" }, { text: "Two" }] }),
      message("Looking ö", 1),
      fn(2),
    ];
    const bare = (events: readonly object[]): object[] =>
      events.map((event) => {
        const { output_index: _, item_id: __, ...rest } = event as Event;
        return rest;
      });
    const variants: Readonly<Record<string, readonly object[]>> = {
      "no item added": wellFormed.filter(({ type }) => type !== "response.output_item.added"),
      "no deltas": wellFormed.filter(({ type }) => !type.endsWith(".delta")),
      "no item done": wellFormed.filter(({ type }) => type !== "response.output_item.done"),
      "only items done": [created, ...items.map((item, index) => done(index, item)), completed()],
      "only the end": [completed(items)],
      "items, and output: []": [...wellFormed.slice(0, -1), completed()],
      "items, and no output": [...wellFormed.slice(0, -1), completed([], { output: undefined })],
      "other ids at the end": [
        ...wellFormed.slice(0, -1),
        completed(items.map((item, index) => ({ ...item, id: `other_${index}` }))),
      ],
      "no keys": bare(wellFormed.filter(({ type }) => !type.includes("summary_part"))),
      "every item done twice": wellFormed.flatMap((event) =>
        event.type === "response.output_item.done" ? [event, event] : [event],
      ),
    };
    const plain = (said: Said): Said => {
      const parts = joined(said).map(([method, ...rest]) =>
        method === "opaqueReasoning" ? [method, (rest[0] as { data: string }).data] : [method, ...rest],
      );
      // Without the item's done event, opaque content comes with the answer's end.
      return parts.toSorted((one, other) => String(one[0]).localeCompare(String(other[0])));
    };
    const expected = plain(heard);
    for (const [name, events] of Object.entries(variants))
      assert.deepEqual(plain(play(...events)), expected, name);
  });

  test("deltas of a call that names itself only when it is done wait for its name", () => {
    const said = play(created, args(0, '{"x"'), args(0, ":1}"), done(0, fn(0)), completed());
    assert.deepEqual(joined(said).slice(1, 3), [
      ["toolCall", 0, { id: "call_0", name: "f" }],
      ["toolArguments", 0, '{"x":1}'],
    ]);
    const nameless = play(created, args(0, '{"x"'), completed());
    assert.deepEqual(
      joined(nameless).map(([method]) => method),
      ["model", "finish", "usage"],
    );
  });

  test("parallel calls, interleaved; ids missing or told twice are made up", () => {
    const said = play(
      created,
      added(0, fn(0, { arguments: "" })),
      added(1, fn(1, { arguments: "", call_id: "call_0" })),
      args(0, '{"x":1}'),
      args(1, '{"x":'),
      args(1, "1}"),
      done(1, fn(1, { call_id: "call_0" })),
      done(0, fn(0)),
      completed(),
    );
    assert.deepEqual(joined(said).slice(1, -2), [
      ["toolCall", 0, { id: "call_0", name: "f" }],
      ["toolCall", 1, { id: "call_1_1", name: "f" }],
      ["toolArguments", 0, '{"x":1}'],
      ["toolArguments", 1, '{"x":1}'],
    ]);
  });

  test("custom calls, refusals, citations, log probabilities, images", () => {
    const logprobs = [
      { token: "Hi", logprob: -1, bytes: [72, 105], top_logprobs: [{ token: "Yo", logprob: -2 }] },
    ];
    const cited = { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 2 };
    const custom = { type: "custom_tool_call", id: "i_2", call_id: "c", name: "patch", input: "*** Begin" };
    const bytes = sse(
      created,
      text(0, "Before "),
      done(0, message("Before ", 0)),
      { ...text(1, "Hi"), logprobs },
      { type: "response.output_text.annotation.added", ...at(1), annotation: cited },
      { type: "response.output_text.annotation.added", ...at(1), annotation: { type: "file_path" } },
      done(1, { ...message("Hi", 1), content: [{ type: "output_text", text: "Hi", annotations: [cited] }] }),
      { type: "response.custom_tool_call_input.delta", output_index: 2, item_id: "i_2", delta: "*** " },
      done(2, custom),
      done(3, { type: "image_generation_call", id: "i_3", result: "AAAA", output_format: "webp" }),
      { type: "response.refusal.delta", ...at(4), delta: "No." },
      completed(),
    );
    const wanted = conversationOf({ logprobs: { isWanted: true, alternatives: 1 } });
    const said = joined(streamed(bytes, 50, contextOf({ conversation: wanted })));
    assert.deepEqual(said.slice(1), [
      ["text", "Before "],
      [
        "logprobs",
        [
          {
            token: "Hi",
            logprob: -1,
            bytes: [72, 105],
            alternatives: [{ token: "Yo", logprob: -2, bytes: [89, 111] }],
          },
        ],
      ],
      ["text", "Hi"],
      ["citation", { url: "https://a.test", title: "A", start: 7, end: 9 }],
      ["customCall", 0, { id: "c", name: "patch", input: "*** Begin" }],
      ["image", "image/webp", "AAAA"],
      ["refusal", "No."],
      ["finish", "tool_calls"],
      ["usage", counted],
    ]);
    assert.ok(!streamed(bytes).some(([method]) => method === "logprobs"), "only who asked gets them");
  });

  test("thoughts are said one way, as a summary or in full", () => {
    const full = {
      type: "response.reasoning_text.delta",
      output_index: 0,
      item_id: "i_0",
      content_index: 0,
      delta: "Full",
    };
    const said = play(
      created,
      full,
      { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "i_0", delta: "Short" },
      done(
        0,
        thought(0, { encrypted_content: null, summary: [{ text: "Short" }], content: [{ text: "Full." }] }),
      ),
      completed(),
    );
    assert.deepEqual(joined(said).slice(1, -2), [["reasoning", "Full."]]);
  });

  test("incomplete: for want of tokens, by a filter", () => {
    const incomplete = (reason?: string) => ({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: reason === undefined ? null : { reason }, usage },
    });
    for (const [reason, finish] of [
      ["max_output_tokens", "length"],
      ["content_filter", "content_filter"],
      ["steered", "stop"],
      [undefined, "length"],
    ] as const) {
      const said = play(created, text(0, "Hi"), incomplete(reason));
      assert.deepEqual(joined(said).slice(-2), [
        ["finish", finish],
        ["usage", counted],
      ]);
    }
  });
});

describe("a stream that fails", () => {
  const error = { code: "rate_limit_exceeded", message: "Slow." };
  const failures: Readonly<Record<string, object>> = {
    "the event": { type: "error", ...error, param: null },
    "the event, nested": { type: "error", error },
    "a failed response": { type: "response.failed", response: { status: "failed", error, usage } },
    "completed, and failed": completed([], { status: "failed", error }),
    "no event of this format": { error },
  };
  for (const [name, failure] of Object.entries(failures)) {
    test(`${name}: is the error as it was told, and nothing after it`, () => {
      const preamble = play(created, { ...created, type: "response.in_progress" }, failure, completed());
      assert.deepEqual(
        preamble.map(([method]) => method).filter((method) => method !== "usage" && method !== "reportUsage"),
        ["model", "begin", "error"],
        "before content there is nothing but the error",
      );
      assert.match(String(preamble.at(-1)?.[1]), /rate_limit_exceeded/);
      const later = play(created, text(0, "Hi"), failure, text(0, "late"));
      assert.deepEqual(later.at(-1)?.[0], "error");
    });
  }

  test("what is no JSON, or nested without end, is a broken upstream", () => {
    for (const data of ["{", "7", `${"[".repeat(5_000)}${"]".repeat(5_000)}`]) {
      const said = streamed(Buffer.from(`data: ${data}\n\n`));
      assert.deepEqual(
        said.map(([method]) => method),
        ["error"],
      );
    }
  });

  test("[DONE] is no end", () => {
    const said = streamed(Buffer.concat([sse(created, text(0, "Hi")), Buffer.from("data: [DONE]\n\n")]));
    assert.ok(!said.some(([method]) => method === "close"));
  });
});

describe("a whole answer", () => {
  const whole = (body: object | string) => {
    const { sink, said } = recordingSink();
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return { isAnswer: responsesDecoder().whole(Buffer.from(text), contextOf(), sink), said: joined(said) };
  };

  test("says what the stream says", () => {
    const last = wellFormed.at(-1) as { readonly response: object };
    assert.deepEqual(whole(last.response), { isAnswer: true, said: heard });
  });

  test("that failed, is not over, or is none is no answer", () => {
    const output = [message("Hi")];
    for (const body of [
      "",
      "[]",
      "{}",
      { output: 7 },
      { output, status: "failed" },
      { output, status: "cancelled" },
      { output, status: "queued" },
      { output, status: "in_progress" },
      { output, status: "completed", error: { code: "server_error" } },
      { error: { message: "no" } },
    ])
      assert.equal(whole(body).isAnswer, false, JSON.stringify(body));
    assert.equal(whole({ output }).isAnswer, true, "some servers say no status");
  });
});

test("what is thought before a call is remembered with it", () => {
  const kept = new Map<string, string>();
  const memory: ReplayMemory = { recall: () => undefined, remember: (id, value) => void kept.set(id, value) };
  const bytes = sse(
    created,
    done(0, thought(0)),
    done(1, fn(1)),
    done(2, fn(2)),
    done(3, thought(3)),
    done(4, fn(4)),
    completed(),
  );
  streamed(bytes, 9, contextOf({ memory }));
  const items = (id: string): unknown => (kept.has(id) ? JSON.parse(String(kept.get(id))).items : undefined);
  assert.deepEqual(items("call_1"), [{ id: "i_0", data: "gAAAA" }]);
  assert.equal(items("call_2"), undefined);
  assert.deepEqual(items("call_4"), [{ id: "i_3", data: "gAAAA" }]);
});

test("answers that were written are heard as they were said: 1,000 random ones, cut at random", () => {
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed < first + runsOf(1_000); seed += 1) {
    const head = headOf();
    const writer = new ResponseWriter(head, true);
    sayRandom(writer, randomOf(seed), true);
    writer.close();
    const bytes = writer.take();
    const random = randomOf(seed + 1);
    const again = new ResponseWriter({ ...head, id: "resp_other" }, true);
    const reader = responsesDecoder().stream(contextOf(), again);
    for (let from = 0; from < bytes.length; ) {
      const size = 1 + random(random(3) === 0 ? 3 : 2_000);
      reader.push(bytes.subarray(from, from + size));
      from += size;
    }
    reader.end();
    const meaning = (response: Record<string, unknown>): unknown =>
      JSON.parse(JSON.stringify(response, (key, value: unknown) => (key === "id" ? undefined : value)));
    assert.deepEqual(
      meaning(gather(shown(eventsOf(again.take())))),
      meaning(gather(shown(eventsOf(bytes)))),
      `seed ${seed}`,
    );
    const wholes = [new ResponseWriter(head, false), new ResponseWriter(head, false)] as const;
    sayRandom(wholes[0], randomOf(seed), true);
    const body = wholes[0].build() as Buffer;
    assert.ok(responsesDecoder().whole(body, contextOf(), wholes[1]));
    const parsed = (writer: ResponseWriter): unknown => meaning(JSON.parse(String(writer.build())));
    assert.deepEqual(parsed(wholes[1]), parsed(wholes[0]), `whole, seed ${seed}`);
  }
});

const cuts = runsOf(10_000);
test(`${cuts} random cuts of random answers: an end only where all of it came`, () => {
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed < first + cuts; seed += 1) {
    const random = randomOf(seed);
    const writer = new ResponseWriter(headOf(), true);
    sayRandom(writer, random, true);
    writer.close();
    const bytes = writer.take();
    const length = random(bytes.length - 2);
    const { sink, said } = recordingSink();
    const reader = responsesDecoder().stream(contextOf(), sink);
    for (let from = 0; from < length; ) {
      const size = 1 + random(500);
      reader.push(bytes.subarray(from, Math.min(length, from + size)));
      from += size;
    }
    reader.end();
    // A truncated event is reported as an error or not at all.
    const isEnded = said.some(([method]) => method === "close" || method === "finish");
    assert.equal(isEnded, false, `seed ${seed}: ${length} of ${bytes.length}`);
  }
});
