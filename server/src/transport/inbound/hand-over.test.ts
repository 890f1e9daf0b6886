/** The Node that runs the tests allows what is private; without it connections work, and cost more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInside } from "./hand-over.ts";

test("this Node allows to move handles and to write past streams", async () => {
  const { adopts, direct } = await checkInside();
  assert.equal(adopts, true);
  assert.notEqual(direct, undefined);
  assert.equal(await checkInside(), await checkInside(), "once per process");
});
