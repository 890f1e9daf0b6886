/**
 * How the gateway reads messages that pass through unchanged: content, usage, ends, errors, and how much was
 * delivered.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSseReaderFactory, flagComment, flagNamed } from "../../../lib/sse/sse.ts";
import { runsOf } from "../../../lib/testing/runs.ts";
import type { StreamEvent } from "../../wire-protocol.ts";
import { MessageWriter } from "../encode-answer.ts";
import { headOf, randomOf, sayRandom, usage } from "../testing/answers.ts";
import { anthropicMessages } from "./answers.ts";
import { MessagesStreamReader, streamMarks } from "./stream-reader.ts";

const readers = createSseReaderFactory({ marks: streamMarks, eventBytesMax: 8 * 1024 * 1024 });

interface Passed {
  readonly reader: MessagesStreamReader;
  readonly events: (StreamEvent | "plain")[];
}

/** Calls the reader as the relay does. `cuts`: positions where the stream is split. */
function pass(bytes: Buffer, cuts: readonly number[] = []): Passed {
  const sse = readers.create();
  const reader = new MessagesStreamReader();
  const events: Passed["events"] = [];
  let hasContent = false;
  const ends = [...cuts, bytes.length];
  let from = 0;
  for (const to of ends) {
    sse.push(bytes.subarray(from, to));
    from = to;
    for (let index = 0; index < sse.count; index += 1) {
      const flags = sse.flags(index);
      if (flags === flagComment) continue;
      const isPlain = reader.isPlain(flags, sse.buffer[sse.dataStart(index)]);
      if (hasContent && isPlain) {
        reader.countPlain(sse.buffer, sse.eventStart(index), sse.eventEnd(index), sse.dataStart(index));
        events.push("plain");
        continue;
      }
      const name = (flags & flagNamed) === 0 ? undefined : sse.eventName(index);
      const event = reader.read(sse.dataText(index), flags, name);
      events.push(event);
      hasContent ||= event.hasContent;
      if (hasContent && event.kind === "part") reader.count(event);
    }
  }
  return { reader, events };
}

const sse = (...events: readonly object[]): Buffer =>
  Buffer.from(
    events
      .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(""),
  );

const startUsage = {
  input_tokens: 10,
  cache_read_input_tokens: 90,
  cache_creation_input_tokens: 4,
  cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 3 },
  output_tokens: 1,
};
const start = { type: "message_start", message: { id: "msg_1", content: [], usage: startUsage } };
const textStart = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const textDelta = (text: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text },
});
const blockStop = { type: "content_block_stop", index: 0 };
const ending = (more: object = { output_tokens: 7 }, reason: string | null = "end_turn") => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  usage: more,
});
const stop = { type: "message_stop" };
const ping = { type: "ping" };
const kinds = ({ events }: Passed): string[] =>
  events.map((event) => (event === "plain" ? event : event.kind));
const usageOf = ({ events }: Passed) =>
  anthropicMessages.readUsage(
    events.map((event) => (event === "plain" ? undefined : event.usage)).findLast((one) => one !== undefined),
  );

