/** P13's checks on made-up results: a late call is excused only by proven lateness of the rig. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stalledMs, watchStalls } from "../harness/measure/stalls.ts";
import { isRigsFault, type Left, noticed } from "../streams/p13-abort.ts";
import type { CallRecord } from "../upstream/journal.ts";

const left: Left = {
  id: "one",
  phase: { name: "stream", isStream: true, plan: {} },
  leftAt: 1000,
  closedAt: 1001,
};

function call(endedAt: number | undefined, end: CallRecord["end"] = "cancelled"): CallRecord {
  const book = { path: "/", headers: [], bodySha256: "", bodyLength: 0, isStream: true, fault: "" };
  return { ...book, id: "one", acceptedAt: 900, end, endedAt };
}

const isExcused = (
  calls: readonly CallRecord[],
  stalls: readonly { from: number; to: number }[],
): boolean => {
  const seen = noticed(left, calls, stalls);
  assert.ok(seen);
  return isRigsFault(seen);
};

test("a late call is excused by a stall of the upstream's loop that covers what is too much, and by nothing less", () => {
  assert.equal(isExcused([call(1300)], [{ from: 1200, to: 1300 }]), true);
  assert.equal(isExcused([call(1300)], [{ from: 1260, to: 1300 }]), false, "too short");
  assert.equal(isExcused([call(1300)], [{ from: 700, to: 990 }]), false, "before the caller left");
  assert.equal(isExcused([call(1300)], [{ from: 1310, to: 1900 }]), false, "after it was seen");
  assert.equal(isExcused([call(1300)], []), false, "no stall at all");
});

test("a call in time needs no excuse, and one that is never noticed has none", () => {
  assert.equal(isExcused([call(1249)], [{ from: 1000, to: 1249 }]), false);
  assert.equal(isExcused([call(undefined)], [{ from: 1000, to: 9000 }]), false);
  assert.equal(isExcused([call(1300, "finished")], [{ from: 1000, to: 1300 }]), false);
});

test("the latest of several attempts counts", () => {
  assert.equal(noticed(left, [call(1010), call(1400)], [])?.waitMs, 400);
});

test("a call that never came to the upstream, or whose caller stayed, is no sighting", () => {
  assert.equal(noticed(left, [], []), undefined);
  assert.equal(noticed({ ...left, leftAt: Number.NaN }, [call(1300)], []), undefined);
});

test("a loop that is kept busy is seen to stand still, for about as long", async () => {
  const watch = watchStalls();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const from = performance.now();
  const hrFrom = Number(process.hrtime.bigint()) / 1e6;
  while (performance.now() - from < 120);
  const hrTo = Number(process.hrtime.bigint()) / 1e6;
  await new Promise((resolve) => setTimeout(resolve, 30));
  watch.stop();
  const stood = stalledMs(watch.stalls, hrFrom, hrTo);
  assert.ok(stood >= 90, `stood still for ${stood} ms of 120`);
});
