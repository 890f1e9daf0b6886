import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endHold, free, isScarce, type Lease, leaseRequestFor, place } from "./lease.ts";

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const amount = fc.bigInt({ min: 0n, max: 1_000_000n });
const lease = fc
  .record({ held: amount, free: amount })
  .map(({ held, free: there }): Lease => ({ amount: held + there, held }));
const anyRequest = fc
  .record({ atLeast: amount, more: amount })
  .map(({ atLeast, more }) => ({ atLeast, amount: atLeast + more }));

test("a hold is placed wholly where it fits", () => {
  const own = { amount: 10n, held: 4n };
  assert.equal(place(own, { amount: 6n, atLeast: 1n }, false), 6n);
  assert.deepEqual(own, { amount: 10n, held: 10n });
});

test("a hold that does not fit is cut only where that is allowed and of use", () => {
  const own = { amount: 10n, held: 4n };
  assert.equal(place(own, { amount: 7n, atLeast: 5n }, false), undefined);
  assert.equal(place(own, { amount: 9n, atLeast: 7n }, true), undefined);
  assert.equal(own.held, 4n);
  assert.equal(place(own, { amount: 9n, atLeast: 6n }, true), 6n);
  assert.equal(own.held, 10n);
});

test("holds never exceed the lease", () => {
  fc.assert(
    fc.property(lease, anyRequest, fc.boolean(), (own, requested, takesLess) => {
      const before = own.held;
      const placed = place(own, requested, takesLess);
      assert.ok(own.held <= own.amount);
      assert.equal(own.held - before, placed ?? 0n);
      if (placed !== undefined) assert.ok(placed >= requested.atLeast && placed <= requested.amount);
    }),
  );
});

test("what is asked for makes room for all that wait", () => {
  fc.assert(
    fc.property(
      lease,
      fc.array(anyRequest, { minLength: 1, maxLength: 8 }),
      fc.bigInt(0n, 50n),
      (own, waiting, ahead) => {
        const asked = leaseRequestFor(own, waiting, ahead);
        const first = waiting[0] as (typeof waiting)[number];
        assert.ok(asked.atLeast <= asked.need && asked.need <= asked.want);
        assert.equal(asked.want - asked.need, ahead * first.amount);
        const withNeed = { amount: own.amount + asked.need, held: own.held };
        for (const each of waiting) assert.equal(place(withNeed, each, false), each.amount);
        assert.ok(asked.need === 0n || free(withNeed) === 0n, "and not more than that");
        const withLeast = { amount: own.amount + asked.atLeast, held: own.held };
        assert.notEqual(place(withLeast, first, true), undefined);
      },
    ),
  );
});

test("a lease that paid more than was held has nothing free", () => {
  assert.equal(free({ amount: 3n, held: 5n }), 0n);
  assert.equal(leaseRequestFor({ amount: 3n, held: 5n }, [{ amount: 4n, atLeast: 4n }], 0n).need, 4n);
});

test("an ended hold pays from the lease, never out of other holds, and nothing is counted twice", () => {
  fc.assert(
    fc.property(lease, amount, amount, fc.boolean(), (own, hold, charge, isScarceNow) => {
      const before = own.amount + hold;
      const others = own.held;
      const ending: Lease = { amount: before, held: others + hold };
      const payment = endHold(ending, hold, charge, isScarceNow);
      assert.equal(ending.held, others);
      assert.ok(ending.amount >= others, "other holds stay covered");
      assert.equal(ending.amount, before - payment.fromLease - payment.release);
      assert.equal(payment.charge, charge);
      const there = before - others;
      assert.equal(payment.fromLease, least(charge, there));
      assert.equal(payment.release, isScarceNow ? there - payment.fromLease : 0n);
    }),
  );
});

test("less than eight holds is scarce", () => {
  assert.equal(isScarce(799n, 100n), true);
  assert.equal(isScarce(800n, 100n), false);
  assert.equal(isScarce(0n, 0n), false);
});
