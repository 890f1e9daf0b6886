/** Amounts, counts, shares and times read as they should, at their edges too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Language } from "../i18n/languages.ts";
import { formatShare, formatShortCount } from "./count.ts";
import { addMoney, compareMoney, formatMoney, nanosOf } from "./money.ts";
import { formatDuration, formatExact, formatMilliseconds, formatRelative } from "./time.ts";

const shorts: readonly [string, string][] = [
  ["0", "$0.00"],
  ["12.5", "$12.50"],
  ["12.345", "$12.35"],
  ["1234567.891", "$1,234,567.89"],
  ["-3.2", "−$3.20"],
  ["0.25", "$0.25"],
  ["0.0042", "$0.0042"],
  ["0.00042", "$0.00042"],
  ["0.000000319", "$0.00000032"],
  ["0.000000001", "$0.000000001"],
  ["0.99999", "$1.00"],
  ["unpriced", "unpriced"],
];
for (const [given, shown] of shorts) {
  test(`${given} reads ${shown}`, () => assert.equal(formatMoney(given), shown));
}

test("an exact amount keeps every decimal", () => {
  assert.equal(formatMoney("12.345678901", "exact"), "$12.345678901");
  assert.equal(formatMoney("1000000000.000000001", "exact"), "$1,000,000,000.000000001");
});

test("amounts are added and compared without floats", () => {
  assert.equal(addMoney(["0.1", "0.2"]), "0.3");
  assert.equal(addMoney(["5", "-5.5"]), "-0.5");
  assert.equal(addMoney([]), "0");
  assert.equal(compareMoney("9007199.254740993", "9007199.254740992"), 1);
  assert.equal(nanosOf("1e3"), undefined);
  assert.equal(nanosOf("0.0000000001"), undefined);
});

test("a share is not rounded to all or nothing", () => {
  assert.equal(formatShare(1, "en"), "100%");
  assert.equal(formatShare(0.99999, "en"), "99.99%");
  assert.equal(formatShare(0.00001, "en"), "0.01%");
  assert.equal(formatShare(0, "en"), "0%");
  assert.equal(formatShare(0.873, "en"), "87.3%");
});

test("counts are exact while they are short", () => {
  assert.equal(formatShortCount(9_999), "9,999");
  assert.equal(formatShortCount(12_345_678), "12.3M");
});

test("a duration is a figure, a space and a unit in every language", () => {
  const written = [0, 340.4, 999.6, 2_449, 59_949, 59_990, 200_000, 3_599_700, 7_500_000, 270_000_000];
  const inLanguage = (language: Language) => written.map((ms) => formatDuration(ms, language));
  assert.deepEqual(inLanguage("en"), [
    ...["0 ms", "340 ms", "1 s", "2.4 s", "59.9 s"],
    ...["1 min", "3 min 20 s", "1 h", "2 h 5 min", "3 d 3 h"],
  ]);
  assert.deepEqual(inLanguage("zh"), [
    ...["0 毫秒", "340 毫秒", "1 秒", "2.4 秒", "59.9 秒"],
    ...["1 分钟", "3 分钟 20 秒", "1 小时", "2 小时 5 分钟", "3 天 3 小时"],
  ]);
  assert.deepEqual(inLanguage("ja"), [
    ...["0 ms", "340 ms", "1 秒", "2.4 秒", "59.9 秒"],
    ...["1 分", "3 分 20 秒", "1 時間", "2 時間 5 分", "3 日 3 時間"],
  ]);
  assert.equal(formatMilliseconds(81_250.4, "en"), "81,250 ms");
});

test("distances in time", () => {
  assert.equal(formatRelative(0, 5 * 60_000, "en"), "5 minutes ago");
  assert.equal(formatRelative(3 * 86_400_000, 0, "en"), "in 3 days");
  assert.equal(formatRelative(0, 100, "en"), "now");
});

test("a time is shown in the zone that was chosen, on both sides of a change of clocks", () => {
  assert.match(formatExact("2026-10-25T00:30:00Z", "en", "Europe/Berlin"), /02:30:00 GMT\+2/);
  assert.match(formatExact("2026-10-25T01:30:00Z", "en", "Europe/Berlin"), /02:30:00 GMT\+1/);
  assert.deepEqual(
    (["en", "zh", "ja"] as const).map((language) =>
      formatExact("2026-10-25T01:30:00Z", language, "Europe/Berlin"),
    ),
    ["Oct 25, 2026, 02:30:00 GMT+1", "2026年10月25日 02:30:00 GMT+1", "2026年10月25日 02:30:00 GMT+1"],
  );
});
