import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRetryBudgets, RetryBudget } from "./retry-budget.ts";

/**
 * Runs `requests` at equal intervals, each of which wants `wanted` further attempts; returns how many were
 * allowed.
 */
function run(
  budget: RetryBudget,
  from: number,
  requests: number,
  everyMs: number,
  isWasted: boolean,
): number {
  let extras = 0;
  for (let index = 0; index < requests; index += 1) {
    const nowMs = from + index * everyMs;
    budget.earn(nowMs);
    for (let again = 0; again < 2; again += 1) {
      if (!budget.begin(nowMs)) break;
      extras += 1;
      budget.settle(isWasted);
    }
  }
  return extras;
}

test("attempts that answer are never refused", () => {
  assert.equal(run(new RetryBudget(0), 0, 1_000, 10, false), 2_000);
});

test("attempts that come to nothing stay below a tenth of the requests, also after a quiet time and a busy one", () => {
  for (const everyMs of [5, 20, 100]) {
    const budget = new RetryBudget(0);
    run(budget, 0, 5_000, everyMs, false);
    const requests = 6_000;
    const extras = run(budget, 5_000 * everyMs, requests, everyMs, true);
    assert.ok(extras <= requests / 10, `${extras} of ${requests} at one each ${everyMs} ms`);
    assert.ok(extras >= requests / 25, `${extras} of ${requests}: retries still happen`);
  }
});

test("a quiet model has a few attempts to spare, and gets them back with time", () => {
  const budget = new RetryBudget(0);
  assert.equal(run(budget, 0, 6, 1, true), 5);
  assert.equal(run(budget, 10, 1, 1, true), 0);
  assert.equal(run(budget, 200_000, 6, 1, true), 5);
});

test("those under way are bounded, and what they waste is paid back", () => {
  const budget = new RetryBudget(0);
  let begun = 0;
  while (budget.begin(1)) begun += 1;
  assert.equal(begun, 64);
  for (let index = 0; index < begun; index += 1) budget.settle(true);
  let requests = 0;
  while (!budget.begin(2)) {
    budget.earn(2);
    requests += 1;
  }
  // 64 at sixteen each, minus the five available, plus one to spend.
  assert.equal(requests, (64 - 5 + 1) * 16);
});

test("whatever the traffic, wasted attempts are at most the floor, the refill and a sixteenth of the requests", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 12_000 }), { maxLength: 200 }), (gaps) => {
      const budget = new RetryBudget(0);
      let nowMs = 0;
      let extras = 0;
      for (const gap of gaps) {
        nowMs += gap;
        budget.earn(nowMs);
        if (!budget.begin(nowMs)) continue;
        budget.settle(true);
        extras += 1;
      }
      assert.ok(extras <= 5 + gaps.length / 16 + nowMs / 20_000 + 1e-9);
    }),
  );
});

test("each model has a budget of its own", () => {
  const budgets = createRetryBudgets();
  run(budgets.of("a", 0), 0, 10, 1, true);
  assert.equal(budgets.of("a", 0).begin(1), false);
  assert.equal(budgets.of("b", 0).begin(1), true);
});
