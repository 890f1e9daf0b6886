import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Grant, useGrants } from "./grants.ts";

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const grants: fc.Arbitrary<Grant[]> = fc
  .array(fc.record({ remaining: amount, expiresAt: fc.integer({ min: 0, max: 9 }) }), { maxLength: 6 })
  .map((list) => list.map((grant, entryId) => ({ ...grant, entryId })));
const sumOf = (list: readonly Grant[]): bigint => list.reduce((sum, { remaining }) => sum + remaining, 0n);

test("spending uses up the grant that expires soonest, the older one of two", () => {
  const after = useGrants(
    [
      { entryId: 3, remaining: 10n, expiresAt: 200 },
      { entryId: 2, remaining: 10n, expiresAt: 100 },
      { entryId: 1, remaining: 10n, expiresAt: 200 },
    ],
    15n,
  );
  const left = after.map(({ entryId, remaining }) => [entryId, remaining]);
  assert.deepEqual(left, [
    [2, 0n],
    [1, 5n],
    [3, 10n],
  ]);
});

test("what is taken off is what was spent, as far as grants reach", () => {
  fc.assert(
    fc.property(grants, amount, (list, spent) => {
      const after = useGrants(list, spent);
      const before = sumOf(list);
      assert.equal(sumOf(after), spent < before ? before - spent : 0n);
      assert.equal(after.length, list.length);
      for (const { entryId, remaining } of after) {
        assert.ok(remaining >= 0n && remaining <= (list[entryId] as Grant).remaining);
      }
    }),
  );
});

test("no grant is touched while one that expires sooner has something left", () => {
  fc.assert(
    fc.property(grants, amount, (list, spent) => {
      const after = useGrants(list, spent);
      const touched = after.filter(
        ({ entryId, remaining }) => remaining < (list[entryId] as Grant).remaining,
      );
      for (const late of touched) {
        for (const early of after) {
          if (early.expiresAt < late.expiresAt) assert.equal(early.remaining, 0n);
        }
      }
    }),
  );
});

test("taken off late and at once is the same as taken off bit by bit", () => {
  fc.assert(
    fc.property(grants, fc.array(amount, { maxLength: 8 }), (list, parts) => {
      const bitByBit = parts.reduce((left: Grant[], spent) => useGrants(left, spent), useGrants(list, 0n));
      const atOnce = useGrants(
        list,
        parts.reduce((sum, spent) => sum + spent, 0n),
      );
      assert.deepEqual(bitByBit, atOnce);
    }),
  );
});
