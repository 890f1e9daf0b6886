import assert from "node:assert/strict";
import { test } from "node:test";
import { triesOf } from "./attempt-outcome.ts";

const tried = (fault: string | null) => ({ fault, status: null, durationMs: 5 });
const outcomes = (request: Parameters<typeof triesOf>[0]) => triesOf(request).map(({ outcome }) => outcome);

test("one attempt that answered is made up from its request, and none from none", () => {
  const request = { state: "complete", attempts: 1, durationMs: 40, attemptLog: null } as const;
  assert.deepEqual(triesOf(request), [
    { attempt: { fault: null, status: null, durationMs: 40 }, outcome: "answered" },
  ]);
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
  const request = { attempts: 5, durationMs: 40, attemptLog } as const;
  const before = ["failed", "superseded", "caller_left", "failed"];
  assert.deepEqual(outcomes({ ...request, state: "incomplete" }), [...before, "cut"]);
  assert.deepEqual(outcomes({ ...request, state: "aborted" }), [...before, "caller_left"]);
  assert.deepEqual(outcomes({ ...request, state: "complete" }), [...before, "answered"]);
});
