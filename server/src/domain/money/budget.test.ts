import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BudgetPeriod, budgetWindow } from "./budget.ts";

const at = (text: string): number => Date.parse(text);

const cases: readonly (readonly [BudgetPeriod, now: string, id: string, endsAt: string])[] = [
  ["day", "2026-11-21T08:13:19.500Z", "k:day:2026-11-21", "2026-11-22T00:00:00.000Z"],
  ["day", "2026-12-31T23:59:59.999Z", "k:day:2026-12-31", "2027-01-01T00:00:00.000Z"],
  ["day", "2028-02-28T12:00:00Z", "k:day:2028-02-28", "2028-02-29T00:00:00.000Z"],
  ["day", "2028-02-29T00:00:00Z", "k:day:2028-02-29", "2028-03-01T00:00:00.000Z"],
  ["day", "2027-02-28T23:00:00Z", "k:day:2027-02-28", "2027-03-01T00:00:00.000Z"],
  ["month", "2026-01-31T23:59:59.999Z", "k:month:2026-01", "2026-02-01T00:00:00.000Z"],
  ["month", "2026-02-01T00:00:00Z", "k:month:2026-02", "2026-03-01T00:00:00.000Z"],
  ["month", "2028-02-29T12:00:00Z", "k:month:2028-02", "2028-03-01T00:00:00.000Z"],
  ["month", "2026-12-01T00:00:00Z", "k:month:2026-12", "2027-01-01T00:00:00.000Z"],
  // Days are 24 hours long even when summer time begins, because periods are in UTC.
  ["day", "2026-03-29T00:30:00Z", "k:day:2026-03-29", "2026-03-30T00:00:00.000Z"],
];

for (const [period, now, id, endsAt] of cases) {
  test(`${now} is in ${id}, until ${endsAt}`, () => {
    const window = budgetWindow("k", period, at(now));
    assert.equal(window.id, id);
    assert.equal(new Date(window.endsAt).toISOString(), endsAt);
  });
}

test("a period lasts to its last millisecond, and then the next one begins", () => {
  const period = fc.constantFrom<BudgetPeriod>("day", "month");
  const moment = fc.integer({ min: at("2020-01-01T00:00:00Z"), max: at("2099-12-31T00:00:00Z") });
  fc.assert(
    fc.property(period, moment, (kind, nowMs) => {
      const window = budgetWindow("key_1", kind, nowMs);
      assert.ok(window.endsAt > nowMs);
      assert.deepEqual(budgetWindow("key_1", kind, window.endsAt - 1), window);
      const next = budgetWindow("key_1", kind, window.endsAt);
      assert.notEqual(next.id, window.id);
      assert.ok(next.endsAt > window.endsAt);
    }),
  );
});
