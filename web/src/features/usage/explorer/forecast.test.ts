/** Forecasts: the middle follows weekdays and trends, and the bounds hold what they say they do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forecastOf } from "./forecast.ts";
import { monthOf } from "./month.ts";
import { sum } from "./statistics.ts";
import { typical } from "./weeks.ts";

const first = "2026-01-05";
const dayAfter = (days: number): string =>
  new Date(Date.parse(first) + days * 86_400_000).toISOString().slice(0, 10);

/** The forecast of the `count` days after these. */
const ahead = (values: readonly number[], count: number) =>
  forecastOf({ first, values }, dayAfter(values.length + count - 1));

const series = (days: number, value: (at: number) => number): number[] =>
  Array.from({ length: days }, (_, at) => value(at));

/** Busy working days, quiet weekends; day 0 is a Monday. */
const week = (at: number): number => (at % 7 < 5 ? 100 : 20);

/** A generator of numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Factors around 1 with a long tail upwards: exp of a normal number. */
function noiseOf(seed: number, width: number): () => number {
  const random = randomOf(seed);
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.exp(width * normal - width ** 2 / 2);
  };
}

test("the typical of values is their mean without what stands out", () => {
  assert.equal(typical([]), 0);
  assert.equal(typical([4]), 4);
  assert.equal(typical([4, 2]), 3);
  assert.equal(typical([900, 1, 3]), 3);
  assert.equal(typical([5, 5, 5, 900, 5, 0]), 5);
});

test("a forecast follows the weekdays, adds up its days, and has no error where all repeats itself", () => {
  const forecast = ahead(series(56, week), 9);
  assert.deepEqual(
    forecast?.days.map(({ expected }) => expected),
    [100, 100, 100, 100, 100, 20, 20, 100, 100],
  );
  assert.equal(forecast?.days[0]?.day, "2026-03-02");
  assert.equal(forecast?.total, 740);
  const { error } = forecast;
  assert.deepEqual([error?.share, error?.low, error?.high, error?.dayHigh], [0, 740, 740, 0]);
  assert.equal(error?.tries, 56 - 28 - 9 + 1);
});

test("one odd day does not move a forecast, and what it did to the past is in the bounds", () => {
  const forecast = ahead(
    series(56, (at) => (at === 50 ? 9_999 : week(at))),
    9,
  );
  assert.equal(forecast?.total, 740);
  assert.ok((forecast?.error?.low ?? 740) < 740 && (forecast?.error?.high ?? 740) > 740);
});

test("the middle follows growth and decline, by a factor or by an amount, and lies strictly inside its bounds", () => {
  for (const [name, value] of [
    ["2 % a day", (at: number) => week(at) * 1.02 ** at],
    ["1 % a day", (at: number) => week(at) * 1.01 ** at],
    ["an amount a day", (at: number) => week(at) * (1 + at / 30)],
    ["1 % less a day", (at: number) => week(at) * 0.99 ** at],
  ] as const) {
    for (const count of [7, 14, 28]) {
      const forecast = ahead(series(84, value), count);
      const share = (forecast?.total ?? 0) / sum(series(count, (at) => value(84 + at)));
      assert.ok(share > 0.93 && share < 1.07, `${name}, ${count} days: ${share}`);
      const flat =
        sum(series(count, (at) => value(56 + (at % 28)))) / sum(series(count, (at) => value(84 + at)));
      assert.ok(Math.abs(share - 1) < Math.abs(flat - 1) / 3, `${name}, ${count} days: ${share}, ${flat}`);
      const { low = 0, high = 0 } = forecast?.error ?? {};
      assert.ok(low < (forecast?.total ?? 0) && high > (forecast?.total ?? 0), name);
    }
  }
});

test("a change that does not stand out from the noise is no trend", () => {
  const totals = series(60, (seed) => {
    const noise = noiseOf(seed, 0.4);
    return (
      ahead(
        series(84, (at) => week(at) * noise()),
        28,
      )?.total ?? 0
    );
  });
  const off = totals.map((total) => Math.abs(total / 2_160 - 1));
  assert.ok(sum(off) / off.length < 0.15, String(sum(off) / off.length));
});

/** Series of days as they may be; `seed` makes them differ. */
const kinds: Readonly<Record<string, (seed: number) => (at: number) => number>> = {
  flat(seed) {
    const noise = noiseOf(seed, 0.3);
    return () => 50 * noise();
  },
  weekly(seed) {
    const noise = noiseOf(seed, 0.3);
    return (at) => week(at) * noise();
  },
  "very noisy"(seed) {
    const noise = noiseOf(seed, 1);
    return (at) => week(at) * noise();
  },
  growing(seed) {
    const noise = noiseOf(seed, 0.2);
    return (at) => week(at) * noise() * 1.015 ** at;
  },
  "now and then"(seed) {
    const random = randomOf(seed);
    return () => (random() < 0.3 ? 100 * random() : 0);
  },
  "a level that wanders"(seed) {
    const [noise, step] = [noiseOf(seed, 0.2), noiseOf(seed + 1_000, 0.04)];
    let level = 1;
    return (at) => {
      level *= step();
      return week(at) * noise() * level;
    };
  },
};

