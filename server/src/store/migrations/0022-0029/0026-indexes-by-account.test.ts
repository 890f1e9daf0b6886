/** A database with many requests is upgraded: its indexes by account go when the lists are filled. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { Kysely, sql } from "kysely";
import { sharedPostgres } from "../../../../../test/postgres/shared.ts";
import { askServer } from "../../../../../test/upgrades/corpus.ts";
import { systemClock } from "../../../lib/time/clock.ts";
import { openStoreInProcess } from "../../open.ts";
import type { Database } from "../../sql/schema.ts";
import { openSqliteConnection } from "../../sqlite/connection.ts";
import { createSqliteDialect } from "../../sqlite/dialect.ts";
import type { Store } from "../../store.ts";
import { upstream } from "../../testing/catalog-samples.ts";
import { migrations, newestSchema } from "../index.ts";
import { migrate } from "../migrate.ts";
import type { Migration } from "../migration.ts";
import { sqliteMigrations } from "../on-sqlite.ts";

/** More than one start prepares: of three accounts, with a charge each. */
const rows = 45_000;
const filling = [
  "insert into accounts (id, name, status, balance_nanos, created_at) values ('acc_0', 'a', 'active', 0, 1), ('acc_1', 'b', 'active', 0, 1), ('acc_2', 'c', 'active', 0, 1)",
  `insert into requests (id, created_at, account_id, key_id, is_stream, status, state, attempts, input_tokens,
      cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source, duration_ms, charge_nanos)
    with recursive n(n) as (select 1 union all select n + 1 from n where n < ${rows})
    select printf('req_%09d', n), n, 'acc_' || (n % 3), 'key', 0, 200, 'complete', 1, 1, 0, 0, 1, 0, 'exact', 1, 1 from n`,
  `insert into ledger_entries (account_id, kind, amount_nanos, request_id, created_at)
    select account_id, 'topup', 1, null, 1 from requests union all
    select account_id, 'charge', -1, id, created_at from requests`,
];

async function oldDatabase(file: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: createSqliteDialect(await openSqliteConnection(file, 5_000)) });
  await migrate(db, { ...sqliteMigrations(file, systemClock), migrations: migrations.slice(0, 22) });
  await db.destroy();
  const database = new DatabaseSync(file);
  for (const statement of filling) database.exec(statement);
  database.close();
}

const indexesIn = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true });
  const { count } = database
    .prepare(
      "select count(*) as count from sqlite_schema where name in ('requests_by_account', 'ledger_entries_by_account')",
    )
    .get() as { count: number };
  database.close();
  return count;
};

/** Headers of upstreams are stored once migration 28 has run; a catalog without them always is. */
async function requireHeaders(store: Store, schema: number): Promise<void> {
  const plain: Catalog = { upstreams: [upstream("main")], models: [], limits: {} };
  const added = { ...plain, upstreams: [upstream("main", { headers: { "x-team": "a" } })] };
  await store.applyCatalog(plain);
  if (schema < 28) await assert.rejects(store.applyCatalog(added), { code: "invalid" });
  else await store.applyCatalog(added);
  const [loaded] = (await store.loadCatalog())?.upstreams ?? [];
  assert.deepEqual(loaded?.headers, schema < 28 ? undefined : { "x-team": "a" });
}

test("a large database is served while its lists are filled, and loses its indexes afterwards", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "plaza.db");
  await oldDatabase(file);
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file },
    secretKey: Buffer.alloc(32, 1),
  });
  context.after(() => store.close());
  const requireWhole = async () => {
    for (const accountId of ["acc_0", "acc_1", "acc_2"]) {
      const [requests, entries] = [
        await store.listRequests({ accountId, limit: 10 }),
        await store.listEntries({ accountId, limit: 10_000 }),
      ];
      const most = rows - ((rows - Number(accountId.at(-1))) % 3);
      assert.deepEqual(
        requests.map(({ id }) => Number(id.slice(4))),
        requests.map((_, index) => most - 3 * index),
      );
      assert.equal(requests.length, 10);
      assert.deepEqual([entries[0]?.requestId, entries.length], [requests[0]?.id, 10_000]);
      assert.ok(entries.every(({ id }, index) => index === 0 || id < (entries[index - 1]?.id ?? 0)));
    }
  };
  const report = await store.migrate();
  assert.deepEqual(
    [report.to, report.waiting.map(({ version }) => version)],
    [37, [26, 27, 28, 29, 30, 31, 35, 38]],
  );
  await requireWhole();
  await requireHeaders(store, 25);
  for (let more = true; more; ) {
    assert.equal(indexesIn(file), 2);
    more = await store.fillAccountLists(10_000, 0);
    await requireWhole();
  }
  assert.deepEqual((await store.migrate()).to, newestSchema());
  assert.equal(indexesIn(file), 0);
  await requireHeaders(store, 31);
  await requireWhole();
  const database = new DatabaseSync(file, { readOnly: true });
  const counts = database
    .prepare(
      "select (select count(*) from requests_of_account) as r, (select count(*) from entries_of_account) as e",
    )
    .get();
  database.close();
  assert.deepEqual({ ...counts }, { r: rows, e: 2 * rows });
});

test("an expansion behind the contract does not wait for servers: the migration fills the lists itself", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "plaza.db");
  await oldDatabase(file);
  const db = new Kysely<Database>({ dialect: createSqliteDialect(await openSqliteConnection(file, 5_000)) });
  context.after(() => db.destroy());
  const text = ["create table later (id integer) strict"];
  const later: Migration = { version: 27, name: "later", kind: "expand", sqlite: text, postgres: text };
  const report = await migrate(db, {
    ...sqliteMigrations(file, systemClock),
    migrations: [...migrations.slice(0, 26), later],
  });
  assert.deepEqual([report.to, report.waiting], [27, []]);
  assert.equal(indexesIn(file), 0);
  const { rows: found } =
    await sql`select is_alone, (select count(*) from entries_of_account) >= ${2 * rows - 20_000} as is_near
    from account_lists`.execute(db);
  assert.deepEqual(
    found.map((row) => ({ ...(row as object) })),
    [{ is_alone: 1, is_near: 1 }],
  );
});

test("on PostgreSQL it changes nothing, waits for nobody and keeps no older server out", async (context) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const store = await openStoreInProcess({
    database: { kind: "postgres", url },
    secretKey: Buffer.alloc(32, 1),
  });
  context.after(() => store.close());
  const { ran, waiting } = await store.migrate();
  assert.deepEqual([ran.find(({ version }) => version === 26)?.kind, waiting], ["expand", []]);
  const { applied } = await store.readMigrations();
  assert.equal(applied.find(({ version }) => version === 26)?.needs, null);
  const ask = askServer(url);
  // The entries' became their key (migration 29).
  const found = await ask(
    "select indexname from pg_indexes where indexdef ~ '(ledger_entries|requests) USING btree .account_id, (id|created_at).$' order by 1",
  );
  assert.deepEqual(
    found.map((row) => row["indexname"]),
    ["ledger_entries_pkey", "requests_by_account"],
  );
  assert.deepEqual(await ask("select 1 from pg_tables where tablename like '%account_lists%'"), []);
});
