/** The points that keys lead to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pointAfter } from "./point-keys.ts";

test("arrows start at the near end, and no key leaves the chart", () => {
  const from = (at: number | undefined) =>
    ["ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End"].map((key) => pointAfter(key, at, 9));
  assert.deepEqual(from(undefined), [9, 0, 3, 6, 0, 9]);
  assert.deepEqual(from(4), [3, 5, 0, 9, 0, 9]);
  assert.deepEqual(from(0), [0, 1, 0, 7, 0, 9]);
  assert.deepEqual(from(9), [8, 9, 2, 9, 0, 9]);
});

test("other keys are left to the browser", () => {
  for (const key of ["Tab", "Enter", "a", "toString"]) assert.equal(pointAfter(key, 4, 9), undefined);
});
