/** The keys of a database with rows are exchanged while servers settle: killed, held up, left waiting. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely } from "kysely";
import pg from "pg";
import { sharedPostgres } from "../../../../../test/postgres/shared.ts";
import { type Ask, askServer } from "../../../../../test/upgrades/corpus.ts";
import { openStoreInProcess } from "../../open.ts";
import type { Database } from "../../sql/schema.ts";
import type { Store } from "../../store.ts";
import { chargedRow, newAccount, priceOneNano, take, topup } from "../../testing/behaviour/money.ts";
import { openForMigrations } from "../../testing/older-schema.ts";
import { migrations, newestSchema } from "../index.ts";
import { createIndexBuilder } from "../indexes.ts";
import { type MigrateOptions, migrate } from "../migrate.ts";
import { isIndependent, type Migration } from "../migration.ts";
import { keysWithAccount } from "./0029-keys-with-account.ts";

const { version } = keysWithAccount;
/** Expansions that passed it: today's statements need their columns. */
const passed = migrations.filter((one) => one.version > version && isIndependent(one));
const before = [...migrations.filter((one) => one.version < version), ...passed];
const until = [...migrations.filter((one) => one.version <= version), ...passed];
const newest = newestSchema();
const secretKey = Buffer.alloc(32, 1);
const writer = fileURLToPath(new URL("../../testing/test-writer.ts", import.meta.url));

interface Stage {
  readonly url: string;
  readonly db: Kysely<Database>;
  readonly options: MigrateOptions;
  /** A server of the version before: its statements are those of today. */
  readonly store: Store;
  readonly ask: Ask;
  /** Records a request that costs 1, and one of the same number once more; both accounts pay. */
  settle(number: number): Promise<unknown>;
  requireWhole(): Promise<void>;
}

/** A database of the schema before, with entries of every kind. */
async function newStage(context: TestContext): Promise<Stage> {
  const url = await (await sharedPostgres()).newDatabase();
  const opened = await openForMigrations({ kind: "postgres", url });
  const { db } = opened;
  context.after(() => db.destroy());
  const options = { ...opened.options, migrations: until };
  await migrate(db, { ...options, migrations: before });
  const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
  context.after(() => store.close());
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  const accounts = ["acc_1", "acc_2"];
  for (const id of accounts) {
    await newAccount(store, id, 1_000n);
    await take(store, "h1", { kind: "account", id, ownerId: id }, 100n);
    await store.addEntry(topup(id, 5n, { reference: "once", expiresAfterMs: 3_600_000 }));
  }
  const code = { digest: "digest", visibleEnd: "end" };
  const batch = { id: "bat_1", note: "", amount: nanoUsd(9n), expiresAt: null, createdBy: null };
  await store.createCodes({ ...batch, codes: [code, { ...code, digest: "other" }] });
  await store.redeemCode({ digest: "digest", accountId: "acc_1", userId: null });
  let settled = 0;
  const ask = askServer(url);
  return {
    url,
    db,
    options,
    store,
    ask,
    settle(number) {
      settled += 1;
      const part = { fromLease: nanoUsd(1n), release: nanoUsd(0n) };
      const record = (accountId: string) =>
        store.recordRequest(
          chargedRow(number, accountId, 1n, priceId, { id: `${accountId}_req_${number}` }),
          { holderId: "h1", account: part },
        );
      return Promise.all([...accounts, ...accounts].map(record));
    },
    async requireWhole() {
      const { findings, entries } = await store.verifyLedger();
      assert.deepEqual([findings, entries], [[], 5 + 2 * settled]);
      for (const id of accounts) {
        assert.equal((await store.listRequests({ accountId: id, limit: 1_000 })).length, settled);
        const { isNew } = await store.addEntry(
          topup(id, 5n, { reference: "once", expiresAfterMs: 3_600_000 }),
        );
        assert.equal(isNew, false);
      }
    },
  };
}

const keysOf = async (ask: Ask): Promise<string[]> => {
  const rows =
    await ask(`select conrelid::regclass || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
    where contype in ('p', 'f') and conrelid in ('requests'::regclass, 'ledger_entries'::regclass,
      'grants'::regclass, 'codes'::regclass) order by 1`);
  return rows.map(({ text }) => text ?? "").filter((text) => /PRIMARY KEY|REFERENCES ledger/.test(text));
};

const exchanged = [
  "codes FOREIGN KEY (account_id, entry_id) REFERENCES ledger_entries(account_id, id)",
  "codes PRIMARY KEY (digest)",
  "grants FOREIGN KEY (account_id, entry_id) REFERENCES ledger_entries(account_id, id)",
  "grants PRIMARY KEY (account_id, entry_id)",
  "ledger_entries PRIMARY KEY (account_id, id)",
  "requests PRIMARY KEY (id, account_id)",
];

async function newSession(context: TestContext, url: string): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url });
  session.on("error", () => {});
  await session.connect();
  context.after(() => session.end());
  return session;
}

