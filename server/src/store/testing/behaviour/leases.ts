/** What every store must do with holders and their leases. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { LeaseSubject } from "../../ledger/lease-shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";
import { accountSubject, audit, chargedRow, funds, newAccount, priceOneNano, take } from "./money.ts";

const one = accountSubject("acc_1");
const two = accountSubject("acc_2");

function lending(newFixture: NewFixture): void {
  test("a lease is need and whole units ahead of it, at most an eighth of what is there", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 1_000n);
    await store.openHolder("h1");
    await store.openHolder("h2");
    const requested = { atLeast: 10n, need: 30n, want: 500n, unit: 20n };
    // 30 + 4 × 20 ≤ 1000 / 8.
    assert.deepEqual(await store.takeLease("h1", one, requested), {
      status: "granted",
      amount: 110n,
      available: 890n,
      lentToOthers: 0n,
    });
    assert.deepEqual(await store.takeLease("h2", one, { ...requested, want: 70n }), {
      status: "granted",
      amount: 70n,
      available: 820n,
      lentToOthers: 110n,
    });
    assert.deepEqual(await store.takeLease("h1", one, { ...requested, need: 700n, want: 800n }), {
      status: "granted",
      amount: 700n,
      available: 120n,
      lentToOthers: 70n,
    });
    // Lends everything that is left if that is enough, else nothing.
    assert.deepEqual(await store.takeLease("h2", one, { ...requested, atLeast: 121n, need: 200n }), {
      status: "short",
      amount: 0n,
      available: 120n,
      lentToOthers: 810n,
    });
    assert.deepEqual(await store.takeLease("h2", one, { ...requested, atLeast: 120n, need: 200n }), {
      status: "granted",
      amount: 120n,
      available: 0n,
      lentToOthers: 810n,
    });
    assert.equal((await take(store, "h1", one, 1n)).status, "short");
    assert.deepEqual(await funds(store, "acc_1"), { balance: 1_000n, leased: 1_000n });
    await audit(store);
  });

  test("a lease goes back in part or wholly, and never more than was lent", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await newAccount(store, "acc_2", 100n);
    for (const holder of ["h1", "h2"]) {
      await store.openHolder(holder);
      await take(store, holder, one, 40n);
      await take(store, holder, two, 10n);
    }
    assert.equal(await store.returnLease("h1", one, nanoUsd(15n)), 15n);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 65n });
    assert.equal(await store.returnLease("h1", one, nanoUsd(0n)), 0n);
    assert.equal(await store.returnLease("h1", one, nanoUsd(-5n)), 0n);
    assert.equal(await store.returnLease("h1", one, nanoUsd(26n)), 25n);
    assert.equal(await store.returnLease("h1", one, "all"), 0n);
    assert.equal(await store.returnLease("h2", one, "all"), 40n);
    assert.equal(await store.returnLease("h2", accountSubject("acc_absent"), "all"), 0n);
    assert.equal(await store.returnLease("h_absent", one, "all"), 0n);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 0n });
    assert.deepEqual(await funds(store, "acc_2"), { balance: 100n, leased: 20n });
    assert.equal((await store.verifyLedger()).leases, 2);
    await audit(store);
  });

  test("in one turn settlements come first, then returns, then takes", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    await store.openHolder("h2");
    await take(store, "h1", one, 100n);
    const [taken, , returned] = await Promise.all([
      take(store, "h2", one, 60n),
      store.recordRequest(chargedRow(1, "acc_1", 30n, priceId), {
        holderId: "h1",
        account: { fromLease: nanoUsd(30n), release: nanoUsd(0n) },
      }),
      store.returnLease("h1", one, "all"),
      store.returnLease("h1", one, nanoUsd(1n)),
      store.returnLease("h_absent", one, "all"),
      store.returnLease("h_absent", one, nanoUsd(1n)),
    ]);
    assert.equal(returned, 70n);
    assert.deepEqual(taken, { status: "granted", amount: 60n, available: 10n, lentToOthers: 0n });
    // Returned and immediately taken again: the lease exists.
    const [, again] = await Promise.all([store.returnLease("h2", one, "all"), take(store, "h2", one, 70n)]);
    assert.equal(again.amount, 70n);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 70n, leased: 70n });
    await audit(store);
  });

  test("two stores that lend at once never lend more than there is", async (context) => {
    const { store, reopen } = await newFixture(context);
    const stores = [store, await reopen()];
    await newAccount(store, "acc_1", 100n);
    for (const holder of ["h0", "h1"]) await store.openHolder(holder);
    const grants = await Promise.all(
      Array.from({ length: 40 }, (_, index) => take(stores[index % 2] as Store, `h${index % 2}`, one, 7n)),
    );
    assert.equal(grants.filter(({ status }) => status === "granted").length, 14);
    assert.ok(grants.every(({ status, amount }) => amount === (status === "granted" ? 7n : 0n)));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 98n });
    await audit(store);
  });
}

function holders(newFixture: NewFixture): void {
  test("a holder lives until it is closed, and then everything lent to it is back", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 100n);
    await newAccount(store, "acc_2", 100n);
    const fenced = { status: "fenced", amount: 0n, available: 0n, lentToOthers: 0n };
    assert.equal(await store.heartbeat("h1"), false);
    assert.deepEqual(await take(store, "h1", one, 10n), fenced);
    await store.openHolder("h1");
    await assert.rejects(other.openHolder("h1"), { code: "duplicate" });
    assert.equal(await store.heartbeat("h1"), true);
    assert.equal(await other.heartbeat("h1"), true);
    await store.openHolder("h2");
    await take(store, "h1", one, 10n);
    await take(store, "h1", two, 20n);
    await take(store, "h2", two, 30n);
    await other.closeHolder("h1");
    await other.closeHolder("h1");
    assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 0n });
    assert.deepEqual(await funds(store, "acc_2"), { balance: 100n, leased: 30n });
    assert.equal(await store.heartbeat("h1"), false);
    assert.deepEqual(await take(store, "h1", one, 10n), fenced);
    assert.equal((await take(store, "h2", one, 10n)).status, "granted");
    await audit(store);
  });

  test("a holder with leases on 600 accounts gives them all back", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("h1");
    const ids = Array.from({ length: 600 }, (_, number) => `acc_${number}`);
    for (const id of ids) await newAccount(store, id, 2n);
    await Promise.all(ids.map((id) => take(store, "h1", accountSubject(id), 1n)));
    assert.equal((await store.verifyLedger()).totals.leased, 600n);
    await store.closeHolder("h1");
    const report = await store.verifyLedger();
    assert.deepEqual([report.isOk, report.leases, report.totals.leased], [true, 0, 0n]);
  });

  test("a recall is a line of the feed", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1", 1n);
    const seen = await store.lastChangeId();
    await store.recallLeases("acc_1");
    const [change] = await (await reopen()).listChanges(seen);
    assert.deepEqual([change?.kind, change?.subject], ["recall", "acc_1"]);
  });
}

const november: LeaseSubject = { kind: "budget", id: "key_1:month:2026-11", ownerId: "key_1" };
const december: LeaseSubject = { ...november, id: "key_1:month:2026-12" };

export async function newKey(store: Store, id: string, budget: bigint | null): Promise<void> {
  await store.createKey({
    id,
    accountId: "acc_1",
    name: id,
    visiblePrefix: "sk-plaza-ab",
    digest: createHash("sha256").update(id).digest("hex"),
    models: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrency: null,
    budget: budget === null ? null : { amount: nanoUsd(budget), period: "month" },
    expiresAt: null,
  });
}

function budgets(newFixture: NewFixture): void {
  test("a budget is lent, spent and given back apart from the balance, period by period", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 1_000n);
    await newKey(store, "key_1", 100n);
    await newKey(store, "key_2", null);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    assert.equal(await store.findBudget(november.id), undefined);
    assert.deepEqual(await take(store, "h1", november, 60n), {
      status: "granted",
      amount: 60n,
      available: 40n,
      lentToOthers: 0n,
    });
    assert.deepEqual(await store.findBudget(november.id), { spent: 0n, leased: 60n });
    assert.equal((await take(store, "h1", november, 41n)).status, "short");
    assert.equal((await take(store, "h1", december, 100n)).status, "granted");
    for (const ownerId of ["key_2", "key_absent"]) {
      assert.equal((await take(store, "h1", { ...november, id: "x", ownerId }, 1n)).status, "short");
    }
    assert.equal(await store.findBudget("x"), undefined);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 1_000n, leased: 0n });

    await store.recordRequest(chargedRow(1, "acc_1", 25n, priceId), {
      holderId: "h1",
      account: { fromLease: nanoUsd(0n), release: nanoUsd(0n) },
      budget: { id: november.id, fromLease: nanoUsd(25n), release: nanoUsd(5n) },
    });
    assert.deepEqual(await store.findBudget(november.id), { spent: 25n, leased: 30n });
    assert.deepEqual(await funds(store, "acc_1"), { balance: 975n, leased: 0n });
    assert.equal(await store.returnLease("h1", november, nanoUsd(10n)), 10n);
    assert.equal((await take(store, "h1", november, 55n)).status, "granted");
    await audit(store);
    await store.closeHolder("h1");
    assert.deepEqual(await store.findBudget(november.id), { spent: 25n, leased: 0n });
    assert.deepEqual(await store.findBudget(december.id), { spent: 0n, leased: 0n });
    await audit(store);
  });

  test("a budget that was overspent counts all of it and lends nothing more", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 1_000n);
    await newKey(store, "key_1", 100n);
    await newKey(store, "key_2", null);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    const settle = (number: number, charge: bigint, keyId = "key_1") =>
      store.recordRequest(chargedRow(number, "acc_1", charge, priceId, { keyId }), {
        holderId: "h1",
        account: { fromLease: nanoUsd(0n), release: nanoUsd(0n) },
        budget: { id: `${keyId}:month:2026-11`, fromLease: nanoUsd(charge), release: nanoUsd(0n) },
      });
    await Promise.all([settle(1, 90n), settle(2, 40n)]);
    assert.deepEqual(await store.findBudget(november.id), { spent: 130n, leased: 0n });
    const grant = await take(store, "h1", november, 1n);
    assert.deepEqual([grant.status, grant.amount], ["short", 0n]);
    // The charge counts even if the key has no budget.
    await settle(3, 5n, "key_2");
    await settle(4, 5n, "key_absent");
    assert.equal(await store.findBudget("key_2:month:2026-11"), undefined);
    assert.equal((await funds(store, "acc_1")).balance, 860n);
    // Only what the account paid counts as spent.
    await settle(5, 900n);
    assert.deepEqual(await store.findBudget(november.id), { spent: 990n, leased: 0n });
    await audit(store);
  });
}

export function leaseBehaviour(newFixture: NewFixture): void {
  lending(newFixture);
  holders(newFixture);
  budgets(newFixture);
}
