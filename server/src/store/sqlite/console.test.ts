/**
 * Pages over more rows than a test can add one by one: a ledger longer than one scan, and ten thousand keys.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { EntryFilter, EntryWithBalance } from "../accounts/codes.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { newAccount, topup } from "../testing/behaviour/money.ts";
import { createMigratedFile } from "../testing/migrated-file.ts";

/** A store with one account, after SQL was run on its file. */
async function withRows(context: TestContext, sql: string): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-pages-"));
  const file = join(folder, "plaza.sqlite");
  await createMigratedFile(file);
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  context.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await newAccount(store, "acc_1", 0n);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return store;
}

const lines = 45_000;

/** Entries of 1, 2, 3 … nano-dollars, one per minute; every ten thousandth is an adjustment. */
const manyLines = `begin;
  insert into ledger_entries (account_id, kind, amount_nanos, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${lines})
    select 'acc_1', case when i % 10000 = 0 then 'adjustment' else 'topup' end, i, i * 60000 from n;
  update accounts set balance_nanos = (select sum(amount_nanos) from ledger_entries);
  commit`;

/** The balance after the i-th entry. */
const balanceAt = (index: number): bigint => (BigInt(index) * BigInt(index + 1)) / 2n;

async function readAll(store: Store, filter: Omit<EntryFilter, "accountId">) {
  const entries: EntryWithBalance[] = [];
  let scans = 0;
  let before: EntryFilter["before"];
  do {
    const page = await store.scanEntries({ accountId: "acc_1", before, ...filter });
    scans += 1;
    entries.push(...page.entries);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return { entries, scans };
}

const seen = (entries: readonly EntryWithBalance[]) =>
  entries.map(({ amount, balanceAfter }) => [amount, balanceAfter]);

test("a ledger longer than one scan is read to its end, and rare lines are found with their balances", async (context) => {
  const store = await withRows(context, manyLines);
  const rare = await readAll(store, { kinds: ["adjustment"], limit: 50 });
  assert.deepEqual(
    seen(rare.entries),
    [40_000, 30_000, 20_000, 10_000].map((index) => [BigInt(index), balanceAt(index)]),
  );
  assert.equal(rare.scans, 10, "nine full ones, and one that finds the end");
  const none = await readAll(store, { kinds: ["refund"], limit: 50 });
  assert.deepEqual([none.entries.length, none.scans], [0, 10]);
  const all = await readAll(store, { limit: 5_000 });
  assert.equal(all.entries.length, lines);
  assert.ok(all.entries.every(({ amount, balanceAfter }) => balanceAfter === balanceAt(Number(amount))));
  const early = await readAll(store, { to: 3 * 60_000, limit: 50 });
  assert.deepEqual(seen(early.entries), [
    [2n, 3n],
    [1n, 1n],
  ]);
});

test("who asks for lines since a time does not wait for those long before it", async (context) => {
  const store = await withRows(context, manyLines);
  const from = (lines - 2) * 60_000;
  const late = await readAll(store, { from, limit: 50 });
  assert.deepEqual(
    late.entries.map(({ amount }) => amount),
    [45_000n, 44_999n, 44_998n],
  );
  assert.equal(late.scans, 2, "the first scan reaches further back than clocks differ");
});

test("a line that is added while somebody reads moves nothing", async (context) => {
  const store = await withRows(context, manyLines);
  const first = await store.scanEntries({ accountId: "acc_1", limit: 3 });
  await store.addEntry(topup("acc_1", 7n));
  assert.ok(first.next !== null);
  const second = await store.scanEntries({ accountId: "acc_1", before: first.next, limit: 1 });
  assert.deepEqual(seen(second.entries), [[44_997n, balanceAt(44_997)]]);
});

const manyKeys = `begin;
  insert into api_keys (id, account_id, name, visible_prefix, digest, status, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    select printf('key_%05d', i), 'acc_1', 'key number ' || i, 'sk-plaza-' || i, printf('%064d', i), 'active', i from n;
  commit`;

test("ten thousand keys are paged to their end, each once, and searched", async (context) => {
  const store = await withRows(context, manyKeys);
  const scope = { accountId: "acc_1" };
  const ids = new Set<string>();
  let after: { createdAt: number; id: string } | undefined;
  for (;;) {
    const page = await store.pageKeys({ scope, after, limit: 500 });
    for (const { id } of page) ids.add(id);
    after = page.at(-1);
    if (page.length < 500) break;
  }
  assert.equal(ids.size, 10_000);
  assert.equal(await store.countKeys("acc_1"), 10_000);
  const found = await store.pageKeys({ scope, search: "NUMBER 777", limit: 50 });
  assert.deepEqual(found.map(({ name }) => name.slice(11)).toSorted(), [
    ...["777", "7770", "7771", "7772", "7773", "7774", "7775", "7776", "7777", "7778", "7779"],
  ]);
  const change = { budget: { amount: nanoUsd(5n), period: "day" } as const };
  assert.equal((await store.changeKey("key_00001", scope, 0, change)).kind, "done");
});
