/** The path of a small line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sparklinePath } from "./sparkline-path.ts";

test("zero is the bottom, the highest value the top, a gap begins the line anew", () => {
  assert.equal(sparklinePath([0, 10, null, 5]), "M0.0 26.5L33.3 1.5M100.0 14.0");
  assert.equal(sparklinePath([0, 0]), "M0.0 26.5L100.0 26.5");
  assert.equal(sparklinePath([]), "");
});
