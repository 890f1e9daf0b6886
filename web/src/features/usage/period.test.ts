/** Periods of the URL as instants. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { daysBetween, daysOf, type PeriodValues, rangeOf, zoneFault } from "./period.ts";

const values = (period: string, from = "", to = ""): PeriodValues => ({ period, from, to, zone: "" });
const today = "2026-11-21";

test("presets are whole days that end with today", () => {
  assert.deepEqual(daysOf(values("today"), today), { first: today, last: today });
  assert.deepEqual(daysOf(values("7d"), today), { first: "2026-11-15", last: today });
  assert.deepEqual(daysOf(values("30d"), today), { first: "2026-10-23", last: today });
  assert.deepEqual(daysOf(values("90d"), today), { first: "2026-08-24", last: today });
  assert.deepEqual(daysOf(values("month"), today), { first: "2026-11-01", last: today });
  assert.deepEqual(daysOf(values("last-month"), today), { first: "2026-10-01", last: "2026-10-31" });
  assert.deepEqual(daysOf(values("last-month"), "2026-01-05"), { first: "2025-12-01", last: "2025-12-31" });
  assert.deepEqual(daysOf(values("12m"), today), { first: "2025-11-22", last: today });
  assert.deepEqual(daysOf(values("12m"), "2028-02-28"), { first: "2027-03-01", last: "2028-02-28" });
  assert.equal(daysOf(values("all"), today), undefined);
  assert.deepEqual(daysOf(values("nonsense"), today), daysOf(values("30d"), today));
});

test("given days count from the first to the last, in whatever order", () => {
  const days = { first: "2026-11-02", last: "2026-11-09" };
  assert.deepEqual(daysOf(values("custom", "2026-11-02", "2026-11-09"), today), days);
  assert.deepEqual(daysOf(values("custom", "2026-11-09", "2026-11-02"), today), days);
  assert.deepEqual(daysOf(values("custom", "2026-11-02", ""), today), { first: "2026-11-02", last: today });
  assert.deepEqual(daysOf(values("custom", "", "bad"), today), daysOf(values("30d"), today));
});

test("a range is the zone's days as instants, its end exclusive", () => {
  const nowMs = Date.parse("2026-10-25T12:00:00Z");
  assert.deepEqual(rangeOf(values("today"), "Europe/Berlin", nowMs), {
    first: "2026-10-25",
    last: "2026-10-25",
    from: "2026-10-24T22:00:00.000Z",
    to: "2026-10-25T23:00:00.000Z",
  });
});

test("a zone serves where its days begin on half hours", () => {
  const days = { first: "2026-11-01", last: "2026-11-21" };
  assert.equal(zoneFault("Asia/Kolkata", days, today), undefined);
  assert.equal(zoneFault("Australia/Lord_Howe", { first: "2026-01-01", last: today }, today), undefined);
  assert.equal(zoneFault("Asia/Kathmandu", days, today), "offset");
  assert.equal(zoneFault("Asia/Kathmandu", undefined, today), "offset");
  assert.equal(zoneFault("Mars/Olympus", days, today), "unknown");
});

test("days between are all of them, and never without end", () => {
  assert.deepEqual(daysBetween({ first: "2026-02-27", last: "2026-03-01" }), [
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
  ]);
  assert.equal(daysBetween({ first: "0001-01-01", last: "9999-12-31" }).length, 2_000);
});
