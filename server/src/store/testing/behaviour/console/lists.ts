/**
 * What every store must do with the lists of an account's requests and entries, wherever the copying that
 * stands behind them has got to. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { seededRandom } from "../../../../../../test/rigs/harness/random.ts";
import type { RequestRow } from "../../../requests/shapes.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { record, rollUpAll } from "../../usage-samples.ts";
import { chargedRow, newAccount, priceOneNano } from "../money.ts";
import { requestRow } from "../requests.ts";

/** Copies everything, in pieces of so many rows. */
export async function fillAll(store: Store, rowsMax: number): Promise<void> {
  while (await store.fillAccountLists(rowsMax, 0));
}

const idsOf = (rows: readonly RequestRow[], accountId: string): string[] =>
  rows
    .filter((row) => row.accountId === accountId)
    .sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id);

/** The lists of these accounts are exactly these rows, whole and page by page. */
export async function requireLists(
  store: Store,
  rows: readonly RequestRow[],
  accounts: readonly string[],
): Promise<void> {
  for (const accountId of accounts) {
    const expected = idsOf(rows, accountId);
    const whole = await store.listRequests({ accountId, limit: 10_000 });
    assert.deepEqual(
      whole.map(({ id }) => id),
      expected,
    );
    const paged: string[] = [];
    for (const filter of [
      { accounts: [accountId] },
      { accounts: [accountId], states: ["complete" as const] },
    ]) {
      let after: { createdAt: number; id: string } | undefined;
      for (;;) {
        const page = await store.pageRequests(filter, { after, limit: 7 });
        paged.push(...page.map(({ request }) => request.id));
        const last = page.at(-1)?.request;
        if (last === undefined || page.length < 7) break;
        after = { createdAt: last.createdAt, id: last.id };
      }
    }
    assert.deepEqual(paged, [...expected, ...expected]);
  }
}

/** The account's entries are in order, add up to its balance, and are the same in every list. */
async function requireEntries(store: Store, accountId: string, count: number): Promise<void> {
  const all = await store.listEntries({ accountId, limit: 10_000 });
  assert.equal(all.length, count);
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).toSorted((one, other) => other - one),
  );
  const balance = (await store.findAccount(accountId))?.balance ?? 0n;
  let left: bigint = balance;
  const expected = all.map((entry) => {
    const balanceAfter = left;
    left -= entry.amount;
    return { ...entry, balanceAfter };
  });
  assert.equal(left, 0n);
  const paged: unknown[] = [];
  for (let before: { id: number; balance: typeof balance } | undefined; ; ) {
    const { entries, next } = await store.scanEntries({ accountId, limit: 9, before: before as never });
    paged.push(...entries);
    if (next === null) break;
    before = next;
  }
  assert.deepEqual(paged, expected);
  const middle = expected[Math.floor(count / 2)];
  assert.ok(middle);
  assert.equal(await store.balanceAfterEntry({ accountId, id: middle.id }), middle.balanceAfter);
}

export function listBehaviour(newFixture: NewFixture): void {
  test("an account's list is the same wherever copying and adding up have got to", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const random = seededRandom(71);
    const rows = Array.from({ length: 120 }, (_, number) =>
      requestRow(number, {
        accountId: `acc_${random.int(1, 4)}`,
        createdAt: requestRow(0).createdAt + random.int(0, 4) * 3_600_000,
      }),
    );
    const accounts = ["acc_1", "acc_2", "acc_3", "acc_none"];
    for (const [end, summed, copied] of [
      [30, 0, 0],
      [60, 40, 0],
      [80, 0, 35],
      [100, 60, 7],
      [120, 0, 1_000],
    ] as const) {
      await record(store, rows.filter((_, index) => index < end).slice(end === 30 ? 0 : -30));
      if (summed > 0) await store.rollUpUsage(summed);
      if (copied > 0) await other.fillAccountLists(copied, 0);
      await requireLists(store, rows.slice(0, end), accounts);
    }
    await fillAll(store, 13);
    await requireLists(other, rows, accounts);
  });

  test("what comes late, with an old time and an old id, is listed in its place, before and after it is copied", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 20 }, (_, number) => requestRow(number * 2, { accountId: "acc_1" }));
    await record(store, rows);
    await rollUpAll(store);
    await fillAll(store, 100);
    const late = [3, 21].map((number) => requestRow(number, { accountId: "acc_1" }));
    await record(store, late);
    await requireLists(store, [...rows, ...late], ["acc_1"]);
    await rollUpAll(store);
    await requireLists(store, [...rows, ...late], ["acc_1"]);
    await fillAll(store, 1);
    await requireLists(store, [...rows, ...late], ["acc_1"]);
  });

  test("several processes that copy at once copy every row once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const all = [store, await reopen(), await reopen()];
    const rows = Array.from({ length: 150 }, (_, number) => requestRow(number));
    for (let begin = 0; begin < rows.length; begin += 50) {
      await Promise.all([
        record(store, rows.slice(begin, begin + 50)),
        ...all.map((one) => one.fillAccountLists(11, 0)),
      ]);
      await requireLists(store, rows.slice(0, begin + 50), ["acc_0", "acc_1", "acc_2"]);
    }
    await Promise.all(all.map((one) => fillAll(one, 7)));
    await requireLists(store, rows, ["acc_0", "acc_1", "acc_2"]);
  });

  test("an account's entries are listed once and in order wherever copying has got to", async (context) => {
    const { store } = await newFixture(context);
    const price = await priceOneNano(store);
    await newAccount(store, "acc_1", 1_000_000n);
    await newAccount(store, "acc_2", 1_000_000n);
    await newAccount(store, "acc_poor", 0n);
    let count = 1;
    let poor = 0;
    for (const copied of [0, 4, 0, 100, 5, 100]) {
      for (let turn = 0; turn < 6; turn++) {
        const number = count * 10 + turn;
        await store.recordRequest(chargedRow(number, "acc_1", 3n, price));
        await store.recordRequest(chargedRow(1_000_000 + number, "acc_2", 4n, price));
        await store.recordRequest(chargedRow(2_000_000 + number, "acc_poor", 5n, price));
      }
      await store.addEntry({ accountId: "acc_1", kind: "topup", amount: nanoUsd(7n) });
      count += 7;
      poor += 12;
      if (copied > 0) await store.fillAccountLists(copied, 0);
      await requireEntries(store, "acc_1", count);
      await requireEntries(store, "acc_poor", poor);
    }
    await fillAll(store, 3);
    await requireEntries(store, "acc_1", count);
    await requireEntries(store, "acc_poor", poor);
    assert.equal((await store.verifyLedger()).isOk, true);
  });
}
