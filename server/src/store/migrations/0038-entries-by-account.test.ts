/** Entries are numbered by account once no older server runs, while newer ones settle and top up. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { askServer } from "../../../../test/upgrades/corpus.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { chargedRow, newAccount, priceOneNano, topup } from "../testing/behaviour/money.ts";
import { openForMigrations } from "../testing/older-schema.ts";
import { lastEntries } from "./0037-last-entries.ts";
import { entriesByAccount } from "./0038-entries-by-account.ts";
import { migrations } from "./index.ts";
import { migrate } from "./migrate.ts";

const secretKey = Buffer.alloc(32, 1);

/** A store beside an older server, before migration 38; `accounts` of 1,000 nano-dollars each. */
async function setUp(context: TestContext, accounts: readonly string[]) {
  const url = await (await sharedPostgres()).newDatabase();
  const { db, options } = await openForMigrations({ kind: "postgres", url });
  context.after(() => db.destroy());
  await migrate(db, {
    ...options,
    migrations: migrations.filter(({ version }) => version < entriesByAccount.version),
  });
  const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
  context.after(() => store.close());
  const priceId = await priceOneNano(store);
  for (const id of accounts) await newAccount(store, id, 1_000n);
  const older = { id: "old", created_at: 0, expires_at: Date.now() + 600_000 };
  await db
    .insertInto("holders")
    .values({ ...older, schema_version: lastEntries.version - 1 })
    .execute();
  let number = 0;
  /** A request that costs one nano-dollar. */
  async function settle(accountId: string): Promise<void> {
    await store.recordRequest(chargedRow(number++, accountId, 1n, priceId));
  }
  const olderLeaves = () =>
    db.updateTable("holders").set({ expires_at: 0 }).where("id", "=", older.id).execute();
  return { url, ask: askServer(url), store, settle, olderLeaves, migrate: () => migrate(db, options) };
}

/** What a server before 37 writes for another request of the account, which costs one nano-dollar. */
const olderCharge = (accountId: string, requestId: string) => `begin;
  select 1 from accounts where id = '${accountId}' for no key update;
  insert into requests select (jsonb_populate_record(requests, jsonb_build_object('id', '${requestId}'))).*
    from requests where account_id = '${accountId}' limit 1;
  insert into ledger_entries (account_id, kind, amount_nanos, request_id, created_at)
    values ('${accountId}', 'charge', -1, '${requestId}', 0);
  update accounts set balance_nanos = balance_nanos - 1, spent_nanos = spent_nanos + 1 where id = '${accountId}';
  commit`;

/** Numbers and kinds of an account's entries, the oldest first. */
async function entriesOf(store: Store, accountId: string): Promise<[number, string][]> {
  const entries = await store.listEntries({ accountId, limit: 10_000 });
  return entries.toReversed().map(({ id, kind }) => [id, kind]);
}

/** Numbers grow in the order of writing, and none is missing from `from` on. */
async function requireNumbered(store: Store, accountId: string, from: number, count: number): Promise<void> {
  const numbers = (await entriesOf(store, accountId)).map(([id]) => id);
  assert.deepEqual(
    numbers.slice(-count),
    Array.from({ length: count }, (_, index) => from + index),
  );
}

