/** Adding up processes: counts, rates, percentiles from joined histograms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addCounts, countsSince, durationBounds, firstTokenBounds, percentileMs } from "./buckets.ts";
import { completeUntil, mergeBins, mergeSamples } from "./merge.ts";
import type { LiveBin, LiveSample } from "./sample.ts";

const bin: LiveBin = {
  t: 1_000_000,
  ms: 5_000,
  outcomes: [10, 0, 0, 0, 0],
  inputTokens: 500,
  outputTokens: 50,
  charge: "1000000000",
  firstToken: [],
  duration: [],
};

const sample: LiveSample = {
  v: 1,
  host: "a",
  pid: 1,
  inFlight: 2,
  streams: 1,
  loopLagMs: 1.5,
  rssBytes: 100,
  now: { ms: 5_000, requests: 10, inputTokens: 100, outputTokens: 20 },
  minute: {
    outcomes: [5, 1, 0, 2, 0],
    charge: "1500000001",
    firstToken: [0, 4],
    duration: [],
    errors: [["rate_limit_exceeded", 2]],
    upstreams: [["main", "timeout", 3]],
    models: [["m", 8]],
  },
  bins: [bin],
};

test("a percentile lies where its share of the values lies, and outliers count as the last bound", () => {
  const bounds = [0.1, 0.2, 0.4];
  assert.equal(percentileMs(bounds, [10, 0, 0, 0], 0.5), 50);
  assert.equal(percentileMs(bounds, [10, 10, 0, 0], 0.75), 150);
  assert.equal(percentileMs(bounds, [0, 0, 10], 0.5), 300, "zeros at the end may be missing");
  assert.equal(percentileMs(bounds, [0, 0, 0, 9], 0.5), 400);
  assert.equal(percentileMs(bounds, [0, 0, 0, 0], 0.5), null);
  assert.equal(percentileMs(bounds, [], 0.99), null);
});

test("percentiles of several processes come from their joined values, not from their percentiles", () => {
  const fast = [0, 99];
  const slow = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  const joined = addCounts(fast, slow);
  assert.equal(joined.length, slow.length);
  const merged = mergeSamples([
    { process: "p1", sample: { ...sample, minute: { ...sample.minute, firstToken: fast } } },
    { process: "p2", sample: { ...sample, minute: { ...sample.minute, firstToken: slow } } },
  ]);
  assert.equal(merged.firstToken.count, 100);
  assert.equal(merged.firstToken.p50, percentileMs(firstTokenBounds, joined, 0.5));
  assert.ok((merged.firstToken.p95 ?? 0) < 10, "one slow call of a hundred is no p95");
  assert.equal(merged.firstToken.counts.length, firstTokenBounds.length + 1);
  assert.equal(merged.duration.counts.length, durationBounds.length + 1);
  assert.deepEqual([merged.duration.p50, merged.duration.count], [null, 0]);
});

test("a counter that began again is counted from zero: no difference is negative", () => {
  assert.deepEqual(countsSince([5, 7], [2, 7]), [3, 0]);
  assert.deepEqual(countsSince([1, 0], [90, 4]), [1, 0]);
  assert.deepEqual(countsSince([1, 2], []), [1, 2]);
});

test("counts and exact money of processes are added up, names are ranked", () => {
  const other: LiveSample = {
    ...sample,
    host: "b",
    now: { ms: 2_500, requests: 10, inputTokens: 0, outputTokens: 0 },
    minute: {
      ...sample.minute,
      errors: [
        ["overloaded", 9],
        ["rate_limit_exceeded", 1],
      ],
      upstreams: [
        ["main", "timeout", 1],
        ["main", "refused", 5],
      ],
      models: [],
    },
  };
  const merged = mergeSamples([
    { process: "p2", sample: other },
    { process: "p1", sample },
  ]);
  assert.equal(merged.requestsPerSecond, 6, "each by the time it was read over");
  assert.equal(merged.inputTokensPerSecond, 20);
  assert.deepEqual([merged.inFlight, merged.streams], [4, 2]);
  assert.equal(merged.spendPerMinute, "3.000000002");
  assert.deepEqual(merged.requests, { complete: 10, incomplete: 2, aborted: 0, refused: 4, failed: 0 });
  assert.deepEqual(merged.errors, [
    { code: "overloaded", count: 9 },
    { code: "rate_limit_exceeded", count: 3 },
  ]);
  assert.deepEqual(merged.upstreamErrors, [
    { upstream: "main", fault: "refused", count: 5 },
    { upstream: "main", fault: "timeout", count: 4 },
  ]);
  assert.deepEqual(merged.models, [{ model: "m", count: 8 }]);
  assert.deepEqual(
    merged.processes.map(({ process }) => process),
    ["p1", "p2"],
  );
});

test("lists are short, however many names there are", () => {
  const many = Array.from({ length: 500 }, (_, index): [string, number] => [`m${index}`, index + 1]);
  const merged = mergeSamples([
    { process: "p", sample: { ...sample, minute: { ...sample.minute, models: many, errors: many } } },
  ]);
  assert.equal(merged.models.length, 10);
  assert.equal(merged.errors.length, 12);
  assert.deepEqual(merged.models[0], { model: "m499", count: 500 });
});

test("points end where the slowest process is, unless it hangs", () => {
  const at = (...times: number[]): LiveBin[] => times.map((t) => ({ ...bin, t }));
  assert.equal(completeUntil([at(5_000, 10_000), at(5_000), []]), 5_000);
  assert.equal(completeUntil([at(60_000), at(5_000)]), 60_000);
  assert.ok(!(completeUntil([]) < 0), "without processes nothing is cut off");
});

test("bins of the same five seconds become one point of rates, oldest first", () => {
  const later = { ...bin, t: 1_005_000, outcomes: [0, 0, 0, 0, 5] };
  const points = mergeBins([[bin, later], [{ ...bin, ms: 2_500 }]]);
  assert.deepEqual(
    points.map(({ t }) => t),
    [1_000_000, 1_005_000],
  );
  assert.equal(points[0]?.requests.complete, 6);
  assert.equal(points[0]?.inputTokens, 300);
  assert.equal(points[0]?.spend, 36);
  assert.deepEqual(points[1]?.requests, { complete: 0, incomplete: 0, aborted: 0, refused: 0, failed: 1 });
  assert.deepEqual(mergeBins([]), []);
});
