/**
 * What every store must do with ledger entries made by people and with suspended or closed accounts. A part
 * of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewLedgerEntry } from "../../ledger/shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";
import { accountSubject, audit, chargedRow, funds, newAccount, priceOneNano, take, topup } from "./money.ts";

const usd = 1_000_000_000n;

function lines(newFixture: NewFixture): void {
  test("top-ups, adjustments and refunds move the balance and stay as lines, newest first", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1", 5n * usd);
    await newAccount(store, "acc_2", 1n);
    const priceId = await priceOneNano(store);
    await store.recordRequest(chargedRow(1, "acc_1", 700n, priceId));
    const seen = await store.lastChangeId();
    const first = await store.addEntry(topup("acc_1", 3n, { note: "invoice ü 7", reference: "inv-7" }));
    assert.deepEqual([first.isNew, first.balance], [true, 5n * usd - 697n]);
    const down: NewLedgerEntry = { accountId: "acc_1", kind: "adjustment", amount: nanoUsd(-3n) };
    assert.equal((await store.addEntry({ ...down, note: "typo" })).balance, 5n * usd - 700n);
    const back: NewLedgerEntry = { accountId: "acc_1", kind: "refund", amount: nanoUsd(200n) };
    const refunded = await store.addEntry({ ...back, requestId: chargedRow(1, "", 0n, 0).id });
    assert.equal(refunded.balance, 5n * usd - 500n);

    const listed = await (await reopen()).listEntries({ accountId: "acc_1", limit: 10 });
    assert.deepEqual(
      listed.map(({ kind, amount, requestId, reference, note }) => [
        kind,
        amount,
        requestId,
        reference,
        note,
      ]),
      [
        ["refund", 200n, "req_000000001", null, null],
        ["adjustment", -3n, null, null, "typo"],
        ["topup", 3n, null, "inv-7", "invoice ü 7"],
        ["charge", -700n, "req_000000001", null, null],
        ["topup", 5n * usd, null, null, null],
      ],
    );
    assert.deepEqual(listed[0], refunded.entry);
    assert.ok(listed.every(({ accountId, expiresAt }) => accountId === "acc_1" && expiresAt === null));
    assert.ok(Math.abs((listed[0]?.createdAt ?? 0) - Date.now()) < 60_000);
    assert.deepEqual(
      (await store.listEntries({ accountId: "acc_1", limit: 2 })).map(({ kind }) => kind),
      ["refund", "adjustment"],
    );
    assert.deepEqual(await store.listEntries({ accountId: "acc_absent", limit: 2 }), []);
    assert.deepEqual(
      (await store.listChanges(seen)).map(({ kind, subject }) => `${kind} ${subject}`),
      Array(3).fill("account acc_1"),
    );
    await audit(store);
  });

  test("what is no entry is refused and leaves nothing", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 10n);
    const seen = await store.lastChangeId();
    const past = Date.now() - 1_000;
    const refused: [Partial<NewLedgerEntry>, RegExp][] = [
      [{ amount: nanoUsd(0n) }, /cannot be 0/],
      [{ amount: nanoUsd(-1n) }, /a topup cannot be negative/],
      [{ kind: "refund", requestId: "r", amount: nanoUsd(-1n) }, /a refund cannot be negative/],
      [{ kind: "refund" }, /must name its request/],
      [{ kind: "refund", requestId: "req_absent" }, /paid only 0\.00 USD for request req_absent/],
      [{ kind: "adjustment", amount: nanoUsd(0n) }, /cannot be 0/],
      [
        { kind: "adjustment", amount: nanoUsd(-11n) },
        /at most 0\.00000001 USD can be subtracted from account acc_1/,
      ],
      [{ amount: nanoUsd(5n * 10n ** 18n) }, /cannot exceed 5000000000\.00 USD/],
      [{ amount: nanoUsd(2n ** 63n) }, /cannot exceed 5000000000\.00 USD/],
      [{ requestId: "r" }, /only a refund can refer to a request/],
      [{ kind: "adjustment", expiresAt: past * 2 }, /only a top-up can expire/],
      [{ expiresAt: past }, /expiry is in the past/],
    ];
    for (const [changes, message] of refused) {
      await assert.rejects(store.addEntry(topup("acc_1", 1n, changes)), { code: "invalid", message });
    }
    await assert.rejects(store.addEntry(topup("acc_absent", 1n)), {
      code: "not_found",
      message: "account acc_absent not found",
    });
    assert.equal((await store.listEntries({ accountId: "acc_1", limit: 9 })).length, 1);
    assert.equal(await store.lastChangeId(), seen);
    await audit(store);
  });
}

function repeats(newFixture: NewFixture): void {
  test("a repeated reference is the first entry again, also when two stores send it at once", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newAccount(store, "acc_2", 0n);
    const stores = [store, await reopen()];
    const entry = topup("acc_1", 5n, { reference: "pay-1" });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (stores[index % 2] as Store).addEntry(entry)),
    );
    assert.equal(outcomes.filter(({ isNew }) => isNew).length, 1);
    assert.equal(new Set(outcomes.map((outcome) => outcome.entry.id)).size, 1);
    assert.ok(outcomes.every(({ balance }) => balance === 5n));
    for (const other of [topup("acc_1", 6n), { ...entry, kind: "adjustment" as const }]) {
      await assert.rejects(store.addEntry({ ...other, reference: "pay-1" }), {
        code: "duplicate",
        message: "reference pay-1 of account acc_1 belongs to another entry (topup, 0.000000005 USD)",
      });
    }
    // The note may differ; the first one stays.
    const noted = await store.addEntry({ ...entry, note: "again" });
    assert.deepEqual([noted.isNew, noted.entry.note], [false, null]);
    // References are per account.
    assert.equal((await store.addEntry({ ...entry, accountId: "acc_2" })).isNew, true);
    assert.equal((await funds(store, "acc_1")).balance, 5n);
    await audit(store);
  });

  test("a repeated reference with another expiry is another entry; a time from its writing is the same later", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const day = 86_400_000;
    const at = Date.now() + 30 * day;
    const fixed = topup("acc_1", 5n, { reference: "fixed", expiresAt: at });
    const relative = topup("acc_1", 5n, { reference: "relative", expiresAfterMs: 30 * day });
    await store.addEntry(fixed);
    const { entry } = await store.addEntry(relative);
    assert.equal(entry.expiresAt, entry.createdAt + 30 * day);
    while (Date.now() === entry.createdAt);
    for (const again of [fixed, relative]) assert.equal((await store.addEntry(again)).isNew, false);
    const named = topup("acc_1", 5n, { reference: "relative", expiresAt: entry.createdAt + 30 * day });
    assert.equal((await store.addEntry(named)).isNew, false);
    for (const other of [
      { ...fixed, expiresAt: at + 1 },
      { ...fixed, expiresAt: undefined },
      { ...relative, expiresAfterMs: 31 * day },
      { ...relative, expiresAfterMs: undefined },
    ]) {
      await assert.rejects(store.addEntry(other), {
        code: "duplicate",
        message: /belongs to another entry \(topup, 0\.000000005 USD, expires \d{4}-.*Z\)$/,
      });
    }
    await store.addEntry(topup("acc_1", 5n, { reference: "for ever" }));
    await assert.rejects(store.addEntry(topup("acc_1", 5n, { reference: "for ever", expiresAt: at })), {
      code: "duplicate",
    });
    assert.equal((await funds(store, "acc_1")).balance, 15n);
    await audit(store);
  });
}

function corrections(newFixture: NewFixture): void {
  test("a request is refunded once, to who paid, and never more than was paid", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await newAccount(store, "acc_2", 100n);
    const priceId = await priceOneNano(store);
    const row = chargedRow(1, "acc_1", 130n, priceId);
    await store.recordRequest(row);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 0n, leased: 0n });
    const refund = (accountId: string, amount: bigint) =>
      store.addEntry({ accountId, kind: "refund", amount: nanoUsd(amount), requestId: row.id });
    // 30 of the 130 were the operator's loss, so 100 were paid.
    await assert.rejects(refund("acc_1", 101n), { code: "invalid", message: /paid only 0\.0000001 USD/ });
    await assert.rejects(refund("acc_2", 1n), { code: "invalid", message: /acc_2 paid only 0\.00 USD/ });
    assert.equal((await refund("acc_1", 100n)).balance, 100n);
    await assert.rejects(refund("acc_1", 1n), { code: "duplicate", message: /already been refunded/ });
    assert.equal((await funds(store, "acc_1")).balance, 100n);
    await audit(store);
  });

  test("an adjustment takes away only what nobody borrowed", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await store.openHolder("h1");
    await take(store, "h1", accountSubject("acc_1"), 70n);
    const adjust = (amount: bigint) =>
      store.addEntry({ accountId: "acc_1", kind: "adjustment", amount: nanoUsd(amount) });
    await assert.rejects(adjust(-31n), {
      code: "invalid",
      message:
        "at most 0.00000003 USD can be subtracted from account acc_1; 0.00000007 USD are leased to running servers",
    });
    assert.equal((await adjust(-30n)).balance, 70n);
    assert.equal((await adjust(5n)).balance, 75n);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 75n, leased: 70n });
    await audit(store);
  });

  test("a suspended account lends nothing until it is resumed; a closed one stays closed", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await store.openHolder("h1");
    const subject = accountSubject("acc_1");
    const refusal = { status: "suspended", amount: 0n, available: 0n, lentToOthers: 0n };
    assert.equal((await store.setAccountStatus("acc_1", "suspended"))?.status, "suspended");
    assert.deepEqual(await take(store, "h1", subject, 10n), refusal);
    assert.equal((await store.addEntry(topup("acc_1", 5n))).balance, 105n);
    assert.equal((await store.setAccountStatus("acc_1", "active"))?.status, "active");
    assert.equal((await take(store, "h1", subject, 10n)).status, "granted");
    // Amounts already lent still pay for their requests.
    await store.setAccountStatus("acc_1", "suspended");
    const priceId = await priceOneNano(store);
    await store.recordRequest(chargedRow(1, "acc_1", 4n, priceId), {
      holderId: "h1",
      account: { fromLease: nanoUsd(4n), release: nanoUsd(6n) },
    });
    assert.deepEqual(await funds(store, "acc_1"), { balance: 101n, leased: 0n });

    const seen = await store.lastChangeId();
    for (const status of ["closed", "active", "suspended", "closed"] as const) {
      assert.equal((await store.setAccountStatus("acc_1", status))?.status, "closed");
    }
    assert.equal((await store.listChanges(seen)).length, 1);
    assert.deepEqual(await take(store, "h1", subject, 10n), refusal);
    assert.deepEqual(await take(store, "h1", accountSubject("acc_absent"), 10n), refusal);
    await assert.rejects(store.addEntry(topup("acc_1", 5n)), {
      code: "invalid",
      message: "account acc_1 is closed",
    });
    assert.equal((await store.listAccounts())[0]?.status, "closed");
    await audit(store);
  });

  test("the unused rest of a top-up goes when its time has come, and nothing else does", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 50n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    const expiresAt = Date.now() + 1_000;
    const { entry } = await store.addEntry(topup("acc_1", 100n, { expiresAt }));
    assert.equal(entry.expiresAt, expiresAt);
    await store.recordRequest(chargedRow(1, "acc_1", 30n, priceId));
    await store.heartbeat("h1");
    while (Date.now() <= expiresAt) await setTimeout(expiresAt + 1 - Date.now());
    await store.heartbeat("h1");
    await store.heartbeat("h1");
    assert.equal((await funds(store, "acc_1")).balance, 50n);
    const [expiry] = await store.listEntries({ accountId: "acc_1", limit: 1 });
    assert.deepEqual([expiry?.kind, expiry?.amount], ["expiry", -70n]);
    await audit(store);
  });
}

export function ledgerBehaviour(newFixture: NewFixture): void {
  lines(newFixture);
  repeats(newFixture);
  corrections(newFixture);
}
