/** How requests end: the row's status and state, the error sent, and the last bytes of the answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { noDelivery } from "../../domain/money/estimate.ts";
import type { AttemptEnd } from "../dispatch/attempt/attempt.ts";
import type { Dispatched } from "../dispatch/dispatch.ts";
import { deliver, endingOf, errorOf } from "./ending.ts";
import type { Admitted, Answered, Repeated, Settled } from "./phases.ts";
import { Reply } from "./reply.ts";
import { ScriptedCaller } from "./testing/scripted-caller.ts";

const rest = { usage: undefined, delivered: noDelivery };
const fault = { kind: "rate_limit", retryAfterMs: 7_000 } as const;
const body = Buffer.from('{"said":"hi"}');
const tail = Buffer.from("data: END\n\n");
const ends = {
  answer: { kind: "answer", body, ...rest },
  stream: { kind: "stream", tail, ...rest },
  cut: { kind: "cut", fault, ...rest },
  fault: { kind: "fault", fault, usage: undefined },
  aborted: { kind: "aborted", ...rest },
} as const satisfies Record<string, AttemptEnd>;

const protocol = { errors: { readsOverflow: (text: string) => text === "Full." } };
const admitted = (ended?: GatewayError) =>
  ({ call: { caller: { ended } }, endpoint: { promptField: "ask", protocol } }) as unknown as Admitted;
const dispatched = (end: AttemptEnd, attempts = 1, context: number | undefined = undefined) =>
  ({ end, attempts, resolved: { model: { model: { context } } } }) as unknown as Dispatched;

/** A reply whose caller is connected or gone, before or during a stream. */
function replyOf(state: "waiting" | "gone" | "gone in a stream" | "streaming") {
  const caller = new ScriptedCaller("", {});
  const reply = new Reply(caller, "req_1", undefined);
  if (state.endsWith("stream") || state === "streaming") reply.beginStream();
  if (state.startsWith("gone")) caller.leave();
  return { caller, reply };
}

test("an answer has no error; a fault has its own, and is not to be repeated where we tried more than once", () => {
  for (const kind of ["answer", "stream", "aborted"] as const) {
    assert.equal(errorOf(admitted(), dispatched(ends[kind])), undefined);
  }
  for (const kind of ["fault", "cut"] as const) {
    const error = errorOf(admitted(), dispatched(ends[kind], 2));
    assert.deepEqual([error?.code, error?.detail.retryAfterMs], ["rate_limit_exceeded", 7_000]);
  }
  const server = { kind: "fault", fault: { kind: "server" }, usage: undefined } as const;
  assert.equal(errorOf(admitted(), dispatched(server, 1))?.detail.shouldRetry, undefined);
  assert.equal(errorOf(admitted(), dispatched(server, 2))?.detail.shouldRetry, false);
});

test("a key that was shut down is told why, where that is what ended the call", () => {
  const ended = new GatewayError("account_suspended");
  const keyEnded = { kind: "fault", fault: { kind: "key_ended" }, usage: undefined } as const;
  assert.equal(errorOf(admitted(ended), dispatched(keyEnded)), ended);
  assert.equal(errorOf(admitted(ended), dispatched(ends.fault))?.code, "rate_limit_exceeded");
  assert.equal(errorOf(admitted(), dispatched(keyEnded))?.code, "invalid_api_key");
});

test("what is too long for the model that was asked names its field and its room", () => {
  const tooLong = { kind: "fault", fault: { kind: "context_length" }, usage: undefined } as const;
  const error = errorOf(admitted(), dispatched(tooLong, 1, 8_192));
  assert.equal(error?.detail.param, "ask");
  assert.match(error?.message ?? "", /8192/);
  const read = { kind: "fault", fault: { kind: "context_length", message: "Full." } } as const;
  assert.equal(errorOf(admitted(), dispatched({ ...read, usage: undefined }))?.message, "Full.");
});

test("state and status of the row follow the end, the error, and whether the caller is still there", () => {
  const error = new GatewayError("upstream_timeout");
  for (const [end, state, told, expected] of [
    ["answer", "waiting", undefined, [200, "complete", null]],
    ["stream", "streaming", undefined, [200, "complete", null]],
    ["fault", "waiting", error, [504, "failed", "upstream_timeout"]],
    ["fault", "streaming", error, [200, "failed", "upstream_timeout"]],
    ["cut", "streaming", error, [200, "incomplete", "upstream_timeout"]],
    ["aborted", "gone", undefined, [499, "aborted", null]],
    ["aborted", "gone in a stream", undefined, [200, "aborted", null]],
    ["answer", "gone", undefined, [499, "aborted", null]],
    ["fault", "gone", error, [499, "aborted", "upstream_timeout"]],
  ] as const) {
    const outcome = { dispatched: dispatched(ends[end]), error: told };
    const phase = { name: "answered", outcome } as unknown as Answered;
    const { reply } = replyOf(state);
    const ending = endingOf(phase, reply);
    assert.deepEqual([ending.status, ending.state, ending.errorCode], expected, `${end} ${state}`);
    assert.deepEqual(ending.kept, { end: ends[end], error: told, reply });
  }
});

test("an answer that is given again is complete, with its own status, and is not kept once more", () => {
  const phase = { name: "repeated", earlier: { answer: { status: 200 } } } as unknown as Repeated;
  assert.deepEqual(endingOf(phase, replyOf("gone").reply), {
    status: 200,
    state: "complete",
    errorCode: null,
    kept: undefined,
  });
});

const settled = (changes: object) => ({ charge: nanoUsd(2_000_000n), ...changes }) as Settled;

test("the end of an answer goes down with its charge, the end of a stream as its upstream wrote it", () => {
  const whole = replyOf("waiting");
  deliver(settled({ outcome: { dispatched: dispatched(ends.answer) } }), whole.reply);
  assert.deepEqual([whole.caller.status, whole.caller.text], [200, body.toString()]);
  assert.equal(whole.caller.headerOf("x-plaza-charge"), "0.002");
  const stream = replyOf("streaming");
  deliver(settled({ outcome: { dispatched: dispatched(ends.stream) } }), stream.reply);
  assert.equal(stream.caller.text, tail.toString());
});

test("an error is thrown for whoever tells it, and nothing of an answer goes down before", () => {
  const error = new GatewayError("upstream_timeout");
  const { caller, reply } = replyOf("waiting");
  const phase = settled({ outcome: { error, dispatched: dispatched(ends.answer) } });
  assert.throws(() => deliver(phase, reply), error);
  assert.deepEqual([caller.status, caller.text], [0, ""]);
});

test("a caller that left gets nothing, an aborted attempt nothing, and an earlier answer comes first", () => {
  const gone = replyOf("gone");
  deliver(settled({ outcome: { dispatched: dispatched(ends.answer) } }), gone.reply);
  assert.equal(gone.caller.text, "");
  const aborted = replyOf("waiting");
  deliver(settled({ outcome: { dispatched: dispatched(ends.aborted) } }), aborted.reply);
  assert.deepEqual([aborted.caller.status, aborted.caller.text], [0, ""]);
  const again = replyOf("waiting");
  const answer = { status: 200, headers: ["content-type", "x/y"], body: Buffer.from("before") };
  deliver(settled({ earlier: { requestId: "req_0", answer } }), again.reply);
  assert.equal(again.caller.text, "before");
});
