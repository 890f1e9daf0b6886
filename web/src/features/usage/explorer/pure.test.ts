/** The explorer's arithmetic: forecasts with a measured error, marks that can be explained, exact rests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anomaliesOf, causeOf, type Point, pointsMin } from "./anomalies.ts";
import { forecastOf } from "./forecast.ts";
import { changeOf, type Explored, layersOf, linesOf, shareOf, spanFigures } from "./groups.ts";
import { monthOf } from "./month.ts";
import { shownOf } from "./shown.ts";
import { median, quantile, spread, sum } from "./statistics.ts";
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

test("a forecast follows the weekdays and adds up its days", () => {
  const forecast = forecastOf(
    { first: "2026-01-05", values: Array.from({ length: 56 }, (_, at) => week(at)) },
    "2026-03-10",
  );
  // 2026-03-02 is a Monday: nine days, two of them a weekend.
  assert.deepEqual(
    forecast?.days.map(({ expected }) => expected),
    [100, 100, 100, 100, 100, 20, 20, 100, 100],
  );
  assert.equal(forecast?.days[0]?.day, "2026-03-02");
  assert.equal(forecast?.total, 740);
  assert.equal(forecast?.error?.share, 0, "what repeats itself is forecast without an error");
  assert.deepEqual([forecast?.error?.low, forecast?.error?.high], [740, 740]);
});

test("one odd day does not move a forecast", () => {
  const values = Array.from({ length: 56 }, (_, at) => (at === 50 ? 9_999 : week(at)));
  const forecast = forecastOf({ first: "2026-01-05", values }, "2026-03-10");
  assert.equal(forecast?.total, 740);
});

test("a forecast follows growth, which medians of weekdays alone would miss", () => {
  const grows = Array.from({ length: 56 }, (_, at) => week(at) * 1.02 ** at);
  const forecast = forecastOf({ first: "2026-01-05", values: grows }, "2026-03-08");
  const came = sum(Array.from({ length: 7 }, (_, at) => week(56 + at) * 1.02 ** (56 + at)));
  const share = (forecast?.total ?? 0) / came;
  assert.ok(share > 0.8 && share < 1, String(share));
});

test("the interval is what past forecasts were off by, and holds about four of five of them", () => {
  const values = Array.from({ length: 84 }, (_, at) => week(at) * (1 + 0.4 * noise(at)));
  const history = { first: "2026-01-05", values };
  const forecast = forecastOf(history, "2026-04-05");
  assert.ok(forecast?.error !== undefined);
  const { error, total, days } = forecast;
  assert.equal(days.length, 7);
  assert.equal(error.tries, 84 - 14 - 7 + 1);
  assert.ok(error.low <= total && total <= error.high && error.high - error.low > 0);
  let within = 0;
  for (let end = 14; end + 7 <= 84; end++) {
    const then = forecastOf(
      { first: "2026-01-05", values: values.slice(0, end) },
      dayAfter("2026-01-05", end + 6),
    );
    const came = sum(values.slice(end, end + 7));
    const off = came - (then?.total ?? 0);
    if (off >= error.low - total - 1e-9 && off <= error.high - total + 1e-9) within++;
  }
  assert.ok(within / error.tries >= 0.8 && within / error.tries <= 0.9, String(within / error.tries));
});

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

test("too little history is not forecast, or has no measured error, and days before the first use do not count", () => {
  const of = (values: number[], last: string) => forecastOf({ first: "2026-01-05", values }, last);
  assert.equal(of([1, 2, 3, 4, 5, 6], "2026-01-31"), undefined);
  assert.equal(of([], "2026-01-31"), undefined);
  assert.equal(of([0, 0, 0, 0, 0, 0, 0, 5], "2026-01-31"), undefined);
  const short = of([1, 1, 1, 1, 1, 1, 1], "2026-01-31");
  assert.equal(short?.days.length, 20);
  assert.equal(short?.error, undefined);
  const late = of([...Array(40).fill(0), ...Array(14).fill(7)], "2026-03-01");
  assert.equal(late?.days[0]?.expected, 7);
  assert.equal(of(Array(30).fill(1), "2026-02-03"), undefined, "the month is over");
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

test("a month is what there is and what is expected of the days to come, never less than there is", () => {
  // Four weeks of 10 a day before the 1st of a month of 31 days, then nine days and a tenth that is not over.
  const steady = monthOf("2026-02-01", [...Array(28).fill(10), ...Array(9).fill(10), 4]);
  assert.equal(steady?.month, "2026-03");
  assert.equal(steady?.soFar, 94);
  assert.equal(steady?.total, 310);
  assert.equal(steady?.forecast.days[0]?.day, "2026-03-10", "today is forecast, too");
  assert.equal(steady?.forecast.days.length, 22);
  const spent = monthOf("2026-02-01", [...Array(28).fill(10), ...Array(9).fill(10), 4_000]);
  assert.equal(spent?.total, 4_090, "what is spent is not forecast away");
  assert.equal(monthOf("2026-03-01", [1, 2]), undefined);
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
