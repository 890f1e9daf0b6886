/**
 * Upgrades a database of every landed schema version, on SQLite and on PostgreSQL: no money and no row is
 * lost, the ledger verifies, the schema equals a new database's, and the store works.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { migrations, newestSchema } from "../../server/src/store/migrations/index.ts";
import { openStoreInProcess } from "../../server/src/store/open.ts";
import type { Store } from "../../server/src/store/store.ts";
import { sharedPostgres } from "../postgres/shared.ts";
import { askFile, askServer, type CorpusEntry, readCorpus, readEssence, unpack } from "./corpus.ts";
import { restorePostgres } from "./postgres-dump.ts";
import { newestInCorpus } from "./versions.ts";

const corpus = readCorpus();

function newFile(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plaza-upgrade-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "plaza.sqlite");
}

/** Tables, indexes and triggers, as SQLite keeps them. */
function schemaOfFile(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    assert.equal(database.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
    assert.deepEqual(database.prepare("pragma foreign_key_check").all(), []);
    const rows = database.prepare("select type, name, tbl_name, sql from sqlite_schema order by name").all();
    return rows.map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** Columns, constraints, indexes, triggers and functions of a PostgreSQL database. */
async function schemaOfServer(url: string): Promise<unknown> {
  const ask = askServer(url);
  return {
    columns:
      await ask(`select table_name, column_name, data_type, collation_name, column_default, is_nullable,
      is_identity, generation_expression from information_schema.columns where table_schema = 'public'
      order by table_name, column_name`),
    constraints: await ask(`select conrelid::regclass::text as table, pg_get_constraintdef(oid) as rule
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`),
    indexes: await ask("select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1"),
    triggers:
      await ask(`select tgrelid::regclass::text as table, pg_get_triggerdef(oid) as text from pg_trigger
      where not tgisinternal order by 1, 2`),
    functions: await ask(`select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
      order by 1`),
  };
}

/** What an installation needs after its upgrade. */
async function requireWorking(store: Store): Promise<void> {
  const report = await store.verifyLedger();
  assert.deepEqual(report.findings, []);
  assert.equal((await store.loadCatalog())?.models.length, 2);
  const [account] = await store.listAccounts();
  assert.ok(account);
  const topup = { accountId: account.id, kind: "topup", amount: nanoUsd(7n) } as const;
  const { balance } = await store.addEntry(topup);
  assert.equal(balance, account.balance + 7n);
  await store.openHolder("upgraded");
  await store.heartbeat("upgraded");
  await store.closeHolder("upgraded");
  assert.equal((await store.verifyLedger()).isOk, true);
}

type Database = Parameters<typeof openStoreInProcess>[0]["database"];

const secretOf = ({ secretKey }: CorpusEntry): Buffer => Buffer.from(secretKey, "base64url");

/** Makes a new database with all tables. */
async function migrate(entry: CorpusEntry, database: Database): Promise<void> {
  const store = await openStoreInProcess({ database, secretKey: secretOf(entry) });
  await store.migrate();
  await store.close();
}

async function upgrade(context: TestContext, entry: CorpusEntry, database: Database): Promise<Store> {
  const store = await openStoreInProcess({ database, secretKey: secretOf(entry) });
  context.after(() => store.close());
  const { from, to, waiting } = await store.migrate();
  assert.deepEqual([from, to, waiting], [entry.version, newestSchema(), []]);
  return store;
}

test("the corpus has every schema that landed", () => {
  assert.deepEqual(
    corpus.map(({ version }) => version),
    migrations.filter(({ version }) => version <= newestInCorpus).map(({ version }) => version),
  );
  for (const { essence } of corpus) {
    assert.ok(
      Object.values(essence.sqlite.rows).every((count) => count > 0),
      "no table is empty",
    );
  }
});

describe("SQLite", () => {
  /** Of a new database; made once. */
  let freshFile: unknown[] | undefined;
  for (const entry of corpus) {
    test(`schema ${entry.version}, ${entry.how.sqlite}`, async (context) => {
      const file = newFile(context);
      writeFileSync(file, unpack(entry.version, "sqlite"), { mode: 0o600 });
      assert.deepEqual(await readEssence(askFile(file)), entry.essence.sqlite);
      const store = await upgrade(context, entry, { kind: "sqlite", file });
      assert.deepEqual(await readEssence(askFile(file)), entry.essence.sqlite);
      await requireWorking(store);
      if (freshFile === undefined) {
        const fresh = newFile(context);
        await migrate(entry, { kind: "sqlite", file: fresh });
        freshFile = schemaOfFile(fresh);
      }
      assert.deepEqual(schemaOfFile(file), freshFile);
    });
  }
});

describe("PostgreSQL", () => {
  let freshServer: unknown;
  for (const entry of corpus) {
    test(`schema ${entry.version}, ${entry.how.postgres}`, async (context) => {
      const server = await sharedPostgres();
      const url = await server.newDatabase();
      await restorePostgres(url, unpack(entry.version, "postgres").toString("utf8"));
      assert.deepEqual(await readEssence(askServer(url)), entry.essence.postgres);
      const store = await upgrade(context, entry, { kind: "postgres", url });
      assert.deepEqual(await readEssence(askServer(url)), entry.essence.postgres);
      await requireWorking(store);
      if (freshServer === undefined) {
        const fresh = await server.newDatabase();
        await migrate(entry, { kind: "postgres", url: fresh });
        freshServer = await schemaOfServer(fresh);
      }
      assert.deepEqual(await schemaOfServer(url), freshServer);
    });
  }
});
