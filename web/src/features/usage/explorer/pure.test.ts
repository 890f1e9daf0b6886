/**
 * The explorer's arithmetic: marks that can be explained, exact rests. forecast.test.ts has the forecasts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anomaliesOf, causeOf, type Point, pointsMin } from "./anomalies.ts";
import { changeOf, type Explored, layersOf, linesOf, shareOf, spanFigures } from "./groups.ts";
import { shownOf } from "./shown.ts";
import { median, quantile, spread } from "./statistics.ts";
import { readViews, viewsMax, withoutView, withView } from "./views.ts";

/** Deterministic noise from -1 to 1. */
const noise = (at: number): number => Math.sin(at * 12.9898) * Math.cos(at * 4.1414);

/** Busy working days, quiet weekends; day 0 is a Monday. */
const week = (at: number): number => (at % 7 < 5 ? 100 : 20);

test("medians and quantiles are those of sorted numbers", () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.1), 1);
  assert.ok(Number.isNaN(median([])));
  assert.equal(spread([5, 5, 5]), 0);
  assert.ok(spread([5, 5, 5, 9]) > 0, "more than half are equal, and still not all");
});

const points = (count: number, value: (at: number) => number, season = 7): Point[] =>
  Array.from({ length: count }, (_, at) => ({ value: value(at), season: at % season }));

test("what is usual for a weekday is no anomaly, and the same height on another weekday is one", () => {
  const usual = points(35, (at) => week(at) + noise(at));
  assert.deepEqual(anomaliesOf(usual), []);
  const odd = points(35, (at) => (at === 19 ? 100 : week(at)) + noise(at));
  const [found, ...more] = anomaliesOf(odd);
  assert.deepEqual(more, []);
  assert.equal(found?.at, 19, "a Saturday as busy as a working day");
  assert.ok((found?.score ?? 0) > 3.5 && Math.abs((found?.expected ?? 0) - 20) < 1);
  const low = anomaliesOf(points(35, (at) => (at === 21 ? 0 : week(at)) + noise(at)));
  assert.ok((low[0]?.score ?? 0) < -3.5, "a day without use is one, too");
});

test("few points, equal points and small distances are never marked", () => {
  assert.deepEqual(anomaliesOf(points(pointsMin - 1, (at) => (at === 5 ? 9_999 : 1))), []);
  assert.equal(anomaliesOf(points(pointsMin, (at) => (at === 5 ? 9_999 : 1))).length, 1);
  assert.deepEqual(anomaliesOf(points(35, () => 50)), []);
  assert.deepEqual(anomaliesOf(points(35, (at) => (at === 9 ? 110 : 100) + noise(at) / 10)), []);
});

test("an anomaly names the group that explains most of it, in its direction", () => {
  const all = points(35, (at) => (at === 19 ? 520 : week(at)) + noise(at));
  const [anomaly] = anomaliesOf(all);
  assert.ok(anomaly !== undefined);
  const steady = all.map(({ value }, at) => (at === 19 ? 10 : value - 5));
  const jumps = all.map((_, at) => (at === 19 ? 510 : 5));
  const cause = causeOf(anomaly, all, [
    { id: "steady", values: steady },
    { id: "jumps", values: jumps },
  ]);
  assert.deepEqual(cause, { id: "jumps", value: 510, expected: 5 });
  assert.equal(
    causeOf(anomaly, all, [{ id: "falls", values: all.map((_, at) => (at === 19 ? 0 : 9)) }]),
    undefined,
  );
});

const numbers = (charge: string) => ({
  ...{ requests: 1, complete: 1, incomplete: 0, aborted: 0, failed: 0 },
  ...{ inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 },
  ...{ charge, loss: "0.00", firstTokenMs: null, durationMs: 1 },
});
const sums = (charge: string, spans: string[]) => ({
  total: numbers(charge),
  previous: numbers("0.00"),
  spans: { charge: spans, requests: spans.map(() => 1), tokens: spans.map(() => 3) },
});

function answerOf(count: number, others: number): Explored {
  const groups = Array.from({ length: count }, (_, at) => ({
    ...{ id: `g${at}`, name: null, keys: [] },
    ...sums("0.30", ["0.1", "0.2"]),
  }));
  const whole = (count + others) * 3;
  return {
    ...{ asOf: "", timeZone: "UTC", from: "", to: "", previous: { from: "", to: "" } },
    ...{ by: "model", grain: "day", spans: ["a", "b"], overlaps: false, source: "sums", groups },
    other: others === 0 ? null : { groups: others, ...sums("0.30", ["0.1", "0.2"]) },
    all: sums(`${whole / 10}`, [`0.${count + others}00000001`, "9.000000002"]),
  };
}

