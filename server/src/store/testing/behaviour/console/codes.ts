/** What every store must do with redemption codes and pages of the ledger. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { EntryFilter, EntryWithBalance, NewCodeBatch } from "../../../accounts/codes.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { audit, chargedRow, newAccount, priceOneNano, topup } from "../money.ts";
import { newUser } from "./keys.ts";

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const batchOf = (id: string, count: number, more: Partial<NewCodeBatch> = {}): NewCodeBatch => ({
  id,
  note: "fair",
  amount: nanoUsd(500n),
  expiresAt: null,
  createdBy: null,
  codes: Array.from({ length: count }, (_, index) => ({
    digest: digestOf(`${id} ${index + 1}`),
    visibleEnd: `E${index + 1}`,
  })),
  ...more,
});

const redeem = (store: Store, code: string, accountId: string, userId: string | null = null) =>
  store.redeemCode({ digest: digestOf(code), accountId, userId });

function codes(newFixture: NewFixture): void {
  test("a code adds its amount once, and its batch tells who had it", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1", 1n);
    await newAccount(store, "acc_2", 0n);
    await newUser(store, "usr_1", "acc_1");
    const made = await store.createCodes(batchOf("bat_1", 3, { createdBy: "usr_1" }));
    assert.deepEqual([made.codes, made.redeemed, made.createdBy?.name], [3, 0, "Name of usr_1"]);
    const seen = await store.lastChangeId();
    const first = await redeem(store, "bat_1 2", "acc_1", "usr_1");
    assert.ok(first.kind === "done");
    assert.deepEqual([first.balance, first.entry.kind, first.entry.amount], [501n, "topup", 500n]);
    assert.equal(first.entry.reference, "code:bat_1:2");
    assert.equal((await store.listChanges(seen))[0]?.subject, "acc_1");
    const again = await redeem(await reopen(), "bat_1 2", "acc_1", "usr_1");
    assert.ok(again.kind === "redeemed" && again.isOwn);
    const others = await redeem(store, "bat_1 2", "acc_2");
    assert.ok(others.kind === "redeemed" && !others.isOwn);
    assert.deepEqual(await redeem(store, "bat_1 4", "acc_1"), { kind: "unknown" });
    const found = await store.findCodeBatch("bat_1");
    assert.equal(found?.batch.redeemed, 1);
    assert.deepEqual(
      found?.codes.map(({ number, visibleEnd, account, user, entryId }) => [
        number,
        visibleEnd,
        account?.id,
        user?.name,
        entryId,
      ]),
      [
        [1, "E1", undefined, undefined, null],
        [2, "E2", "acc_1", "Name of usr_1", first.entry.id],
        [3, "E3", undefined, undefined, null],
      ],
    );
    assert.equal(await store.findCodeBatch("bat_9"), undefined);
    await audit(store);
  });

  test("of twenty who redeem one code at once, in two stores, one gets it", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    for (let number = 1; number <= 4; number += 1) await newAccount(store, `acc_${number}`, 0n);
    await store.createCodes(batchOf("bat_1", 1));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        redeem(index % 2 === 0 ? store : other, "bat_1 1", `acc_${(index % 4) + 1}`),
      ),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === "done").length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === "redeemed").length, 19);
    const balances = (await store.listAccounts()).map(({ balance }) => balance);
    assert.deepEqual(balances.toSorted(), [0n, 0n, 0n, 500n]);
    await audit(store);
  });

  test("what is voided or expired brings nothing, and what was redeemed before stays", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await store.createCodes(batchOf("bat_1", 2));
    await store.createCodes(batchOf("bat_2", 1, { expiresAt: 1_000 }));
    assert.equal((await redeem(store, "bat_1 1", "acc_1")).kind, "done");
    const voided = await store.voidCodeBatch("bat_1", 500);
    assert.equal(voided?.voidedAt, 500);
    assert.equal((await store.voidCodeBatch("bat_1", 501))?.voidedAt, voided?.voidedAt);
    assert.equal(await store.voidCodeBatch("bat_9", 500), undefined);
    assert.deepEqual(await redeem(store, "bat_1 2", "acc_1"), { kind: "voided" });
    assert.equal((await redeem(store, "bat_1 1", "acc_1")).kind, "redeemed");
    assert.deepEqual(await redeem(store, "bat_2 1", "acc_1"), { kind: "expired", at: 1_000 });
    await store.createCodes(batchOf("bat_3", 1));
    await store.setAccountStatus("acc_1", "closed");
    assert.deepEqual(await redeem(store, "bat_3 1", "acc_1"), { kind: "account_closed" });
    await newAccount(store, "acc_2", 0n);
    assert.equal((await redeem(store, "bat_3 1", "acc_2")).kind, "done");
    await audit(store);
  });

  test("batches come in pages, a thousand codes fit in one, and what makes no sense is refused", async (context) => {
    const { store } = await newFixture(context);
    for (const number of [1, 2, 3]) await store.createCodes(batchOf(`bat_${number}`, 1));
    await store.createCodes(batchOf("bat_4", 1_000));
    const [first, second] = await store.pageCodeBatches({ limit: 2 });
    assert.deepEqual([first?.id, first?.codes, second?.id], ["bat_4", 1_000, "bat_3"]);
    const rest = await store.pageCodeBatches({ limit: 9, after: second });
    assert.deepEqual(
      rest.map(({ id }) => id),
      ["bat_2", "bat_1"],
    );
    assert.equal((await store.findCodeBatch("bat_4"))?.codes.at(-1)?.number, 1_000);
    await assert.rejects(store.createCodes(batchOf("bat_5", 1, { amount: nanoUsd(0n) })), {
      code: "invalid",
    });
    await assert.rejects(store.createCodes(batchOf("bat_6", 0)), { code: "invalid" });
    await assert.rejects(store.createCodes({ ...batchOf("bat_7", 1), codes: batchOf("bat_4", 1).codes }));
    assert.equal((await store.pageCodeBatches({ limit: 9 })).length, 4);
  });
}

/** All entries of a ledger, page by page. */
async function readAll(store: Store, filter: EntryFilter): Promise<EntryWithBalance[]> {
  const all: EntryWithBalance[] = [];
  let before = filter.before;
  for (;;) {
    const { entries, next } = await store.scanEntries({ ...filter, before });
    all.push(...entries);
    if (next === null) return all;
    before = next;
  }
}

