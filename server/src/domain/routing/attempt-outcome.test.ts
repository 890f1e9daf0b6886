import assert from "node:assert/strict";
import { test } from "node:test";
import { triesOf } from "./attempt-outcome.ts";

const tried = (fault: string | null) => ({ fault, status: null, durationMs: 5 });
const outcomes = (request: Parameters<typeof triesOf>[0]) => triesOf(request).map(({ outcome }) => outcome);

test("one attempt that answered is made up from its request, and none from none", () => {
  const times = { durationMs: 40, firstTokenMs: 25, queueMs: 5 };
  const request = { ...times, state: "complete", attempts: 1, attemptLog: null } as const;
  const [only, ...others] = triesOf(request);
  assert.deepEqual(only, {
    attempt: { fault: null, status: null, startMs: 5, durationMs: 35 },
    ...{ outcome: "answered", startMs: 5, durationMs: 35, firstTokenMs: 20 },
  });
  assert.deepEqual(others, []);
  assert.deepEqual(outcomes({ ...request, state: "failed", attempts: 0 }), []);
  assert.deepEqual(outcomes({ ...request, state: "aborted" }), ["caller_left"]);
});

test("only the last attempt can have been cut or left", () => {
  const attemptLog = [
    tried("server"),
    tried("superseded"),
    tried("caller_left"),
    tried("invented"),
    tried(null),
  ];
  const request = { attempts: 5, durationMs: 40, firstTokenMs: null, queueMs: null, attemptLog } as const;
  const before = ["failed", "superseded", "caller_left", "failed"];
  assert.deepEqual(outcomes({ ...request, state: "incomplete" }), [...before, "cut"]);
  assert.deepEqual(outcomes({ ...request, state: "aborted" }), [...before, "caller_left"]);
  assert.deepEqual(outcomes({ ...request, state: "complete" }), [...before, "answered"]);
});

test("of a row of an older server the times that were not recorded stay unknown", () => {
  const request = {
    state: "complete",
    attempts: 1,
    durationMs: 40,
    firstTokenMs: 25,
    queueMs: null,
  } as const;
  const times = (attemptLog: Parameters<typeof triesOf>[0]["attemptLog"]) =>
    triesOf({ ...request, attemptLog }).map(({ startMs, durationMs, firstTokenMs }) => [
      startMs,
      durationMs,
      firstTokenMs,
    ]);
  assert.deepEqual(times(null), [[null, 40, null]]);
  assert.deepEqual(times([tried("server"), tried(null)]), [
    [null, 5, null],
    [null, 5, null],
  ]);
});

test("the first token is the last attempt's, from its start on", () => {
  const attemptLog = [
    { ...tried("server"), startMs: 2 },
    { ...tried(null), startMs: 10, durationMs: 28.6 },
  ];
  const request = { state: "complete", attempts: 2, durationMs: 40, firstTokenMs: 25, queueMs: 2 } as const;
  assert.deepEqual(
    triesOf({ ...request, attemptLog }).map(({ startMs, durationMs, firstTokenMs }) => [
      startMs,
      durationMs,
      firstTokenMs,
    ]),
    [
      [2, 5, null],
      [10, 29, 15],
    ],
  );
});