test("accounts number their entries once no older server runs, and none is lost on the way", async (context) => {
  const { ask, store, settle, olderLeaves, migrate } = await setUp(context, ["acc_1", "acc_2", "acc_3"]);
  await settle("acc_1");
  const [request] = await ask("select id from requests");
  assert.deepEqual(
    (await migrate()).waiting.map(({ version }) => version),
    [entriesByAccount.version],
  );
  await ask(olderCharge("acc_1", String(request?.["id"]).replace(/.$/, "Z")));
  await settle("acc_1");
  await store.addEntry(topup("acc_2", 5n));
  assert.deepEqual(await ask("select 1 from accounts where last_entry is not null"), []);

  await olderLeaves();
  let roundsAfter = 0;
  let isMigrated = false;
  let rounds = 0;
  const working = (async () => {
    for (; roundsAfter < 3; rounds += 1, roundsAfter += isMigrated ? 1 : 0) {
      await Promise.all([
        settle("acc_1"),
        settle("acc_1"),
        settle("acc_2"),
        store.addEntry(topup("acc_2", 1n)),
        store.addEntry({ accountId: "acc_1", kind: "adjustment", amount: nanoUsd(-1n) }),
      ]);
    }
  })();
  const done = await migrate();
  isMigrated = true;
  await working;
  assert.deepEqual([done.waiting, done.to], [[], migrations.at(-1)?.version]);
  assert.deepEqual((await store.verifyLedger()).findings, []);
  for (const [id, entries] of [
    ["acc_1", 4 + 3 * rounds],
    ["acc_2", 2 + 2 * rounds],
  ] as const) {
    const numbers = (await entriesOf(store, id)).map(([number]) => number);
    assert.equal(numbers.length, entries, id);
    // The sequence served both; afterwards each account goes on from its own last number.
    await requireNumbered(store, id, (numbers.at(-1) ?? 0) - 3, 4);
  }

  // One that had rested, and one that is new.
  const [first] = await entriesOf(store, "acc_3");
  await settle("acc_3");
  await requireNumbered(store, "acc_3", first?.[0] ?? 0, 2);
  await newAccount(store, "acc_4", 10n);
  await settle("acc_4");
  await store.addEntry(topup("acc_4", 5n));
  assert.deepEqual(await entriesOf(store, "acc_4"), [
    [1, "topup"],
    [2, "charge"],
    [3, "topup"],
  ]);
  const last = `select id from accounts where last_entry is distinct from
    (select max(ledger_entries.id) from ledger_entries where account_id = accounts.id)`;
  assert.deepEqual(await ask(last), [], "the account's row has the number of its last entry");
  assert.deepEqual((await store.verifyLedger()).findings, []);
});

test("the migration waits for a transaction that has locked its account", async (context) => {
  const { url, store, settle, olderLeaves, migrate, ask } = await setUp(context, ["acc_1"]);
  await olderLeaves();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(() => client.end());
  await client.query("begin");
  await client.query("select 1 from accounts where id = 'acc_1' for no key update");
  let isMigrated = false;
  const migrating = migrate().finally(() => {
    isMigrated = true;
  });
  const waiting = "select 1 from pg_locks where not granted and relation = 'accounts'::regclass";
  while ((await ask(waiting)).length === 0) assert.equal(isMigrated, false);
  // By the sequence still, as its transaction saw it.
  await client.query(
    "insert into ledger_entries (account_id, kind, amount_nanos, created_at) values ('acc_1', 'topup', 7, 0)",
  );
  await client.query("update accounts set balance_nanos = balance_nanos + 7 where id = 'acc_1'");
  await client.query("commit");
  await migrating;
  await settle("acc_1");
  const numbers = (await entriesOf(store, "acc_1")).map(([id]) => id);
  assert.deepEqual(numbers, [numbers[0], (numbers[0] ?? 0) + 1, (numbers[0] ?? 0) + 2]);
  assert.deepEqual((await store.verifyLedger()).findings, []);
});

test("an entry that was written by hand holds up no settlement and no top-up", async (context) => {
  const { store, settle, olderLeaves, migrate, ask } = await setUp(context, ["acc_1", "acc_2"]);
  await olderLeaves();
  await migrate();
  for (const id of ["acc_1", "acc_2"]) await settle(id);
  const byHand = (accountId: string) => `begin;
    insert into ledger_entries (account_id, id, kind, amount_nanos, created_at)
      select '${accountId}', max(id) + 1, 'topup', 3, 0 from ledger_entries where account_id = '${accountId}';
    update accounts set balance_nanos = balance_nanos + 3 where id = '${accountId}'; commit`;
  await ask(byHand("acc_1"));
  await Promise.all([settle("acc_1"), settle("acc_2"), settle("acc_1")]);
  await ask(byHand("acc_1"));
  await store.addEntry(topup("acc_1", 5n));
  await settle("acc_1");
  assert.deepEqual(
    (await entriesOf(store, "acc_1")).map(([, kind]) => kind),
    ["topup", "charge", "topup", "charge", "charge", "topup", "topup", "charge"],
  );
  assert.deepEqual((await store.verifyLedger()).findings, []);
});