test("of simulated series about four of five totals and days fall inside the bounds, and the middle always does", (context) => {
  for (const [name, kind] of Object.entries(kinds)) {
    for (const count of [3, 10, 28]) {
      let [tries, within, days, daysWithin] = [0, 0, 0, 0];
      for (let seed = 1; seed <= 60; seed++) {
        const values = series(84 + count, kind(seed));
        const forecast = ahead(values.slice(0, 84), count);
        if (forecast?.error === undefined) continue;
        const { total, error } = forecast;
        assert.ok(error.low >= 0 && error.low < total && total < error.high, `${name}, ${count} days`);
        assert.ok(forecast.days.every(({ expected }) => expected >= 0));
        const came = values.slice(84);
        tries++;
        if (sum(came) >= error.low && sum(came) <= error.high) within++;
        for (const [at, { expected }] of forecast.days.entries()) {
          const off = (came[at] ?? 0) - expected;
          days++;
          if (off >= error.dayLow && off <= error.dayHigh) daysWithin++;
        }
      }
      const note = `${name}, ${count} days: ${within} of ${tries} totals, ${daysWithin} of ${days} days`;
      context.diagnostic(note);
      assert.ok(tries > 55, note);
      assert.ok(within / tries > 0.7 && within / tries < 0.95, note);
      assert.ok(daysWithin / days > 0.7 && daysWithin / days < 0.95, note);
    }
  }
});

test("too little history is not forecast, or has no bounds, and days before the first use do not count", () => {
  const of = (values: number[], last: string) => forecastOf({ first, values }, last);
  assert.equal(of([1, 2, 3, 4, 5, 6], "2026-01-31"), undefined);
  assert.equal(of([], "2026-01-31"), undefined);
  assert.equal(of([0, 0, 0, 0, 0, 0, 0, 5], "2026-01-31"), undefined);
  const short = of([1, 1, 1, 1, 1, 1, 1], "2026-01-31");
  assert.equal(short?.days.length, 20);
  assert.equal(short?.error, undefined);
  const days = of([5, 5, 5, 5, 5, 0, 0, 5, 5, 900], "2026-01-31")?.days.map(({ expected }) => expected);
  assert.deepEqual([...new Set(days)], [typical([5, 5, 5, 5, 5, 0, 0, 5, 5, 900])], "no weekdays, no trend");
  const late = of([...Array(40).fill(0), ...Array(14).fill(7)], "2026-03-01");
  assert.equal(late?.days[0]?.expected, 7);
  assert.equal(of(Array(30).fill(1), "2026-02-03"), undefined, "the month is over");
  assert.equal(ahead(series(27, week), 7)?.error, undefined, "seven tries");
  assert.equal(ahead(series(28, week), 7)?.error?.tries, 8);
});

test("use that has ended is not forecast, and that of half a week ago still is", () => {
  assert.equal(ahead([...series(30, week), ...Array(50).fill(0)], 10), undefined);
  const paused = ahead([...series(60, week), ...Array(4).fill(0)], 10);
  assert.ok((paused?.total ?? 0) > 0 && (paused?.error?.low ?? -1) >= 0);
});

test("a month is what there is and what is expected of the time to come, never less than there is", () => {
  // Four weeks of 10 a day before the 1st of a month of 31 days, then nine days and a tenth that is not over.
  const of = (today: number, passed: number) =>
    monthOf("2026-02-01", [...Array(28).fill(10), ...Array(9).fill(10), today], passed);
  const steady = of(4, 0.4);
  assert.equal(steady?.month, "2026-03");
  assert.equal(steady?.soFar, 94);
  assert.equal(steady?.total, 310);
  assert.equal(steady?.forecast.days[0]?.day, "2026-03-10", "today is forecast, too");
  assert.equal(steady?.forecast.days.length, 22);
  assert.equal(of(4_000, 0.5)?.total, 90 + 4_000 + 5 + 210, "the days to come are still to come");
  assert.equal(monthOf("2026-03-01", [1, 2], 0.5), undefined);
  const noise = noiseOf(3, 1);
  const long = monthOf("2026-01-01", [...series(88, () => 10 * noise()), 4_000], 0.9);
  assert.ok(long?.low !== undefined && long.high !== undefined);
  assert.ok(long.soFar <= long.low && long.low < long.total && long.total < long.high);
});