test("seven groups have colours, and the rest is what is exactly left of the whole", () => {
  assert.equal(layersOf(answerOf(8, 0), "charge").length, 8, "one more than the colours is shown itself");
  const layers = layersOf(answerOf(9, 0), "charge");
  assert.equal(layers.length, 8);
  assert.deepEqual(layers.at(-1)?.figures, ["0.200000001", "7.600000002"]);
  assert.equal(layers.at(-1)?.groups, 2);
  assert.deepEqual(
    layersOf(answerOf(3, 2), "charge").map(({ groups }) => groups),
    [1, 1, 1, 2],
  );
  assert.equal(layersOf(answerOf(8, 3), "charge").at(-1)?.groups, 4);
  assert.equal(linesOf(answerOf(8, 3)).length, 9);
  assert.deepEqual(spanFigures(answerOf(1, 0).all, "tokens"), ["3", "3"]);
});

test("groups that overlap are not stacked: the chart has the whole alone", () => {
  const answer = { ...answerOf(3, 2), overlaps: true } as Explored;
  const [layer, ...others] = layersOf(answer, "charge");
  assert.deepEqual(layer?.figures, spanFigures(answer.all, "charge"));
  assert.deepEqual(others, []);
  assert.equal(linesOf(answer).length, 4, "the table has them");
});

test("changes and shares are told only where they say something", () => {
  assert.deepEqual(changeOf("3", "2"), { kind: "share", share: 0.5 });
  assert.deepEqual(changeOf("1", "-2"), { kind: "share", share: 1.5 });
  assert.deepEqual(changeOf("3", "0.00"), { kind: "new" });
  assert.deepEqual(changeOf("0", "0"), { kind: "none" });
  assert.equal(shareOf("1", "4"), 0.25);
  assert.equal(shareOf("-1", "4"), undefined);
  assert.equal(shareOf("1", "0"), undefined);
});

test("saved views survive what else may be in the storage of a device", () => {
  const view = { name: "Mine", search: "?by=key" };
  assert.deepEqual(
    readViews(JSON.stringify([view, { name: 1 }, null, { name: "x", search: "https://evil.test" }])),
    [view],
  );
  for (const text of [null, "", "{", "7", '{"a":1}']) assert.deepEqual(readViews(text), []);
  const changed = withView([view], { name: " Mine ", search: "?by=model" });
  assert.deepEqual(changed, [{ name: "Mine", search: "?by=model" }]);
  assert.deepEqual(withView([view], { name: "  ", search: "" }), [view]);
  const many = Array.from({ length: viewsMax + 5 }, (_, at) => ({ name: `v${at}`, search: "" }));
  assert.equal(many.reduce(withView, [] as ReturnType<typeof readViews>).length, viewsMax);
  assert.deepEqual(withoutView([view], "Mine"), []);
});

test("a URL always gives things that go together, within what the API answers", () => {
  const days = (first: string, last: string) => ({ first, last });
  const of = (
    values: Partial<Record<"by" | "measure" | "grain", string>>,
    last: string,
    isOperator = false,
  ) =>
    shownOf(
      { by: "", measure: "", grain: "", ...values },
      days("2026-01-01", last),
      isOperator ? "operator" : "account",
    );
  assert.deepEqual(of({}, "2026-01-30"), {
    ...{ by: "model", metric: "charge", grain: "day", days: 30, tooLong: undefined },
  });
  assert.equal(of({}, "2026-01-02").grain, "hour");
  assert.equal(of({ grain: "day" }, "2026-01-02").grain, "day");
  assert.equal(of({ grain: "hour" }, "2026-02-10").grain, "day", "hours of so many days are not kept apart");
  assert.deepEqual(
    [of({ by: "upstream" }, "2026-01-07").by, of({ measure: "cost" }, "2026-01-07").metric],
    ["model", "charge"],
  );
  assert.equal(of({ by: "upstream" }, "2026-01-08", true).tooLong, 7);
  assert.equal(of({ by: "upstream" }, "2026-01-07", true).tooLong, undefined);
  assert.equal(of({ measure: "latency" }, "2026-04-03").tooLong, 92);
  assert.equal(of({ measure: "latency" }, "2026-04-02").tooLong, undefined);
  assert.equal(of({}, "2027-01-02").tooLong, 366);
});