test("servers go on while it runs, and no call waits behind it for a reader", async (context) => {
  const stage = await newStage(context);
  const reader = await newSession(context, stage.url);
  // Not a snapshot, for which the indexes would wait, but a lock, for which the exchange does.
  await reader.query("begin");
  await reader.query("lock table ledger_entries in access share mode");
  let number = 0;
  let isOver = false;
  const settling = (async () => {
    while (!isOver) await stage.settle(number++);
  })();
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    // The exchange has let go of everything: this gets through while the reader still reads.
    await stage.settle(number++);
    if (pauses === 2) await reader.query("commit");
  };
  const { ran, waiting } = await migrate(stage.db, { ...stage.options, pause });
  isOver = true;
  await settling;
  assert.deepEqual([ran.map((one) => one.version), waiting], [[version], []]);
  assert.ok(pauses >= 2);
  assert.deepEqual(await keysOf(stage.ask), exchanged);
  await stage.requireWhole();
});

/** Kills the process that migrates when it waits for a transaction that uses the table. */
async function killAt(context: TestContext, { url, ask }: Stage, table: string): Promise<void> {
  const user = await newSession(context, url);
  await user.query("begin");
  await user.query(`lock table ${table} in row exclusive mode`);
  const migrating = spawn(process.execPath, [writer, url, secretKey.toString("hex"), "w", "1"], {
    stdio: "ignore",
  });
  const ended = once(migrating, "exit");
  const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock'
    and query like 'create unique index concurrently % on ${table} %'`;
  while ((await ask(isWaiting)).length === 0) assert.equal(migrating.exitCode, null);
  migrating.kill("SIGKILL");
  await ended;
  // The server notices the dead process, and ends what it did.
  while ((await ask(isWaiting)).length > 0);
  await user.query("commit");
}

test("killed at the index of each table, between and after, it is finished by the next process", async (context) => {
  const stage = await newStage(context);
  const { db, options, ask } = stage;
  const old = await keysOf(ask);
  for (const [number, table] of ["requests", "ledger_entries", "grants"].entries()) {
    await killAt(context, stage, table);
    const broken = await ask("select indexrelid::regclass::text as name from pg_index where not indisvalid");
    assert.deepEqual([broken.length, await keysOf(ask)], [1, old]);
    await stage.settle(number);
  }
  const backfill: Migration["backfill"] = {
    async chunk(chunk) {
      if (chunk.cursor !== "") throw new Error("killed");
      return await (keysWithAccount.backfill?.chunk(chunk) ?? assert.fail());
    },
  };
  const killed = { ...options, migrations: [...before, { ...keysWithAccount, backfill }] };
  await assert.rejects(migrate(db, killed), /killed/);
  await stage.settle(3);
  assert.equal((await keysOf(ask)).filter((text) => text.endsWith("NOT VALID")).length, 1);
  assert.deepEqual((await migrate(db, options)).waiting, []);
  await stage.settle(4);
  assert.deepEqual(await keysOf(ask), exchanged);
  assert.deepEqual(await ask("select 1 from pg_index where not indisvalid"), []);
  await stage.requireWhole();
});

test("a start leaves it waiting when it would take long; by hand, or before an expansion that needs it, it is done", async (context) => {
  const stage = await newStage(context);
  const { db, options, ask } = stage;
  await stage.settle(0);
  await stage.settle(1);
  const small = { rowsMax: 1, startMs: 50, byHandMs: 50 };
  const large = { ...options, buildIndexes: createIndexBuilder(small) };
  const { ran, waiting } = await migrate(db, large);
  assert.deepEqual([ran, waiting.map((one) => one.version)], [[], [version]]);

  // A backup that reads for hours.
  const backup = await newSession(context, stage.url);
  await backup.query("begin isolation level repeatable read");
  await backup.query("select count(*) from requests");
  const held = { ...options, buildIndexes: createIndexBuilder({ ...small, rowsMax: 1_000 }) };
  assert.deepEqual((await migrate(db, held)).waiting.length, 1);
  await assert.rejects(migrate(db, { ...held, isByHand: true }), { code: "locked" });
  await backup.query("commit");
  await stage.requireWhole();

  const text = ["create table later (id integer)"];
  const later: Migration = {
    version: newest + 1,
    name: "later",
    kind: "expand",
    sqlite: [],
    postgres: text,
  };
  const passing: Migration = {
    ...later,
    version: newest + 2,
    postgres: ["create table passing (id integer)"],
  };
  const independent: Migration = { ...passing, kind: "expand", isIndependent: true };
  const past = await migrate(db, { ...large, migrations: [...until, independent] });
  assert.deepEqual([past.to, past.waiting.map((one) => one.version)], [newest + 2, [version]]);
  const both = await migrate(db, { ...large, migrations: [...until, later, independent] });
  assert.deepEqual(both.waiting, []);
  assert.deepEqual(await keysOf(ask), exchanged);
  const another = await newStage(context);
  const byHand = { ...another.options, buildIndexes: createIndexBuilder(small), isByHand: true };
  assert.deepEqual((await migrate(another.db, byHand)).waiting, []);
});

test("a request is recorded once for its account, before and after", async (context) => {
  const { db, options, store, settle, ask } = await newStage(context);
  const count = async () => (await ask("select id, account_id from requests order by 1, 2")).length;
  await settle(0);
  assert.equal(await count(), 2);
  await migrate(db, options);
  await settle(0);
  assert.equal(await count(), 2);
  // No id is made twice. If it were, neither account's request would be lost.
  for (const accountId of ["acc_1", "acc_2", "acc_1"])
    await store.recordRequest(chargedRow(7, accountId, 0n, 1));
  assert.equal(await count(), 4);
});
