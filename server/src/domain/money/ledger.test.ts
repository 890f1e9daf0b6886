import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  available,
  giveBack,
  type LeaseRequest,
  lend,
  lendable,
  type Payment,
  type Pot,
  pay,
} from "./ledger.ts";

const amount = (max = 1_000_000n) => fc.bigInt({ min: 0n, max });
/** A pot with one lease; the rest of the lent amount belongs to others. */
const lentPot = fc
  .record({ free: amount(), lease: amount(), others: amount() })
  .map(({ free, lease, others }) => ({
    pot: { total: free + lease + others, leased: lease + others },
    lease,
  }));
const anyRequest = fc
  .record({ atLeast: amount(), more: amount(), ahead: amount(), unit: amount(1_000n) })
  .map(({ atLeast, more, ahead, unit }): LeaseRequest => {
    return { atLeast, need: atLeast + more, want: atLeast + more + ahead, unit };
  });
const payment = fc.record({ charge: amount(), fromLease: amount(), release: amount() });

function assertSound({ total, leased }: Pot, lease: bigint): void {
  assert.ok(total >= 0n && leased >= 0n && leased <= total, `leased ${leased} of ${total}`);
  assert.ok(lease >= 0n && lease <= leased, `a lease of ${lease} in ${leased}`);
}

test("never lends more than is available, and less than needed only when that is all", () => {
  fc.assert(
    fc.property(lentPot, anyRequest, ({ pot, lease }, requested) => {
      const lent = lendable(pot, requested);
      const free = available(pot);
      const after = lend(pot, lent);
      assertSound(after, lease + lent);
      assert.equal(after.total, pot.total);
      if (free >= requested.need) assert.ok(lent >= requested.need && lent <= requested.want);
      else assert.equal(lent, free >= requested.atLeast ? free : 0n);
    }),
  );
});

test("lends ahead in whole units and at most an eighth of what is available", () => {
  fc.assert(
    fc.property(lentPot, anyRequest, ({ pot }, requested) => {
      const ahead = lendable(pot, requested) - requested.need;
      if (ahead <= 0n) return;
      assert.equal(ahead % requested.unit, 0n);
      assert.ok(requested.need + ahead <= available(pot) / 8n);
    }),
  );
});

test("lends as much ahead as it may", () => {
  const pot = { total: 10_000n, leased: 2_000n };
  // An eighth of 8,000 is 1,000: nine more units of a hundred fit in addition to the 100 needed.
  assert.equal(lendable(pot, { atLeast: 100n, need: 100n, want: 5_000n, unit: 100n }), 1_000n);
  assert.equal(lendable(pot, { atLeast: 100n, need: 100n, want: 450n, unit: 100n }), 400n);
  assert.equal(lendable(pot, { atLeast: 100n, need: 100n, want: 5_000n, unit: 0n }), 100n);
});

test("a pot that owes more than it has lends nothing", () => {
  assert.equal(lendable({ total: -50n, leased: 0n }, { atLeast: 0n, need: 1n, want: 1n, unit: 1n }), 0n);
  assert.equal(lendable({ total: 10n, leased: 30n }, { atLeast: 0n, need: 1n, want: 1n, unit: 1n }), 0n);
});

test("a lease given back makes as much available again, and never more than it was", () => {
  fc.assert(
    fc.property(lentPot, amount(), ({ pot, lease }, back) => {
      const after = giveBack(pot, lease, back);
      assertSound(after.pot, after.lease);
      assert.equal(after.pot.total, pot.total);
      assert.equal(available(after.pot) - available(pot), lease - after.lease);
      assert.equal(after.lease, back < lease ? lease - back : 0n);
    }),
  );
});

function assertPaid(pot: Pot, lease: bigint, { charge, fromLease, release }: Payment): void {
  const paid = pay(pot, lease, { charge, fromLease, release });
  assertSound(paid.pot, paid.lease);
  // Conservation: the amount that left the pot plus the loss is the charge.
  assert.equal(pot.total - paid.pot.total + paid.loss, charge);
  // The amount deducted from the lease is no longer leased, whether the account or the operator paid.
  assert.equal(pot.leased - paid.pot.leased, lease - paid.lease);
  assert.ok(paid.loss >= 0n);
  const taken = [fromLease, charge, lease].reduce((least, each) => (each < least ? each : least));
  const kept = lease - taken - release;
  assert.equal(paid.lease, kept > 0n ? kept : 0n);
  const rest = charge - taken;
  const there = available(pot);
  assert.equal(paid.loss, rest > there ? rest - there : 0n, "lost is only what nothing was left for");
}

test("a charge is paid by the lease, then by what is available, and what is left is lost", () => {
  fc.assert(fc.property(lentPot, payment, ({ pot, lease }, requested) => assertPaid(pot, lease, requested)));
});

test("a lease that expired meanwhile pays nothing", () => {
  const paid = pay({ total: 100n, leased: 80n }, 0n, { charge: 30n, fromLease: 30n, release: 10n });
  assert.deepEqual(paid, { pot: { total: 80n, leased: 80n }, lease: 0n, loss: 10n });
});

test("what is released with a charge cannot pay for it", () => {
  const paid = pay({ total: 100n, leased: 100n }, 100n, { charge: 60n, fromLease: 40n, release: 60n });
  assert.deepEqual(paid, { pot: { total: 60n, leased: 0n }, lease: 0n, loss: 20n });
});

type Step =
  | { readonly kind: "take"; readonly who: number; readonly requested: LeaseRequest }
  | { readonly kind: "return"; readonly who: number; readonly amount: bigint }
  | { readonly kind: "pay"; readonly who: number; readonly payment: Payment };

const who = fc.integer({ min: 0, max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("take" as const), who, requested: anyRequest }),
  fc.record({ kind: fc.constant("return" as const), who, amount: amount() }),
  fc.record({ kind: fc.constant("pay" as const), who, payment }),
);

test("any sequence by three holders keeps leased = Σ leases and total + paid", () => {
  fc.assert(
    fc.property(amount(3_000_000n), fc.array(step, { maxLength: 60 }), (total, steps) => {
      let pot: Pot = { total, leased: 0n };
      const leases = [0n, 0n, 0n];
      let paid = 0n;
      for (const each of steps) {
        const lease = leases[each.who] as bigint;
        if (each.kind === "take") {
          const lent = lendable(pot, each.requested);
          pot = lend(pot, lent);
          leases[each.who] = lease + lent;
        } else if (each.kind === "return") {
          const after = giveBack(pot, lease, each.amount);
          pot = after.pot;
          leases[each.who] = after.lease;
        } else {
          const after = pay(pot, lease, each.payment);
          pot = after.pot;
          leases[each.who] = after.lease;
          paid += each.payment.charge - after.loss;
        }
        assertSound(pot, 0n);
        assert.equal(
          pot.leased,
          leases.reduce((sum, held) => sum + held, 0n),
        );
        assert.equal(pot.total + paid, total);
      }
    }),
  );
});
