/** Days are the newest first, models the dearest first, and sums are exact. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chargedDays, type DayModel } from "./by-day.ts";

const row = (day: string, model: string, charge: string, requests = 1): DayModel => ({
  day,
  model,
  charge,
  requests,
  inputTokens: 10,
  cachedInputTokens: 5,
  cacheWriteTokens: 1,
  outputTokens: 7,
});

test("charges are grouped by day and model", () => {
  const days = chargedDays([
    row("2026-11-01", "a", "0.1"),
    row("2026-11-02", "b", "0.2", 2),
    row("2026-11-02", "a", "10"),
    row("2026-11-02", "", "0"),
  ]);
  assert.deepEqual(
    days.map(({ day, charge, requests }) => [day, charge, requests]),
    [
      ["2026-11-02", "10.2", 4],
      ["2026-11-01", "0.1", 1],
    ],
  );
  assert.deepEqual(
    days[0]?.models.map(({ model }) => model),
    ["a", "b", ""],
  );
  assert.equal(days[0]?.models[0]?.inputTokens, 16);
});

test("a sum has every billionth, and a day without requests is left out", () => {
  const [day] = chargedDays([row("2026-11-01", "a", "0.1"), row("2026-11-01", "b", "0.200000001")]);
  assert.equal(day?.charge, "0.300000001");
  assert.deepEqual(chargedDays([row("2026-11-01", "a", "0", 0)]), []);
});
