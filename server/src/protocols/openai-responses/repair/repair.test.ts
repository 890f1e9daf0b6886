/**
 * Answers of servers that leave out what OpenAI sends: well-formed ones pass byte for byte, the others get
 * what they lack, however their bytes are cut. `test/behaviour/bugs/` has the same bugs from end to end.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson, recordOf } from "../../../lib/record.ts";
import type { AnswerContext } from "../../protocol.ts";
import { eventsOfResponse } from "../answers/replay.ts";
import { eventsOf, gather, type WireEvent } from "../testing/gather.ts";
import { responsesRepair } from "./repair.ts";

const context = { id: "resp_req_1", createdSeconds: 7, model: "m" } as AnswerContext;

/** `size`: bytes of each chunk. */
function repaired(bytes: Buffer, size = bytes.length): Buffer {
  const stream = responsesRepair.stream(context);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size)
    out.push(Buffer.from(stream.push(Buffer.from(bytes.subarray(at, at + size)))));
  return Buffer.concat([...out, stream.end()]);
}

const sse = (...events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** Named, as the strict client wants them. */
const named = (...events: readonly { readonly type: string }[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\n${sse(event)}`).join(""));

/** Repairs at many cuts, which must not change what comes out. */
function gathered(bytes: Buffer): {
  readonly events: WireEvent[];
  readonly response: Record<string, unknown>;
} {
  const out = repaired(bytes);
  for (const size of [1, 2, 7, 64, 333]) assert.equal(repaired(bytes, size).toString(), out.toString());
  const events = eventsOf(out);
  return { events, response: gather(events) };
}

const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 14,
};
const message = (text: string, id = "msg_1") => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations: [], logprobs: [], text }],
});
const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "c",
  name: "f",
  arguments: "{}",
};
const whole = (output: readonly object[]) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "up",
  output,
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [
    { type: "function", parameters: { delta: {}, item_id: {}, output_index: {}, sequence_number: {} } },
  ],
  usage,
});

test("a well-formed stream passes byte for byte, with items and members of unknown types", () => {
  const output = [
    {
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "QQ",
    },
    { id: "rs_2", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "So." }] },
    message("é 😀"),
    { id: "ws_1", type: "web_search_call", status: "completed", action: { query: "q" } },
    { id: "x_1", type: "of_next_month", data: [1, { a: null }] },
    call,
    { id: "ct_1", type: "custom_tool_call", status: "completed", call_id: "d", name: "g", input: "i" },
  ];
  const stream = eventsOfResponse(Buffer.from(JSON.stringify({ ...whole(output), of_next_month: 1.5 })));
  for (const size of [stream.length, 1, 3, 100, 4_096])
    assert.equal(repaired(stream, size).toString(), stream.toString());
  const more = Buffer.from(
    ': c\n\nevent: response.x\ndata: {"type":"response.x","sequence_number":0,"delta":""}\n\n',
  );
  assert.equal(repaired(Buffer.concat([stream, more])).toString(), `${stream}${more}`);
});

test("a stream cut anywhere keeps its whole events and says nothing else", () => {
  const stream = eventsOfResponse(Buffer.from(JSON.stringify(whole([message("Hello"), call]))));
  for (let bytes = 0; bytes < stream.length; bytes += 1) {
    const cut = stream.toString("utf8", 0, bytes);
    const out = repaired(stream.subarray(0, bytes)).toString().trimEnd();
    const ended = Math.max(cut.lastIndexOf("\n\n"), 0);
    const isLastWhole = parseJson(cut.slice(cut.lastIndexOf("data:") + 5)) !== undefined;
    assert.equal(out, isLastWhole ? cut.trimEnd() : cut.slice(0, ended));
  }
});

test("an event that is no JSON passes as it came", () => {
  const begun = named({ type: "response.created" });
  const broken = 'data: {"type":"response.output_item.added","item":{"type":"message"\n\n';
  assert.ok(
    repaired(Buffer.concat([begun, Buffer.from(broken)]))
      .toString()
      .endsWith(broken),
  );
});

test("text deltas and a bare end: the least that servers send", () => {
  const bytes = named(
    { type: "response.output_text.delta", delta: "Hel" } as { type: string },
    { type: "response.output_text.delta", delta: "lo" } as { type: string },
    { type: "response.completed", response: { status: "completed" } } as { type: string },
  );
  const { events, response } = gathered(bytes);
  const [item] = response["output"] as Record<string, unknown>[];
  assert.deepEqual(item, message("Hello", "msg_1_0"));
  assert.deepEqual(
    [response["id"], response["object"], response["created_at"], response["model"], response["usage"]],
    ["resp_req_1", "response", 7, "m", null],
  );
  assert.deepEqual(
    events.map(({ type }) => type.replace("response.", "")),
    [
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
    ].concat(["output_text.done", "content_part.done", "output_item.done", "completed"]),
  );
});

test("a call whose name comes only with its end is said whole then", () => {
  const bytes = named(
    { type: "response.created", response: { id: "resp_2", model: "up" } } as { type: string },
    { type: "response.in_progress", response: { id: "resp_2" } } as { type: string },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: "{" } as { type: string },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: "}" } as { type: string },
    { type: "response.output_item.done", output_index: 0, item: call } as { type: string },
    { type: "response.completed", response: {} } as { type: string },
  );
  const { response } = gathered(bytes);
  assert.deepEqual([response["id"], response["model"], response["output"]], ["resp_2", "up", [call]]);
});

test("calls side by side that no event ends have their own arguments", () => {
  const begun = (index: number) => ({
    type: "response.output_item.added",
    output_index: index,
    item: { type: "function_call", call_id: `c${index}`, name: "f", arguments: "", status: "in_progress" },
  });
  const delta = (output_index: number, text: string) => ({
    type: "response.function_call_arguments.delta",
    output_index,
    delta: text,
  });
  const bytes = named(
    begun(0),
    begun(1),
    ...[delta(0, '{"a":'), delta(1, '{"b":'), delta(0, "0}"), delta(1, "1}")],
    { type: "response.completed", response: { output: [] } } as { type: string },
  );
  const output = gathered(bytes).response["output"] as Record<string, unknown>[];
  assert.deepEqual(
    output.map(({ id, call_id, arguments: text }) => [id, call_id, text]),
    [
      ["fc_1_0", "c0", '{"a":0}'],
      ["fc_1_1", "c1", '{"b":1}'],
    ],
  );
});

test("one call without an end, and numbers that are missing, change no other event", () => {
  const stream = eventsOfResponse(Buffer.from(JSON.stringify(whole([call, message("a")])))).toString();
  const lacking = stream
    .replace(
      /event: response.function_call_arguments.done\n.*\n\nevent: response.output_item.done\n.*\n\n/,
      "",
    )
    .replaceAll(/"sequence_number":\d+,/g, "");
  const { events, response } = gathered(Buffer.from(lacking));
  assert.deepEqual(response["output"], [call, message("a")]);
  assert.equal(events.length, eventsOf(Buffer.from(stream)).length);
});

test("items that a server puts at one place are several", () => {
  const calls = [1, 2, 3].map((n) => ({ ...call, id: `fc_${n}`, call_id: `c${n}`, arguments: `{"n":${n}}` }));
  const stream = eventsOfResponse(Buffer.from(JSON.stringify(whole(calls)))).toString();
  const one = stream.replaceAll(/"output_index":\d/g, '"output_index":0');
  assert.equal(repaired(Buffer.from(one)).toString(), stream);
  assert.deepEqual(gathered(Buffer.from(one)).response["output"], calls);
  const texts = [message("a", "msg_1"), message("b", "msg_2")];
  const said = eventsOfResponse(Buffer.from(JSON.stringify(whole(texts)))).toString();
  const unbegun = said
    .replaceAll(/"output_index":\d/g, '"output_index":0')
    .replaceAll(/event: response.(?:output_item|content_part).added\n.*\n\n/g, "");
  assert.deepEqual(gathered(Buffer.from(unbegun)).response["output"], texts);
  const ends = one.replaceAll(/event: response.(?:output_item.added|function_call.*)\n.*\n\n/g, "");
  assert.deepEqual(gathered(Buffer.from(ends)).response["output"], calls);
});

test("a number that is null is one that is missing", () => {
  const stream = eventsOfResponse(Buffer.from(JSON.stringify(whole([message("a")])))).toString();
  const lacking = stream.replaceAll(/"sequence_number":\d+/g, '"sequence_number":null');
  assert.equal(repaired(Buffer.from(lacking)).toString(), stream);
});

test("usage gets the details that it lacks, and keeps what it has", () => {
  const endWith = (report: object) => ({ type: "response.completed", response: { usage: report } });
  const end = (report: object) =>
    recordOf(recordOf(eventsOf(repaired(named(endWith(report)))).at(-1))["response"])["usage"];
  assert.deepEqual(end({ input_tokens: 9, output_tokens: 5 }), {
    ...usage,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  });
  const odd = { ...usage, input_tokens_details: { audio_tokens: 2 }, x: 1 };
  assert.deepEqual(end(odd), { ...odd, input_tokens_details: { audio_tokens: 2, cached_tokens: 0 } });
});

test("errors and failed responses pass as they are, and so does all after the end", () => {
  for (const event of [
    { type: "error", code: "server_error", message: "no" },
    { error: { message: "no" } },
    { type: "response.failed", response: { status: "failed", error: { code: "x" } } },
    { type: "response.completed", response: { error: { code: "x" } } },
    { type: "response.completed", response: { status: "failed" } },
  ]) {
    const bytes = Buffer.concat([sse(event), sse({ type: "response.output_text.delta", delta: "x" })]);
    assert.equal(repaired(bytes).toString(), bytes.toString(), JSON.stringify(event));
  }
  for (const odd of ["data: [DONE]\n\n", "data: 7\n\n", ": c\n\n", "event: x\n\n", "data: [1]\n\n"])
    assert.equal(repaired(Buffer.from(odd)).toString(), odd);
});

test("an end without a response is none", () => {
  const out = eventsOf(repaired(named({ type: "response.completed" })));
  assert.equal(out.at(-1)?.["response"], undefined);
});

test("a whole answer keeps its bytes, or gets what it lacks", () => {
  const answer = (body: object | string): string =>
    String(
      responsesRepair.whole(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), context),
    );
  const sound = JSON.stringify(whole([message("a")]), null, 1);
  assert.equal(answer(sound), sound);
  assert.deepEqual(JSON.parse(answer({ output: [call], usage: { input_tokens: 9, output_tokens: 5 } })), {
    ...whole([call]),
    id: "resp_req_1",
    created_at: 7,
    model: "m",
    tools: [],
    usage: {
      ...usage,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  });
  const cut = { output: [], incomplete_details: { reason: "max_output_tokens" } };
  assert.equal(JSON.parse(answer(cut)).status, "incomplete");
  const own = { id: "resp_own", output: [] };
  assert.equal(JSON.parse(answer(own)).id, "resp_own");
  for (const other of [
    '{"error":{"message":"no"}}',
    '{"output":[],"error":{"code":"x"}}',
    "<html>",
    "[]",
    "{}",
  ])
    assert.equal(answer(other), other);
});
