/** What every store must do when a request is paid for. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Settlement } from "../../requests/settlement-shapes.ts";
import type { RequestRow } from "../../requests/shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";
import { accountSubject, audit, chargedRow, funds, newAccount, priceOneNano, take } from "./money.ts";

const one = accountSubject("acc_1");

const payment = (fromLease: bigint, release = 0n, holderId = "h1"): Settlement => ({
  holderId,
  account: { fromLease: nanoUsd(fromLease), release: nanoUsd(release) },
});

function paying(newFixture: NewFixture): void {
  test("a charge is paid by the lease, then by what nobody borrowed; the rest is a loss line", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    await store.openHolder("h2");
    await take(store, "h1", one, 40n);
    await take(store, "h2", one, 30n);

    await store.recordRequest(chargedRow(1, "acc_1", 25n, priceId), payment(25n, 5n));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 75n, leased: 40n });
    // 10 from the lease, 15 from the 35 that are free.
    await store.recordRequest(chargedRow(2, "acc_1", 25n, priceId), payment(10n));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 50n, leased: 30n });
    // Its lease is used up, 20 are free, 30 are lent to others.
    await store.recordRequest(chargedRow(3, "acc_1", 33n, priceId), payment(33n, 99n));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 30n, leased: 30n });
    await store.recordRequest(chargedRow(4, "acc_1", 0n, priceId), payment(0n, 30n, "h2"));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 30n, leased: 0n });

    const entries = await store.listEntries({ accountId: "acc_1", limit: 10 });
    assert.deepEqual(
      entries.map(({ kind, amount, requestId }) => `${kind} ${amount} ${requestId?.slice(-1)}`),
      ["operator_loss 13 3", "charge -33 3", "charge -25 2", "charge -25 1", "topup 100 undefined"],
    );
    const found = await store.findRequest(chargedRow(3, "", 0n, 0).id);
    assert.deepEqual([found?.request.charge, found?.request.loss, found?.price?.id], [33n, 13n, priceId]);
    assert.equal(found?.price?.price?.input, 1_000_000n);
    await audit(store);
  });

  test("a holder that lost its lease, or never had one, pays from what nobody borrowed", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    for (const holder of ["h1", "h2"]) await store.openHolder(holder);
    await take(store, "h1", one, 60n);
    await store.closeHolder("h1");
    await take(store, "h2", one, 70n);
    await store.recordRequest(chargedRow(1, "acc_1", 50n, priceId), payment(50n, 10n));
    await store.recordRequest(chargedRow(2, "acc_1", 1n, priceId), payment(1n, 0n, "h_absent"));
    await store.recordRequest(chargedRow(3, "acc_1", 0n, priceId), payment(9n, 9n, "h_absent"));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 70n, leased: 70n });
    const losses = (await store.listRequests({ limit: 9 })).map(({ loss }) => loss);
    assert.deepEqual(losses, [0n, 1n, 20n]);
    await audit(store);
  });
}

function repeating(newFixture: NewFixture): void {
  test("a request settled again changes nothing, in one batch or later, in one store or two", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    await take(store, "h1", one, 50n);
    const row = chargedRow(1, "acc_1", 20n, priceId);
    const dearer = chargedRow(1, "acc_1", 33n, priceId);
    await Promise.all([
      store.recordRequest(row, payment(20n, 5n)),
      store.recordRequest(row, payment(20n, 5n)),
      store.recordRequest(dearer, payment(33n)),
    ]);
    const after = { balance: 80n, leased: 25n };
    assert.deepEqual(await funds(store, "acc_1"), after);
    await Promise.all([
      store.recordRequest(row, payment(20n, 5n)),
      other.recordRequest(dearer, payment(33n, 2n)),
      other.recordRequest(row),
    ]);
    assert.deepEqual(await funds(store, "acc_1"), after);
    assert.equal((await store.listEntries({ accountId: "acc_1", limit: 9 })).length, 2);
    assert.deepEqual(
      (await store.listRequests({ limit: 9 })).map(({ charge }) => charge),
      [20n],
    );
    await audit(store);
  });

  test("requests of every kind settled in one batch are as if each had come alone", async (context) => {
    const { store } = await newFixture(context);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    const answer = { status: 200, headers: [], body: new Uint8Array(1) };
    // Some are free, one has a key, two were settled before, and the money ends half-way.
    const settleAll = async (accountId: string, from: number, isBatch: boolean) => {
      await newAccount(store, accountId, 100n);
      await take(store, "h1", accountSubject(accountId), 40n);
      const requestId = chargedRow(from + 13, "", 0n, 0).id;
      const claim = { accountId, key: "k", fingerprint: "f", requestId, holderId: "h1" };
      await store.claimIdempotencyKey({ ...claim, expiresAt: Date.now() + 60_000 });
      const record = (number: number) =>
        store.recordRequest(chargedRow(from + number, accountId, number % 4 === 0 ? 0n : 7n, priceId), {
          ...payment(5n, BigInt(number % 2)),
          ...(number === 13 ? { idempotency: { key: "k", answer } } : {}),
        });
      await record(5);
      await record(11);
      const numbers = Array.from({ length: 25 }, (_, number) => number);
      if (isBatch) await Promise.all(numbers.map(record));
      else for (const number of numbers) await record(number);
      const rows = await store.listRequests({ accountId, limit: 99 });
      return {
        rows: rows.map(({ charge, loss }) => [charge, loss]),
        // In a batch PostgreSQL writes what was lost after all charges.
        entries: (await store.listEntries({ accountId, limit: 99 }))
          .map(({ kind, amount }) => `${kind} ${amount}`)
          .sort(),
        funds: await funds(store, accountId),
      };
    };
    const alone = await settleAll("acc_1", 0, false);
    assert.equal(alone.rows.length, 25);
    assert.equal(alone.rows.filter(([, loss]) => loss !== 0n).length, 4);
    assert.deepEqual(await settleAll("acc_2", 100, true), alone);
    await audit(store);
  });

  test("two stores that settle the same requests at once charge each of them once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 1_000n);
    const priceId = await priceOneNano(store);
    const rows = Array.from({ length: 40 }, (_, number) => chargedRow(number, "acc_1", 3n, priceId));
    await Promise.all([store, other].flatMap((each) => rows.map((row) => each.recordRequest(row))));
    assert.deepEqual(await funds(store, "acc_1"), { balance: 880n, leased: 0n });
    await audit(store);
  });
}

function refusing(newFixture: NewFixture): void {
  test("a row with impossible values leaves its neighbours and all money alone", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 1_000n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    await take(store, "h1", one, 500n);
    const answer = { status: 7, headers: [], body: new Uint8Array(1) };
    await store.claimIdempotencyKey({
      accountId: "acc_1",
      key: "k",
      fingerprint: "f",
      requestId: chargedRow(60, "", 0n, 0).id,
      holderId: "h1",
      expiresAt: Date.now() + 60_000,
    });
    const impossible: [Partial<RequestRow>, Settlement?][] = [
      [{ charge: nanoUsd(-1n) }],
      [{ charge: nanoUsd(2n ** 63n) }],
      [{ charge: 1.5 as unknown as RequestRow["charge"] }],
      [{ outputTokens: -1 }],
      [{ accountId: "acc_absent" }],
      [{}, payment(-1n)],
      [{}, payment(10n, -600n)],
      [{ id: chargedRow(60, "", 0n, 0).id }, { ...payment(10n), idempotency: { key: "k", answer } }],
    ];
    const outcomes = await Promise.allSettled(
      impossible.flatMap(([changes, settlement = payment(10n)], index) => [
        store.recordRequest(chargedRow(index * 2 + 100, "acc_1", 10n, priceId, changes), settlement),
        store.recordRequest(chargedRow(index * 2 + 101, "acc_1", 10n, priceId), payment(10n)),
      ]),
    );
    for (const [index, outcome] of outcomes.entries()) {
      assert.equal(outcome.status, index % 2 === 0 ? "rejected" : "fulfilled", `row ${index}`);
      if (outcome.status === "rejected") assert.equal(outcome.reason.code, "invalid", `row ${index}`);
    }
    const paid = BigInt(impossible.length) * 10n;
    assert.deepEqual(await funds(store, "acc_1"), { balance: 1_000n - paid, leased: 500n - paid });
    assert.equal((await store.listRequests({ limit: 99 })).length, impossible.length);
    await audit(store);
  });

  test("a request without money needs no account, as one of a key that is not ours", async (context) => {
    const { store } = await newFixture(context);
    await store.recordRequest(chargedRow(1, "acc_absent", 0n, 0, { priceId: null, inputTokens: 0 }));
    await assert.rejects(store.recordRequest(chargedRow(2, "acc_absent", 1n, 1)), {
      code: "invalid",
      message: /account acc_absent not found/,
    });
    assert.equal((await store.listRequests({ limit: 9 })).length, 1);
  });
}

/** A small seeded generator, so that a failure can be repeated. */
function randomBelow(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function conserving(newFixture: NewFixture): void {
  test("two stores at work on three accounts make and lose not a nano-dollar", async (context) => {
    const { store, reopen } = await newFixture(context);
    const stores = [store, await reopen()];
    const priceId = await priceOneNano(store);
    const accounts = ["acc_0", "acc_1", "acc_2"];
    for (const id of accounts) await newAccount(store, id, 2_000n);
    for (const holder of ["h0", "h1"]) await store.openHolder(holder);
    const below = randomBelow(20261121);
    let number = 0;
    const act = async (which: number): Promise<void> => {
      const mine = stores[which] as Store;
      const holderId = `h${which}`;
      const accountId = accounts[below(3)] as string;
      const amount = BigInt(below(60));
      const kind = below(8);
      if (kind < 2) await take(mine, holderId, accountSubject(accountId), amount + 1n);
      else if (kind === 2) await mine.returnLease(holderId, accountSubject(accountId), nanoUsd(amount));
      else if (kind === 3) await mine.addEntry({ accountId, kind: "topup", amount: nanoUsd(amount + 1n) });
      else {
        // An id is always of one account.
        const row = chargedRow(number, accounts[number % 3] as string, amount, priceId);
        // Sometimes the same request again.
        if (below(10) > 0) number += 1;
        await mine.recordRequest(row, payment(BigInt(below(60)), BigInt(below(5)), holderId));
      }
    };
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 16 }, (_, index) => act(index % 2)));
    }
    await audit(store);
    const report = await store.verifyLedger();
    const rows = await store.listRequests({ limit: 10_000 });
    const charged = rows.reduce((sum, row) => sum + row.charge, 0n);
    assert.ok(rows.length > 200 && charged > 6_000n);
    assert.equal(report.totals.charged, charged);
    for (const holder of ["h0", "h1"]) await store.closeHolder(holder);
    await audit(store);
    assert.equal((await store.verifyLedger()).totals.leased, 0n);
  });
}

export function settleBehaviour(newFixture: NewFixture): void {
  paying(newFixture);
  repeating(newFixture);
  refusing(newFixture);
  conserving(newFixture);
}
