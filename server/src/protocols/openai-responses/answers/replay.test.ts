/** A stored response as events: what a strict client gathers from them is the stored response. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseWriter } from "../encode-answer.ts";
import { headOf, randomOf, sayRandom } from "../testing/answers.ts";
import { eventsOf, gather } from "../testing/gather.ts";
import { eventsOfResponse } from "./replay.ts";

const replayed = (response: object, after?: number) =>
  eventsOf(eventsOfResponse(Buffer.from(JSON.stringify(response)), after));

/** A random answer as the writer of whole answers builds it. */
function built(seed: number): Record<string, unknown> {
  const random = randomOf(seed);
  const writer = new ResponseWriter(headOf(), false);
  sayRandom(writer, random, seed % 2 === 0);
  return JSON.parse(String(writer.build()));
}

test("random answers come back whole from their events", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const response = built(seed);
    assert.deepEqual(gather(replayed(response)), response, `seed ${seed}`);
  }
});

const message = {
  id: "msg_1",
  type: "message",
  status: "completed",
  phase: "final_answer",
  role: "assistant",
  content: [
    {
      type: "output_text",
      text: 'é\u2028"\\',
      annotations: [{ type: "file_citation", index: 1, file_id: "f" }],
      logprobs: [{ token: "é", logprob: -0.5, bytes: [195, 169], top_logprobs: [] }],
    },
    { type: "refusal", refusal: "No." },
    { type: "of_tomorrow", value: 12345678901234567890n.toString() },
  ],
};
const whole = (output: readonly object[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  usage: { input_tokens: 1 },
  ...more,
});

test("parts, annotations and fields that Plaza does not know stay", () => {
  const response = whole([message]);
  const events = replayed(response);
  assert.deepEqual(gather(events), response);
  const [created, , added] = events;
  assert.deepEqual(created?.["response"], { ...response, status: "in_progress", output: [], usage: null });
  assert.deepEqual(added?.["item"], { ...message, status: "in_progress", content: [] });
});

test("reasoning in words, tools' items and images have their events; a secret comes with the end", () => {
  const output = [
    {
      id: "rs_1",
      type: "reasoning",
      encrypted_content: "opaque",
      summary: [{ type: "summary_text", text: "Hm" }],
      content: [{ type: "reasoning_text", text: "thought" }],
    },
    { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } },
    { id: "ig_1", type: "image_generation_call", status: "completed", result: "AAAA" },
    { type: "function_call", call_id: "c", name: "f", arguments: "{}", status: "completed" },
    { id: "x_1", type: "of_tomorrow", input: "x" },
  ];
  const events = replayed(whole(output));
  const types = (index: number): string[] =>
    events
      .filter((event) => event["output_index"] === index)
      .map(({ type }) => type.replace("response.", ""));
  assert.deepEqual(types(0), [
    "output_item.added",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "content_part.added",
    "reasoning_text.delta",
    "reasoning_text.done",
    "content_part.done",
    "output_item.done",
  ]);
  const toolEvents = ["output_item.added", "web_search_call.in_progress", "web_search_call.completed"];
  assert.deepEqual(types(1), [...toolEvents, "output_item.done"]);
  assert.deepEqual(types(2).length, 4);
  for (const index of [3, 4]) assert.deepEqual(types(index), ["output_item.added", "output_item.done"]);
  const itemsIn = (type: string) => events.filter((event) => event.type === type).map(({ item }) => item);
  assert.deepEqual(itemsIn("response.output_item.done"), output);
  const [thoughts, , image] = itemsIn("response.output_item.added") as Record<string, unknown>[];
  assert.deepEqual(thoughts, { id: "rs_1", type: "reasoning", summary: [], content: [] });
  assert.equal(image?.["result"], null);
  assert.deepEqual(events.at(-1)?.["response"], whole(output));
});

test("each status has its ending", () => {
  for (const [status, type] of [
    ["completed", "response.completed"],
    ["incomplete", "response.incomplete"],
    ["failed", "response.failed"],
    ["cancelled", "response.failed"],
  ]) {
    const events = replayed(whole([], { status, error: { code: "x" }, incomplete_details: { reason: "y" } }));
    assert.equal(events.at(-1)?.type, type);
    const begun = events[0]?.["response"];
    assert.deepEqual(
      begun,
      whole([], { status: "in_progress", usage: null, error: null, incomplete_details: null }),
    );
  }
});

test("events up to a number are left out, but the terminal one, which stays above it", () => {
  const response = whole([message]);
  const all = replayed(response);
  const last = all.length - 1;
  for (let after = -1; after < last; after += 1)
    assert.deepEqual(replayed(response, after), all.slice(after + 1), `after ${after}`);
  for (const after of [last, last + 1, 1_000_000])
    assert.deepEqual(replayed(response, after), [{ ...all[last], sequence_number: after + 1 }]);
});

test("numbers that JavaScript has not, and spaces, pass as they are", () => {
  const text =
    '{ "id" : "resp_1", "status":"completed", "big": 12345678901234567890 , "output" : [ {"id":"a","type":"t","n":1.0} ] }';
  const events = eventsOfResponse(Buffer.from(text)).toString();
  assert.equal(events.split("12345678901234567890").length, 4);
  assert.equal(events.split('{"id":"a","type":"t","n":1.0}').length, 4);
});
