/**
 * The checks of the rigs about limits, keys and the soak, on made-up results: correct ones pass, and each
 * kind of error is found.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { below, mostAbove, mostAtOnce, type Passed } from "../harness/limit-judge.ts";
import { judgeProbes, type Probe } from "../limits/p22-keys.ts";
import { slopePerHour } from "../load/p30-soak.ts";

const at = (ms: number, tookMs = 0): Passed => ({
  sentAt: ms,
  acceptedAt: ms + tookMs,
  endedAt: ms + tookMs,
  units: 1,
});

test("a full bucket and its refill are allowed, one more in any window is not", () => {
  const right = [...Array.from({ length: 60 }, () => at(0)), at(1_000), at(2_000), at(3_500)];
  assert.ok(mostAbove(60, right) <= 0);
  assert.equal(mostAbove(60, [...right, at(3_500)]), 0.5);
  // An idle hour before does not excuse a window above the limit.
  const late = Array.from({ length: 62 }, () => at(3_600_000));
  assert.equal(mostAbove(60, [at(0), ...late]), 2);
});

test("a call that may have been let through earlier or later is never held against the product", () => {
  const burst = Array.from({ length: 60 }, () => at(0));
  assert.ok(
    mostAbove(60, [...burst, at(0, 1_000)]) <= 0,
    "on its way for a second, it may have passed at the end of it",
  );
  assert.equal(mostAbove(60, [...burst, at(0, 500)]), 0.5, "half a second is too short for another one");
});

test("tokens count as many as they are", () => {
  assert.equal(
    mostAbove(100, [
      { ...at(0), units: 60 },
      { ...at(0), units: 41 },
    ]),
    1,
  );
});

test("what was refused too early is counted in whole units", () => {
  const passed = Array.from({ length: 58 }, () => at(0));
  assert.equal(below(60, passed, 0), 2);
  assert.equal(below(60, passed, 3_999), 5);
  assert.equal(below(60, [...passed, at(10), at(10)], 20), 0);
  assert.equal(below(60, [], 0), 60, "nobody passed at all");
});

test("calls at once: one that begins where another ends has its place", () => {
  const call = (acceptedAt: number, endedAt: number) => ({ acceptedAt, endedAt });
  assert.equal(mostAtOnce([call(0, 10), call(10, 20), call(20, 30)]), 1);
  assert.equal(mostAtOnce([call(0, 10), call(9, 20), call(9.5, 30)]), 3);
  assert.equal(mostAtOnce([]), 0);
});

const probes = (process: number, ...seen: readonly [number, Probe["is"]][]): Probe[] =>
  seen.map(([sinceMs, is]) => ({ process, sinceMs, is, what: is }));

test("a change is judged by its slowest process, and a key that comes back is seen", () => {
  const others = [1, 2, 3].flatMap((process) => probes(process, [10, "changed"]));
  const right = judgeProbes([
    ...probes(0, [10, "as before"], [250, "as before"], [300, "changed"], [900, "changed"]),
    ...others,
  ]);
  assert.deepEqual(right, { actedMs: 250, revivals: [], missing: [] });
  const revived = judgeProbes([
    ...probes(0, [10, "changed"], [900, "as before"], [950, "changed"]),
    ...others,
  ]);
  assert.equal(revived.revivals.length, 1);
  const busy = judgeProbes([...probes(0, [10, "changed"], [900, "other"]), ...others]);
  assert.deepEqual(busy.revivals, []);
  const deaf = judgeProbes([...probes(0, [10, "as before"], [14_000, "as before"]), ...others]);
  assert.equal(deaf.missing.length, 1);
  assert.equal(judgeProbes(others).missing.length, 1, "a process nobody asked proves nothing");
});

test("the slope of memory is bytes an hour, whatever swings about it", () => {
  const samples = (perHour: number) =>
    Array.from({ length: 360 }, (_, index) => ({
      atMs: index * 10_000,
      bytes: 90_000_000 + (perHour * index) / 360 + (index % 2 === 0 ? 1 : -1) * 1_000_000,
    }));
  assert.ok(Math.abs(slopePerHour(samples(0))) < 50_000);
  assert.ok(Math.abs(slopePerHour(samples(4_000_000)) - 4_000_000) < 50_000);
});