function pages(newFixture: NewFixture): void {
  test("a ledger is read in pages with the exact balance after each line, also while it grows", async (context) => {
    const { store } = await newFixture(context);
    const huge = 4_999_999_998_999_999_999n;
    await newAccount(store, "acc_1", huge);
    await newAccount(store, "acc_2", 5n);
    const priceId = await priceOneNano(store);
    for (let number = 1; number <= 7; number += 1) {
      await store.recordRequest(chargedRow(number, "acc_1", BigInt(number), priceId));
      if (number % 3 === 0) await store.addEntry(topup("acc_1", 2n));
      await store.addEntry(topup("acc_2", 1n));
    }
    const truth: [kind: string, amount: bigint, balance: bigint][] = [];
    let balance = 0n;
    for (const { kind, amount } of (
      await store.listEntries({ accountId: "acc_1", limit: 99 })
    ).toReversed()) {
      balance += amount;
      truth.unshift([kind, amount, balance]);
    }
    assert.equal(balance, (await store.findAccount("acc_1"))?.balance);
    const shown = (entries: EntryWithBalance[]) =>
      entries.map(({ kind, amount, balanceAfter }) => [kind, amount, balanceAfter]);
    for (const limit of [1, 2, 3, 100])
      assert.deepEqual(
        shown(await readAll(store, { accountId: "acc_1", limit })),
        truth,
        `pages of ${limit}`,
      );
    const kinds = ["topup"] as const;
    const topups = truth.filter(([kind]) => kind === "topup");
    assert.deepEqual(shown(await readAll(store, { accountId: "acc_1", kinds, limit: 1 })), topups);
    const first = await store.scanEntries({ accountId: "acc_1", limit: 4 });
    await store.addEntry(topup("acc_1", 100n));
    assert.ok(first.next !== null);
    const second = await readAll(store, { accountId: "acc_1", before: first.next, limit: 4 });
    assert.deepEqual([...shown(first.entries), ...shown(second)], truth);
    for (const entry of second) assert.equal(await store.balanceAfterEntry(entry), entry.balanceAfter);
  });

  test("lines are filtered by time, and none is a page as well", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const none = await store.scanEntries({ accountId: "acc_1", limit: 5 });
    assert.deepEqual(none, { entries: [], next: null });
    await store.addEntry(topup("acc_1", 5n));
    const [entry] = (await store.scanEntries({ accountId: "acc_1", limit: 5 })).entries;
    const at = entry?.createdAt ?? 0;
    const amounts = async (range: { from?: number; to?: number }) =>
      (await store.scanEntries({ accountId: "acc_1", limit: 5, ...range })).entries.length;
    assert.deepEqual(
      [
        await amounts({ from: at }),
        await amounts({ from: at + 1 }),
        await amounts({ to: at }),
        await amounts({ to: at + 1 }),
      ],
      [1, 0, 0, 1],
    );
    await assert.rejects(store.scanEntries({ accountId: "acc_9", limit: 5 }), { code: "not_found" });
    await assert.rejects(store.balanceAfterEntry({ accountId: "acc_9", id: 1 }), { code: "not_found" });
  });
}

export function consoleCodesBehaviour(newFixture: NewFixture): void {
  codes(newFixture);
  pages(newFixture);
}