describe("a stream that passes", () => {
  test("deltas are plain, message_stop is the end; usage is the start's overlaid with the end's", () => {
    const passed = pass(
      sse(start, textStart, ping, textDelta("Hi"), textDelta(" there"), blockStop, ping, ending(), stop),
    );
    assert.deepEqual(kinds(passed), ["part", "part", "part", "part", "plain", "part", "part", "part", "end"]);
    const first = passed.events.findIndex((event) => event !== "plain" && event.hasContent);
    assert.equal(first, 3, "nothing before the first words is content, pings least of all");
    assert.deepEqual(usageOf(passed), {
      input: 10,
      cachedInput: 90,
      cacheWrite: 4,
      longCacheWrite: 3,
      output: 7,
      reasoning: 0,
    });
    assert.deepEqual(passed.reader.delivered, { events: 2, contentBytes: 8, mergedBytes: 0, images: 0 });
  });

  test("cumulative counts that come again are counted once, the last ones win, null says nothing", () => {
    const again = { input_tokens: 12, cache_read_input_tokens: null, output_tokens: 9 };
    const passed = pass(
      sse(
        start,
        textStart,
        textDelta("Hi"),
        blockStop,
        ending({ output_tokens: 3 }, null),
        ending(again),
        stop,
      ),
    );
    assert.equal(kinds(passed).at(-1), "end");
    const read = usageOf(passed);
    assert.deepEqual([read?.input, read?.cachedInput, read?.cacheWrite, read?.output], [12, 90, 4, 9]);
  });

  test("a stream that is cut reports nothing: what the start says of the output is no count", () => {
    assert.equal(usageOf(pass(sse(start, textStart, textDelta("Hi")))), undefined);
    const zeros = { input_tokens: 0, output_tokens: 0 };
    const silent = { ...start, message: { ...start.message, usage: zeros } };
    assert.equal(
      usageOf(pass(sse(silent, textStart, textDelta("Hi"), blockStop, ending(zeros), stop))),
      undefined,
    );
  });

  test("an end without a reason, [DONE] and what is no event are no end", () => {
    assert.equal(kinds(pass(sse(start, textStart, textDelta("Hi"), stop))).at(-1), "unsound");
    const told = (data: string): string[] => kinds(pass(Buffer.from(`data: ${data}\n\n`)));
    assert.deepEqual(told("[DONE]"), ["unsound"]);
    for (const data of ["7", "{", "{}"]) assert.deepEqual(told(data), ["error"], data);
    const error = { type: "error", error: { type: "overloaded_error", message: "" } };
    assert.deepEqual(kinds(pass(sse(error))), ["error"]);
    const later = Buffer.concat([sse(start, textStart, textDelta("Hi")), sse(error)]);
    assert.equal(kinds(pass(later)).at(-1), "error");
    const named = Buffer.from('event: error\ndata: {"x":1}\n\n');
    assert.deepEqual(kinds(pass(named)), ["error"]);
  });

  test("calls, thoughts and refusals are content; hidden thoughts, pings and inventions are none", () => {
    const block = (content_block: object) => ({ type: "content_block_start", index: 0, content_block });
    const delta = (one: object) => ({ type: "content_block_delta", index: 0, delta: one });
    const rows: readonly (readonly [object, boolean])[] = [
      [block({ type: "tool_use", id: "a", name: "f", input: {} }), true],
      [block({ type: "server_tool_use", id: "a", name: "web_search" }), true],
      [block({ type: "text", text: "" }), false],
      [block({ type: "text", text: "Hi" }), true],
      [block({ type: "thinking", thinking: "", signature: "" }), false],
      [block({ type: "redacted_thinking", data: "x" }), false],
      [delta({ type: "thinking_delta", thinking: "Hm" }), true],
      [delta({ type: "thinking_delta", thinking: "" }), false],
      [delta({ type: "signature_delta", signature: "x" }), false],
      [delta({ type: "input_json_delta", partial_json: "{" }), true],
      [delta({ type: "invented_delta", x: "y" }), false],
      [{ type: "invented_event", x: 1 }, false],
      [ping, false],
      [ending({ output_tokens: 0 }, "refusal"), true],
    ];
    for (const [event, hasContent] of rows) {
      const read = pass(sse(start, event)).events[1];
      assert.ok(read !== undefined && read !== "plain");
      assert.deepEqual([read.kind, read.hasContent], ["part", hasContent], JSON.stringify(event));
    }
  });

  test("what is delivered is counted by the deltas' own bytes, whatever the order of their members", () => {
    const count = (...deltas: string[]) => {
      const events = deltas
        .map((delta) => `data: {"type":"content_block_delta","index":0,"delta":${delta}}\n\n`)
        .join("");
      return pass(Buffer.concat([sse(start, textStart, textDelta("x")), Buffer.from(events)])).reader
        .delivered;
    };
    assert.equal(count('{"type":"text_delta","text":"four"}').contentBytes, 5);
    assert.equal(count('{"text":"four","type":"text_delta"}').contentBytes, 5);
    assert.equal(count('{"type":"input_json_delta","partial_json":"{\\"a\\":"}').contentBytes, 6);
    assert.equal(count('{"type":"thinking_delta","thinking":"日本"}').contentBytes, 7);
    assert.equal(count('{"type":"signature_delta","signature":"EqQBCkYIBxgC"}').contentBytes, 1);
    assert.equal(
      count('{"type":"text_delta","text":"a\\\\"}', '{"type":"text_delta","text":"b"}').contentBytes,
      4,
    );
    const text = (said: string): string => `{"type":"text_delta","text":"${said}"}`;
    assert.equal(
      count(text("four"), text("a\\n"), '{"type":"signature_delta","signature":"Eq"}', text("")).contentBytes,
      7,
    );
    assert.equal(count(text("a"), '{"type":"thinking_delta","thinking":"bc"}', text("d")).contentBytes, 5);
    assert.equal(count(text("a"), '{"text":"four","type":"text_delta"}', text("b")).contentBytes, 7);
    assert.equal(
      count(text("a"), '{"type":"text_delta","text":"bc", "more":"no"}', text("d")).contentBytes,
      5,
    );
    assert.equal(count(text("a"), '{"type":"text_delta","text":"b\\"}}"}', text("d")).contentBytes, 7);
    const long = "y".repeat(100);
    assert.deepEqual(count(`{"type":"text_delta","text":"${long}"}`), {
      events: 1,
      contentBytes: 1,
      mergedBytes: 100,
      images: 0,
    });
  });

  test("what we write is read the same however it is cut", () => {
    let cuts = 0;
    for (let seed = 1; cuts < runsOf(10_000); seed += 1) {
      const writer = new MessageWriter(headOf(), true);
      sayRandom(writer, randomOf(seed));
      writer.close();
      const bytes = writer.take();
      const all = pass(bytes);
      assert.equal(kinds(all).at(-1), "end");
      assert.equal(usageOf(all)?.input, usage.input);
      const random = randomOf(seed + 3);
      for (let count = 0; count < 20; count += 1) {
        const cut = pass(bytes, [random(bytes.length)]);
        assert.deepEqual(kinds(cut), kinds(all));
        assert.deepEqual(cut.reader.delivered, all.reader.delivered);
        cuts += 1;
      }
    }
  });
});

