import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidArgumentError } from "commander";
import {
  formatBudget,
  readAmount,
  readBudget,
  readFuture,
  readLimit,
  readModelIds,
  readName,
  readPositiveAmount,
  readSignedAmount,
} from "./arguments.ts";

function refuses(read: (text: string) => unknown, ...texts: string[]): void {
  for (const text of texts) assert.throws(() => read(text), InvalidArgumentError, JSON.stringify(text));
}

test("names and amounts", () => {
  assert.equal(readName(" Team Blue "), "Team Blue");
  refuses(readName, "", "  ", "a\nb", "\u001b[31m", "x".repeat(201));
  assert.equal(readAmount("5.00"), 5_000_000_000n);
  refuses(readAmount, "", "-1", "1e3", "5 USD", "0.0000000001", "9999999999");
});

test("what is wrong with an amount is named", () => {
  const told = (text: string): string => {
    try {
      readAmount(text);
    } catch (error) {
      return error instanceof InvalidArgumentError ? error.message : String(error);
    }
    return "accepted";
  };
  const cases: [RegExp, string[]][] = [
    [/^The amount cannot be negative\. Enter US dollars/, ["-1", "-5 EUR", "\u22125"]],
    [/^Remove the \+ sign\. Enter/, ["+1", "+5"]],
    [/^This is not a number\. Enter/, ["NaN", "nan", "Infinity", "inf"]],
    [/^Write the amount in decimal digits\. Enter/, ["0x10", "0b1", "0o7", "0XFF"]],
    [/^Exponents are not allowed/, ["1e3", "1E3", "1.5e-3"]],
    [/^Remove the currency/, ["$5", "5 EUR", "5 USD", "€5", "5€", "USD 5", "five"]],
    [/^Use a decimal point/, ["5,00", "1,000.00"]],
    [/^Use at most nine decimals\./, ["0.0000000001", "1.0000000000"]],
    [/^The largest amount is 1000000000\./, ["1000000000.000000001", "99999999999999999999"]],
    [/^This is not an amount\. Enter US dollars/, ["", " ", "5.", ".5", "1 000", "5.0.0"]],
  ];
  for (const [message, texts] of cases) {
    for (const text of texts) assert.match(told(text), message, JSON.stringify(text));
  }
});

test("amounts that must be something, and amounts with a sign", () => {
  assert.equal(readPositiveAmount("0.000000001"), 1n);
  refuses(readPositiveAmount, "0", "0.00", "-1", "1e3");
  assert.equal(readSignedAmount("-2.50"), -2_500_000_000n);
  assert.equal(readSignedAmount("+2.50"), 2_500_000_000n);
  assert.equal(readSignedAmount("2.50"), 2_500_000_000n);
  refuses(readSignedAmount, "", "-", "0", "-0", "--1", "+-1", "-1e3", "-$1", "-0.0000000001");
});

test("how many rows", () => {
  assert.deepEqual([readLimit("1"), readLimit("10000")], [1, 10_000]);
  refuses(readLimit, "0", "10001", "-1", "1.5", "", "x");
});

test("budgets", () => {
  assert.deepEqual(readBudget("10.00/month"), { amount: 10_000_000_000n, period: "month" });
  assert.equal(formatBudget(readBudget("0.5/day")), "0.50/day");
  refuses(readBudget, "10", "10/", "10/year", "/day", "0/day", "-1/day", "1/day/day", "x/day");
});

test("model ids", () => {
  assert.deepEqual(readModelIds("a, b,a"), ["a", "b"]);
  refuses(readModelIds, "", "a,", ",a", "a,,b");
});

test("moments to come", () => {
  const now = Date.parse("2026-02-01T12:00:00Z");
  const iso = (text: string): string => new Date(readFuture(text, now)).toISOString();
  assert.equal(iso("2026-02-28"), "2026-02-28T00:00:00.000Z");
  assert.equal(iso("2026-02-28T18:30"), "2026-02-28T18:30:00.000Z");
  assert.equal(iso("2026-02-28T18:30:15+02:00"), "2026-02-28T16:30:15.000Z");
  assert.equal(iso("2026-02-28T18:30Z"), "2026-02-28T18:30:00.000Z");
  assert.equal(iso("30d"), "2026-03-03T12:00:00.000Z");
  assert.equal(iso("2w"), "2026-02-15T12:00:00.000Z");
  assert.equal(iso("90m"), "2026-02-01T13:30:00.000Z");
  const refused = [
    "",
    "30",
    "soon",
    "2026-02-31",
    "2026-13-01",
    "2026-2-3",
    "2026-02-28 18:30",
    "2026-02-28T25:00",
  ];
  refuses((text) => readFuture(text, now), ...refused, "2026-02-01", "0d", "9999999d", "12026-01-01", "1y");
});
