/** Verdicts from readings, and tables from profiles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { percentile } from "../measure/statistics.ts";
import { selfTimes } from "../profile.ts";
import type { GatewayName, Metric, Reading } from "./reading.ts";
import { figuresTable, verdictsTable } from "./report.ts";
import { judge } from "./targets.ts";

function readings(
  name: Reading["case"],
  metric: Metric,
  values: Partial<Record<GatewayName, number[]>>,
): Reading[] {
  return Object.entries(values).flatMap(([gateway, list]) =>
    (list ?? []).map((value, round) => ({
      case: name,
      gateway: gateway as GatewayName,
      metric,
      round,
      value,
    })),
  );
}

test("percentiles interpolate between ranks and do not mind the order", () => {
  assert.equal(percentile([3, 1, 2], 0.5), 2);
  assert.equal(percentile([4, 1, 2, 3], 0.5), 2.5);
  assert.equal(percentile([5], 0.99), 5);
  assert.throws(() => percentile([], 0.5));
});

test("a ratio is that of the medians, its spread that of the rounds", () => {
  const all = readings("json1k", "cpuPerRequestUs", { nginx: [20, 10, 21], plaza: [50, 50, 42] });
  const verdict = judge(all).find((v) => v.target.case === "json1k");
  assert.equal(verdict?.reached, 2.5);
  assert.deepEqual([verdict?.rounds?.min, verdict?.rounds?.max], [2, 5]);
  assert.equal(verdict?.isReached, true);
});

test("a target missed by a little is missed, one met exactly is met, one not run is neither", () => {
  const all = [
    ...readings("json1k", "cpuPerRequestUs", { nginx: [10], plaza: [25.1] }),
    ...readings("first-token", "firstTokenP50Ms", { direct: [0.5], plaza: [0.75], nginx: [0.6] }),
  ];
  const verdicts = judge(all);
  const reached = (name: string, metric: Metric) =>
    verdicts.find((v) => v.target.case === name && v.target.metric === metric)?.isReached;
  assert.equal(reached("json1k", "cpuPerRequestUs"), false);
  assert.equal(reached("first-token", "firstTokenP50Ms"), true);
  assert.equal(reached("startup", "startMs"), undefined);
  assert.match(verdictsTable(verdicts), /1 KB JSON +2\.51 x nginx +<= 2\.5 x nginx +NO/);
  assert.match(figuresTable(all), /\+0\.25 \(nginx \+0\.10\)/);
});

test("a chunk is not cheap when the gateway fell behind and sent several at once", () => {
  const figures = readings("stream", "cpuPerChunkUs", { nginx: [20, 20, 20], plaza: [25, 25, 25] });
  const chunkVerdict = (kept: number[]) =>
    judge([...figures, ...readings("stream", "paceKeptPercent", { plaza: kept })]).find(
      (v) => v.target.metric === "cpuPerChunkUs",
    );
  assert.equal(chunkVerdict([100, 99, 60])?.isReached, true);
  assert.equal(chunkVerdict([100, 80, 60])?.isReached, false);
  assert.equal(chunkVerdict([110, 100, 120])?.isReached, false);
});

test("self time sums the samples of a function over all its call paths", () => {
  const frame = (functionName: string) => ({ functionName, url: "file:///a.ts", lineNumber: 4 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame("scan") },
      { id: 2, callFrame: frame("relay") },
      { id: 3, callFrame: frame("scan") },
    ],
    samples: [1, 2, 3],
    timeDeltas: [1000, 1500, 2000],
  };
  assert.deepEqual(selfTimes(profile), [
    { name: "scan", place: "file:///a.ts:5", ms: 3 },
    { name: "relay", place: "file:///a.ts:5", ms: 1.5 },
  ]);
});

test("a process that never settled has no time at which it did", () => {
  const never = Number.POSITIVE_INFINITY;
  for (const [values, shown] of [
    [[7, never], "never [7.00-never]"],
    [[never, never], "never [never-never]"],
  ] as const) {
    const all = readings("fresh", "settledAfterS", { plaza: [...values] });
    assert.ok(figuresTable(all).includes(shown));
    assert.equal(judge(all).find(({ target }) => target.metric === "settledAfterS")?.isReached, false);
  }
});
