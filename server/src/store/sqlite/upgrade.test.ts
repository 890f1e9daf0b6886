/** Migrates a database of the first release. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { Kysely } from "kysely";
import { systemClock } from "../../lib/time/clock.ts";
import { migrations } from "../migrations/index.ts";
import { migrate } from "../migrations/migrate.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { openStoreInProcess } from "../open.ts";
import type { Database } from "../sql/schema.ts";
import { accountSubject, audit, take, topup } from "../testing/behaviour/money.ts";
import { full, load } from "../testing/catalog-samples.ts";
import { openSqliteConnection } from "./connection.ts";
import { createSqliteDialect } from "./dialect.ts";

/** What the first release could have written, with entries of every kind it had. */
const firstRelease = `
  insert into accounts values ('acc_1', 'Team Blue', 'active', 4000000000, 100), ('acc_2', 'ci', 'suspended', 0, 200);
  insert into ledger_entries (account_id, kind, amount_nanos, request_id, note, created_at) values
    ('acc_1', 'topup', 5000000000, null, 'first', 100),
    ('acc_1', 'adjustment', -1500000000, null, 'typo', 101),
    ('acc_1', 'charge', 0, 'req_1', null, 102),
    ('acc_1', 'refund', 500000000, 'req_0', null, 103);
  insert into api_keys (id, account_id, name, visible_prefix, digest, status, budget_nanos, budget_period, created_at)
    values ('key_1', 'acc_1', 'laptop', 'sk-plaza-ab', '${"a".repeat(64)}', 'active', 1000000000, 'month', 300);
  insert into changes (id, kind, subject, at) values (7, 'account', 'acc_1', 100), (9, 'key', 'key_1', 300);
  insert into catalog_limits values (1, null, null, null);
  insert into models values ('m', 0, 'M', null, null, null, null, null);
  insert into prices (model_id, valid_from, input_nanos, output_nanos) values ('m', 50, 1000000, 2000000);
  insert into requests values ('req_1', 400, 'acc_1', 'key_1', 'm', 'main', 'm', 1, 200, 'complete', null, 1,
    10, 2, 3, 40, 5, 'exact', 20, 30);`;

async function oldDatabase(context: TestContext): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const connection = await openSqliteConnection(file, 100);
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  await migrate(db, {
    ...sqliteMigrations(file, systemClock),
    migrations: migrations.slice(0, 1),
  });
  await db.destroy();
  const database = new DatabaseSync(file);
  database.exec(firstRelease);
  database.close();
  return file;
}

test("a database of the first release is brought up to date with everything in it, and its sums hold", async (context) => {
  const file = await oldDatabase(context);
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  context.after(() => store.close());
  await store.migrate();
  await store.migrate();
  const limits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
  const open = { status: "active", limits, responsesKeptMs: null, leased: 0n };
  assert.deepEqual(await store.listAccounts(), [
    { ...open, id: "acc_1", name: "Team Blue", balance: 4_000_000_000n, createdAt: 100 },
    { ...open, id: "acc_2", name: "ci", status: "suspended", balance: 0n, createdAt: 200 },
  ]);
  const entries = await store.listEntries({ accountId: "acc_1", limit: 9 });
  assert.deepEqual(
    entries.map(({ id, kind, amount, requestId, note, createdAt }) => [
      id,
      kind,
      amount,
      requestId,
      note,
      createdAt,
    ]),
    [
      [4, "refund", 500_000_000n, "req_0", null, 103],
      [2, "adjustment", -1_500_000_000n, null, "typo", 101],
      [1, "topup", 5_000_000_000n, null, "first", 100],
    ],
  );
  assert.deepEqual(await store.listChanges(0), [
    { id: 7, kind: "account", subject: "acc_1" },
    { id: 9, kind: "key", subject: "key_1" },
  ]);
  const found = await store.findRequest("req_1");
  assert.deepEqual(found?.request, {
    id: "req_1",
    createdAt: 400,
    accountId: "acc_1",
    keyId: "key_1",
    modelId: "m",
    upstreamId: "main",
    upstreamModel: "m",
    isStream: true,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 10,
    cachedInputTokens: 2,
    cacheWriteTokens: 3,
    outputTokens: 40,
    reasoningTokens: 5,
    usageSource: "exact",
    usageParts: null,
    firstTokenMs: 20,
    durationMs: 30,
    charge: 0n,
    loss: 0n,
    priceId: null,
    cost: null,
    attemptLog: null,
    queueMs: null,
    operation: "chat",
  });
  assert.equal((await store.listKeys("acc_1"))[0]?.budget?.amount, 1_000_000_000n);
  assert.equal((await store.loadCatalog())?.models[0]?.price?.output, 2_000_000n);
  await audit(store);

  // Ids continue, the constraints are those of a new database, and money can be moved.
  const { entry } = await store.addEntry(topup("acc_1", 1n));
  assert.ok(entry.id > 4);
  assert.ok((await store.lastChangeId()) > 9);
  await store.openHolder("h1");
  await store.recallLeases("acc_1");
  assert.equal((await take(store, "h1", accountSubject("acc_1"), 5n)).status, "granted");
  await store.addEntry({ accountId: "acc_1", kind: "adjustment", amount: nanoUsd(-1n) });
  await audit(store);
});

test("an upgraded database has the very tables, indexes and triggers of a new one", async (context) => {
  const file = await oldDatabase(context);
  const fresh = `${file}.fresh`;
  for (const each of [file, fresh]) {
    const store = await openStoreInProcess({
      database: { kind: "sqlite", file: each },
      secretKey: randomBytes(32),
    });
    await store.migrate();
    await store.close();
  }
  const schemaOf = (each: string) => {
    const database = new DatabaseSync(each);
    const rows = database.prepare("select type, name, tbl_name, sql from sqlite_master order by name").all();
    assert.equal(database.prepare("pragma foreign_key_check").all().length, 0);
    assert.equal(database.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
    database.close();
    return rows.map((row) => ({ ...row }));
  };
  const names = schemaOf(file).map(({ name }) => name);
  assert.ok(names.includes("ledger_entries_no_update") && names.includes("ledger_entries_by_reference"));
  assert.deepEqual(schemaOf(file), schemaOf(fresh));
});

test("a database from before fingerprints were kept belongs to the key that sealed it", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const open = async (secretKey = randomBytes(32)) => {
    const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
    context.after(() => store.close());
    return store;
  };
  const store = await open();
  await store.migrate();
  await store.applyCatalog(full);
  const database = new DatabaseSync(file);
  database.exec("delete from installation_settings where name = 'sealingKey'");
  database.close();
  const stranger = await open();
  const refused = { code: "another_secret_key" };
  await assert.rejects(stranger.claimSealingKey(), refused);
  await assert.rejects(stranger.applyCatalog(full), refused);
  await store.claimSealingKey();
  assert.deepEqual(await load(store), full);
});