describe("a whole message", () => {
  const message = {
    type: "message",
    content: [
      { type: "thinking", thinking: "Hm", signature: "long signature" },
      { type: "text", text: "Hi" },
      { type: "tool_use", id: "a", name: "f", input: { x: "y" } },
    ],
    usage: startUsage,
  };
  const read = (value: object) => {
    const body = Buffer.from(JSON.stringify(value));
    return { body, whole: anthropicMessages.readWhole(body) };
  };

  test("has its usage and what the model wrote", () => {
    const { body, whole } = read(message);
    assert.ok(whole !== undefined);
    assert.equal(anthropicMessages.readUsage(whole.usage)?.cachedInput, 90);
    assert.equal(anthropicMessages.contentSize(body, whole.content).contentBytes, 6);
  });

  test("is none where it is an error or has no content; a usage of nothing is no report", () => {
    assert.equal(read({ type: "error", error: { type: "api_error" } }).whole, undefined);
    assert.equal(read({ content: "Hi" }).whole, undefined);
    const nothing = read({ ...message, usage: { input_tokens: 0, output_tokens: 0 } }).whole;
    assert.ok(nothing !== undefined && nothing.usage === undefined);
  });
});

test("files named by address are found in the request, each with the caller's own name of its place", () => {
  const source = { type: "url", url: "https://a.test/1.pdf" };
  const content = [
    { type: "document", source },
    { type: "document", source },
  ];
  const body = Buffer.from(JSON.stringify({ max_tokens: 9, messages: [{ role: "user", content }] }));
  const found = anthropicMessages.addressesOf({ body, spans: {}, isStream: false });
  assert.deepEqual(found, [
    { url: "https://a.test/1.pdf", param: "messages[0].content[0].source.url", kind: "file" },
  ]);
  const events = sse(ending());
  assert.equal(anthropicMessages.withoutUsage(events), events);
});
