/** Percentiles of all requests and of a sample, and how well a sample's error is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../../../../test/rigs/harness/random.ts";
import type { ExploreStore, LatencyGroup } from "../../../store/usage/explore-shapes.ts";
import { sampleOf, sampleParts } from "../../../store/usage/latency-sample.ts";
import { answerLatency } from "./latency.ts";

const from = "2026-03-01T00:00:00.000Z";
const to = "2026-03-08T00:00:00.000Z";

const answerOf = (groups: readonly LatencyGroup[], oneIn: number) => {
  const store: Pick<ExploreStore, "listLatencies"> = { listLatencies: async () => ({ oneIn, groups }) };
  return answerLatency({ store, nowMs: 0 }, { from, to, timeZone: "UTC", by: "model" });
};

const group = (id: string, part: number, durationMs: readonly number[]): LatencyGroup => ({
  ...{ id, name: null, part, firstTokenMs: [], durationMs },
});

test("where all requests are read there is no sample", async () => {
  const { sample, groups, all } = await answerOf([group("a", 0, [1, 2, 3]), group("b", 0, [9])], 1);
  assert.equal(sample, null);
  assert.deepEqual(
    groups.map(({ id, duration }) => [id, duration.count, duration.p50]),
    [
      ["a", 3, 2],
      ["b", 1, 9],
    ],
  );
  assert.deepEqual([all.duration.count, all.duration.p95], [4, 9]);
});

test("parts of a sample are joined by group, and their spread is the error", async () => {
  const parts = Array.from({ length: sampleParts }, (_, part) => group("a", part, [100 + 10 * (part % 2)]));
  const { sample, groups } = await answerOf(parts, 7);
  assert.deepEqual(
    groups.map(({ id, duration }) => [id, duration.count, duration.p50]),
    [["a", 10, 100]],
  );
  // Ten values of which half are 100 and half 110: 2.262 · sqrt(250 / 9 / 10) = 3.77.
  assert.deepEqual(sample, {
    oneIn: 7,
    firstToken: { p50ErrorMs: null, p95ErrorMs: null },
    duration: { p50ErrorMs: 4, p95ErrorMs: 4 },
  });
});

test("a sample too small to tell its error does not", async () => {
  const { sample } = await answerOf(
    [0, 1, 2, 3].map((part) => group("a", part, [100 + part])),
    50,
  );
  assert.equal(sample?.duration.p95ErrorMs, null);
});

/** Requests of a week whose times are longer at some hours, with some very long ones. */
function week(seed: number): { atMs: number; durationMs: number }[] {
  const random = seededRandom(seed);
  const begin = Date.parse(from);
  const length = Date.parse(to) - begin;
  return Array.from({ length: 20_000 }, () => {
    const atMs = begin + random.int(0, length - 1);
    const load = 1 + Math.sin((atMs / 86_400_000) * 2 * Math.PI) / 2;
    return { atMs, durationMs: Math.round(300 * load * (1 - Math.log(1 - random.next()))) };
  });
}

test("the percentile of all requests is within the told error of the sample's, in 19 of 20 weeks or so", async () => {
  const oneIn = 10;
  const cells = sampleOf({ fromMs: Date.parse(from), toMs: Date.parse(to) }, oneIn);
  let within = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const rows = week(seed);
    const parts = Array.from({ length: sampleParts }, (_, part) => {
      const own = cells.filter((cell) => cell.part === part);
      const read = rows.filter(({ atMs }) => own.some((cell) => atMs >= cell.fromMs && atMs < cell.toMs));
      return group(
        "a",
        part,
        read.map(({ durationMs }) => durationMs),
      );
    });
    const { sample, all } = await answerOf(parts, oneIn);
    const sorted = rows.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other);
    const truth = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
    const errorMs = sample?.duration.p95ErrorMs ?? 0;
    // An error that is told must also be of some use.
    assert.ok(errorMs > 0 && errorMs < truth / 5, `${errorMs} of ${truth} ms`);
    if (Math.abs((all.duration.p95 ?? 0) - truth) <= errorMs) within += 1;
  }
  assert.ok(within >= 34, `${within} of 40`);
});
