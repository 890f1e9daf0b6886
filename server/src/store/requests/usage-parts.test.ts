/** The column `usage_parts`: what is written of a request is read back, of older servers' rows, too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readUsageParts, writeUsageParts } from "./usage-parts.ts";

test("the ordinary row says when its attempt began, and nothing else", () => {
  assert.equal(writeUsageParts({ usageParts: null, queueMs: 0 }), '{"queueMs":0}');
  assert.equal(
    writeUsageParts({ usageParts: { audioInput: 3 }, queueMs: 12 }),
    '{"audioInput":3,"queueMs":12}',
  );
  assert.equal(writeUsageParts({ usageParts: null, queueMs: null }), null);
});

test("rows of servers that did not keep the time: none is made up", () => {
  assert.deepEqual(readUsageParts(null), { usageParts: null, queueMs: null });
  assert.deepEqual(readUsageParts('{"audioInput":3}'), { usageParts: { audioInput: 3 }, queueMs: null });
});

test("servers that do not know the time find the parts of the token classes where they were", () => {
  const parts = { audioInput: 3, longCacheWrite: 4 };
  const { audioInput, longCacheWrite } = JSON.parse(writeUsageParts({ usageParts: parts, queueMs: 9 }) ?? "");
  assert.deepEqual({ audioInput, longCacheWrite }, parts);
});

test("whatever is written is read back", () => {
  const part = fc.nat({ max: 2 ** 40 });
  const names = { audioInput: part, imageInput: part, audioOutput: part, longCacheWrite: part };
  const parts = fc
    .record(names, { requiredKeys: [], noNullPrototype: true })
    .filter((found) => Object.keys(found).length > 0);
  fc.assert(
    fc.property(fc.option(parts), fc.option(fc.nat()), (usageParts, queueMs) => {
      const packed = { usageParts, queueMs };
      assert.deepEqual(readUsageParts(writeUsageParts(packed)), packed);
    }),
  );
});
