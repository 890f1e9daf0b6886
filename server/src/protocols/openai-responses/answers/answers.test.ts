/**
 * How the gateway reads Responses that pass through: content, usage, ends, errors, and how much was
 * delivered.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSseReaderFactory, flagComment, flagNamed } from "../../../lib/sse/sse.ts";
import type { StreamEvent } from "../../wire-protocol.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { headOf, randomOf, sayRandom, usage } from "../testing/answers.ts";
import { eventsOf } from "../testing/gather.ts";
import { openaiResponses } from "./answers.ts";
import { ResponsesStreamReader, streamMarks } from "./stream-reader.ts";

const readers = createSseReaderFactory({ marks: streamMarks, eventBytesMax: 8 * 1024 * 1024 });

interface Passed {
  readonly reader: ResponsesStreamReader;
  readonly events: (StreamEvent | "plain")[];
}

/** Calls the reader as the relay does. */
function pass(bytes: Buffer, size = bytes.length): Passed {
  const sse = readers.create();
  const reader = new ResponsesStreamReader();
  const events: Passed["events"] = [];
  let hasContent = false;
  for (let at = 0; at < bytes.length; at += size) {
    sse.push(bytes.subarray(at, at + size));
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

const created = {
  type: "response.created",
  sequence_number: 0,
  response: { id: "resp_1", created_at: 7, model: "m", error: null, usage: null },
};
const delta = (text: string, more: object = {}) => ({
  type: "response.output_text.delta",
  sequence_number: 3,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: text,
  logprobs: [],
  ...more,
});
const report = { input_tokens: 3, output_tokens: 2 };
const completed = {
  type: "response.completed",
  response: { id: "resp_1", output: [], usage: report, error: null },
};
const kinds = ({ events }: Passed): string[] =>
  events.map((event) => (event === "plain" ? event : event.kind));

describe("a stream that passes", () => {
  test("deltas are plain, the terminal event is the end and has the usage", () => {
    const passed = pass(
      sse(
        created,
        { ...created, type: "response.in_progress" },
        { type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } },
        { type: "response.content_part.added", part: { type: "output_text", text: "" } },
        delta("Hi"),
        delta(" there", { obfuscation: "aXb39k" }),
        delta(""),
        { type: "response.output_text.done", text: "Hi there" },
        { type: "response.output_item.done", item: { type: "message", content: [{ text: "Hi there" }] } },
        completed,
      ),
    );
    assert.deepEqual(kinds(passed), [
      "part",
      "part",
      "part",
      "part",
      "part",
      "plain",
      "part",
      "part",
      "part",
      "end",
    ]);
    const content = passed.events.findIndex((event) => event !== "plain" && event.hasContent);
    assert.equal(content, 4, "nothing before the first words is content");
    const end = passed.events.at(-1);
    assert.ok(end !== "plain" && end?.usage !== undefined);
    assert.deepEqual(openaiResponses.readUsage(end.usage), {
      input: 3,
      cachedInput: 0,
      cacheWrite: 0,
      output: 2,
      reasoning: 0,
    });
    assert.deepEqual(passed.reader.delivered, { events: 2, contentBytes: 8, mergedBytes: 0, images: 0 });
  });

  test("OpenAI's preamble and then an error is an error before content", () => {
    const error = { code: "server_error", message: "no" };
    for (const failure of [
      { type: "error", ...error, param: null },
      { type: "error", error },
      { type: "response.failed", response: { id: "resp_1", status: "failed", error, usage: report } },
      { type: "response.completed", response: { status: "failed", error } },
    ]) {
      const passed = pass(sse(created, { ...created, type: "response.in_progress" }, failure));
      assert.deepEqual(kinds(passed), ["part", "part", "error"]);
      assert.ok(passed.events.every((event) => event !== "plain" && !event.hasContent));
      const later = pass(sse(created, delta("Hi"), { ...failure, delta: "x" }));
      assert.equal(kinds(later).at(-1), "error");
    }
  });

  test("a terminal event without a response, [DONE] and what is no event are no end", () => {
    assert.deepEqual(kinds(pass(sse(created, { type: "response.completed" }))), ["part", "unsound"]);
    const told = (data: string): string[] => kinds(pass(Buffer.from(`data: ${data}\n\n`)));
    assert.deepEqual(told("[DONE]"), ["unsound"]);
    for (const data of ["7", "{", "{}", '{"error":{"message":"no"}}'])
      assert.deepEqual(told(data), ["error"]);
    const broken = Buffer.concat([sse(created, delta("Hi")), Buffer.from("data: oops\n\n")]);
    assert.equal(kinds(pass(broken)).at(-1), "error");
    const named = Buffer.concat([sse(created, delta("Hi")), Buffer.from('event: error\ndata: {"x":1}\n\n')]);
    assert.equal(kinds(pass(named)).at(-1), "error", "what has no type is judged by its name");
  });

  test("calls and whole items are content; hidden thoughts alone are none", () => {
    const added = (item: object) => ({ type: "response.output_item.added", item });
    const done = (item: object) => ({ type: "response.output_item.done", item });
    const rows: readonly (readonly [object, boolean])[] = [
      [added({ type: "function_call", name: "f", arguments: "" }), true],
      [added({ type: "reasoning", summary: [] }), false],
      [done({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" }), false],
      [done({ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] }), true],
      [done({ type: "message", content: [{ type: "output_text", text: "Hi" }] }), true],
      [{ type: "response.of_next_month" }, false],
    ];
    for (const [event, isContent] of rows) {
      const [, read] = pass(sse(created, event)).events;
      assert.ok(read !== "plain" && read?.hasContent === isContent, JSON.stringify(event));
    }
  });

  test("an answer that comes at its end alone is content and end at once", () => {
    const output = [{ type: "message", content: [{ type: "output_text", text: "Hi there" }] }];
    const passed = pass(sse(created, { type: "response.completed", response: { output, usage: report } }));
    const end = passed.events.at(-1);
    assert.ok(end !== "plain" && end?.kind === "end" && end.hasContent);
    assert.equal(passed.reader.delivered.contentBytes, 8);
    const items = pass(sse(created, { type: "response.output_item.done", item: output[0] }, completed));
    assert.equal(items.reader.delivered.contentBytes, 8, "without deltas whole items count");
  });

  test("what was delivered is counted in the text's own bytes", () => {
    const texts = ["a", "ö", "日本語", '"q"', "\\n\n\t", "x".repeat(500), "\u{1f600}"];
    const { reader } = pass(sse(created, ...texts.map((one) => delta(one))));
    const { contentBytes, mergedBytes, events } = reader.delivered;
    assert.deepEqual([events, mergedBytes], [texts.length - 1, 500]);
    assert.equal(contentBytes + 500, Buffer.byteLength(texts.join("")));
    const escaped = Buffer.from(
      sse(created, delta("x"), delta("@@")).toString().replace("@@", "\\u00e4\\u65e5\\ud83d\\ude00"),
    );
    const counted = pass(escaped).reader.delivered.contentBytes - 1;
    assert.ok(Math.abs(counted - 9) <= 2, String(counted));
  });

  test("a failure goes on with the response that began, and the numbers of what was passed on", () => {
    const passed = sse(created, { type: "response.x", item: {} }, delta("Hi"), delta(" there"));
    const own = sse({ type: "response.failed", response: { id: "resp_1", status: "failed" } });
    const end = { code: "upstream_error", type: "server_error", message: "m", status: 502 };
    const [error, failed] = eventsOf(pass(passed).reader.failure(end));
    assert.deepEqual([error?.["sequence_number"], failed?.["sequence_number"]], [4, 5]);
    const [replaced] = eventsOf(pass(Buffer.concat([passed, own])).reader.failure(end));
    assert.equal(replaced?.["sequence_number"], 4);
    const response = failed?.["response"] as Record<string, unknown> | undefined;
    assert.deepEqual([response?.["id"], response?.["created_at"], response?.["model"]], ["resp_1", 7, "m"]);
    const fresh = eventsOf(
      new ResponsesStreamReader().failure({ code: "x", type: "t", message: "m", status: 500 }),
    );
    assert.equal(fresh[0]?.["sequence_number"], 0);
  });
});

test("what the writer writes is read as it was meant: 500 random answers, in pieces of any size", () => {
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed < first + 500; seed += 1) {
    const random = randomOf(seed);
    const writer = new ResponseWriter(headOf(), true);
    sayRandom(writer, random);
    writer.close();
    const bytes = writer.take();
    const whole = pass(bytes);
    const cut = pass(bytes, 1 + random(300));
    assert.deepEqual(kinds(cut), kinds(whole), `seed ${seed}`);
    assert.deepEqual(cut.reader.delivered, whole.reader.delivered, `seed ${seed}`);
    assert.equal(kinds(whole).at(-1), "end", `seed ${seed}`);
    const aside = whole.events.filter((event) => event !== "plain" && event.isUsageOnly);
    assert.equal(aside.length, 1, "usage is known before the end");
    const written = eventsOf(bytes).filter(({ type }) => type.endsWith(".delta"));
    const length = written.reduce((sum, event) => sum + Buffer.byteLength(String(event["delta"])), 0);
    const { contentBytes, mergedBytes } = whole.reader.delivered;
    assert.equal(contentBytes + mergedBytes, length, `seed ${seed}`);
  }
});

describe("a whole answer that passes", () => {
  const whole = (body: object | string) =>
    openaiResponses.readWhole(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

  test("has output, usage, and bytes that the model wrote", () => {
    const writer = new ResponseWriter(headOf(), false);
    writer.reasoning("Hm");
    writer.opaqueReasoning({ format: "v", data: "hidden" });
    writer.text("Hi ö");
    writer.toolCall(0, { id: "call_1", name: "f" });
    writer.finish("tool_calls");
    writer.usage(usage);
    const body = writer.build() as Buffer;
    const answer = openaiResponses.readWhole(body);
    assert.ok(answer !== undefined);
    assert.deepEqual(openaiResponses.readUsage(answer.usage), usage);
    assert.equal(
      openaiResponses.contentSize(body, answer.content).contentBytes,
      "Hm".length + 5 + "f{}".length,
    );
  });

  test("that failed, is not over or is none is no answer", () => {
    const output: unknown[] = [];
    for (const body of [
      "",
      "{",
      "[]",
      {},
      { output: {} },
      { output, error: { code: "x" } },
      { output, status: "failed" },
      { output, status: "queued" },
      { output, status: 7 },
    ])
      assert.equal(whole(body), undefined, JSON.stringify(body));
    assert.ok(whole({ output, error: null, status: "incomplete", usage: null }) !== undefined);
    assert.equal(whole({ output })?.usage, undefined);
  });
});

test("files named by address are found; usage is shown to everybody", () => {
  const body = Buffer.from(
    JSON.stringify({
      input: [{ role: "user", content: [{ type: "input_image", image_url: "https://a.test/1.png" }] }],
    }),
  );
  const found = openaiResponses.addressesOf({ body } as Parameters<typeof openaiResponses.addressesOf>[0]);
  assert.deepEqual(found, [
    { url: "https://a.test/1.png", param: "input[0].content[0].image_url", kind: "image" },
  ]);
  const events = sse(created);
  assert.equal(openaiResponses.withoutUsage(events), events);
});
