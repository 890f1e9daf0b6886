import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createThrottling,
  type Throttling,
  throttleRate,
  throttlingRefused,
  throttlingServed,
  worthWaitingMs,
} from "./throttling.ts";

function after(...counts: readonly ["served" | "refused", number, number][]): Throttling {
  const one = createThrottling();
  for (const [what, times, at] of counts) {
    for (let call = 0; call < times; call += 1)
      (what === "served" ? throttlingServed : throttlingRefused)(one, at);
  }
  return one;
}

test("a refusal among answers is seldom, the first of all says nothing, five in a row are no accident", () => {
  assert.equal(throttleRate(createThrottling(), 0), "unclear");
  assert.equal(throttleRate(after(["refused", 1, 0]), 0), "unclear");
  assert.equal(throttleRate(after(["served", 49, 0], ["refused", 1, 0]), 0), "seldom");
  assert.equal(throttleRate(after(["served", 3, 0], ["refused", 1, 0]), 0), "unclear");
  assert.equal(throttleRate(after(["served", 4, 0], ["refused", 1, 0]), 0), "seldom");
  assert.equal(throttleRate(after(["served", 900, 0], ["refused", 5, 0]), 0), "often");
  assert.equal(throttleRate(after(["served", 900, 0], ["refused", 5, 0], ["served", 1, 0]), 0), "seldom");
});

test("as many refusals as answers are often; what is between is unclear", () => {
  assert.equal(throttleRate(after(["refused", 3, 0], ["served", 3, 0]), 0), "often");
  assert.equal(throttleRate(after(["refused", 3, 0], ["served", 4, 0]), 0), "unclear");
  assert.equal(throttleRate(after(["refused", 3, 0], ["served", 12, 0]), 0), "seldom");
});

test("counts of the window before this one still count, older ones do not", () => {
  const one = after(["served", 20, 0], ["refused", 1, 15_000]);
  assert.equal(throttleRate(one, 15_000), "seldom");
  assert.equal(throttleRate(one, 24_999), "seldom");
  assert.equal(throttleRate(one, 25_000), "unclear");
});

test("the refused request waits only for what refuses seldom, the others a second for what is not clear", () => {
  const waits = (["seldom", "unclear", "often"] as const).map((rate) => [
    worthWaitingMs(rate, true),
    worthWaitingMs(rate, false),
  ]);
  assert.deepEqual(waits, [
    [5_000, 5_000],
    [0, 1_000],
    [0, 0],
  ]);
});
