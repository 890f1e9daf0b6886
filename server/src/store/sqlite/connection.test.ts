import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Kysely, sql } from "kysely";
import { systemClock } from "../../lib/time/clock.ts";
import { migrations } from "../migrations/index.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { at, pushRequestValues, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import type { Database } from "../sql/schema.ts";
import { chargedRow } from "../testing/behaviour/money.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { openSqliteConnection, type SqliteConnection } from "./connection.ts";
import { createSqliteDialect } from "./dialect.ts";
import { toStoreError } from "./errors.ts";
import { writeLedger } from "./ledger-writer.ts";

async function open(context: TestContext) {
  const connection = await openSqliteConnection(":memory:", 100);
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  context.after(() => db.destroy());
  const bring = (list: readonly Migration[]) =>
    migrate(db, { ...sqliteMigrations(":memory:", systemClock), migrations: list });
  return { connection, db, bring };
}

const valuesOf = (from: number, count: number): RequestValue[] => {
  const values: RequestValue[] = [];
  for (let number = from; number < from + count; number++)
    pushRequestValues(requestRow(number), undefined, values);
  return values;
};

const write = (connection: SqliteConnection, values: readonly RequestValue[]) =>
  writeLedger(connection, { values, returns: [], takes: [] }, () => 0);

test("the settings durability and integrity rest on are on", async (context) => {
  const { connection } = await open(context);
  const pragma = (name: string) => connection.prepare(`pragma ${name}`).statement.get()?.[name];
  assert.equal(pragma("synchronous"), 2n);
  assert.equal(pragma("foreign_keys"), 1n);
});

test("a statement is compiled once, and there is a bound on how many are kept", async (context) => {
  const { connection } = await open(context);
  assert.equal(connection.prepare("select 1"), connection.prepare("select 1"));
  const first = connection.prepare("select 1");
  for (let number = 0; number < 300; number++) connection.prepare(`select ${number}, 2`);
  assert.notEqual(connection.prepare("select 1"), first);
});

test("integers are numbers, money is bigint, and what fits neither is refused", async (context) => {
  const { db } = await open(context);
  const select = async (expression: string) => {
    const { rows } = await sql.raw<Record<string, unknown>>(`select ${expression}`).execute(db);
    return { ...rows[0] };
  };
  assert.deepEqual(await select("7 as count, 7 as total_nanos, 0.5 as weight, null as none"), {
    count: 7,
    total_nanos: 7n,
    weight: 0.5,
    none: null,
  });
  await assert.rejects(select("9007199254740993 as count"), /count is too large/);
});

test("transactions and batches take turns on the one connection", async (context) => {
  const { connection, db, bring } = await open(context);
  await bring(migrations);
  const order: string[] = [];
  await Promise.all([
    db.transaction().execute(async (trx) => {
      for (let step = 0; step < 3; step++) await sql`select 1`.execute(trx);
      order.push("first transaction");
    }),
    (async () => {
      await connection.lock.take();
      await write(connection, valuesOf(1, 2));
      order.push("batch");
      connection.lock.release();
    })(),
    db.transaction().execute(async () => void order.push("second transaction")),
  ]);
  assert.deepEqual(order, ["first transaction", "batch", "second transaction"]);
});

test("a transaction that throws leaves nothing and gives the connection back", async (context) => {
  const { db, bring } = await open(context);
  await bring(migrations);
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto("changes").values({ kind: "key", subject: "k", at: 0 }).execute();
    throw new Error("changed my mind");
  });
  await assert.rejects(failing, /changed my mind/);
  assert.deepEqual(await db.selectFrom("changes").selectAll().execute(), []);
});

test("a full disk refuses the whole batch, and the next is tried again", async (context) => {
  const { connection, bring } = await open(context);
  await bring(migrations);
  await write(connection, valuesOf(0, 10));
  const pages = connection.prepare("pragma page_count").statement.get()?.page_count;
  connection.prepare(`pragma max_page_count = ${pages}`).statement.get();
  const count = () => connection.prepare("select count(*) as count from requests").statement.get()?.count;
  await assert.rejects(write(connection, valuesOf(100, 500)), (error) => {
    const translated = toStoreError(error, "/data/plaza.db") as Error & { code: string };
    assert.equal(translated.code, "disk_full");
    assert.match(
      translated.message,
      /the disk that holds the database \/data\/plaza\.db is full: free some space/,
    );
    return true;
  });
  assert.equal(count(), 10n);
  connection.prepare("pragma max_page_count = 1000000").statement.get();
  assert.deepEqual(await write(connection, valuesOf(100, 500)), { faults: [], returned: [], grants: [] });
  assert.equal(count(), 510n);
});

test("a batch that breaks half-way leaves nothing and hinders nothing after it", async (context) => {
  const { connection, bring } = await open(context);
  await bring(migrations);
  const breaking = valuesOf(0, 3);
  // One with a key is written by itself, after those before it.
  breaking[2 * valuesPerRequest + at.idempotencyKey] = "key";
  breaking.slice = () => {
    throw new Error("broken");
  };
  await assert.rejects(write(connection, breaking), /broken/);
  const count = () => connection.prepare("select count(*) as count from requests").statement.get()?.count;
  assert.equal(count(), 0n);
  await write(connection, valuesOf(0, 3));
  assert.equal(count(), 3n);
});

test("new requests are written several with a statement, and nothing is written twice", async (context) => {
  const { connection, bring } = await open(context);
  await bring(migrations);
  connection
    .prepare(`insert into accounts (id, name, status, created_at, balance_nanos)
    values ('acc_1', '', 'active', 0, 1000)`)
    .statement.run();
  const values: RequestValue[] = [];
  for (let number = 0; number < 20; number++)
    pushRequestValues(chargedRow(number, "acc_1", 3n, 1), undefined, values);
  const prepare = context.mock.method(connection, "prepare");
  const written = await write(connection, values);
  assert.deepEqual(written.faults, []);
  const texts = prepare.mock.calls.map(({ arguments: [text] }) => text);
  for (const table of ["requests", "ledger_entries"])
    assert.equal(texts.filter((text) => text.startsWith(`insert into ${table} `)).length, 3, table);
  assert.equal(texts.filter((text) => text === "rollback" || text.startsWith("savepoint")).length, 0);
});

test("a migration that fails half-way leaves what came before it, and is gone on from", async (context) => {
  const { db, bring } = await open(context);
  const one: Migration = {
    version: 1,
    name: "one",
    kind: "expand",
    sqlite: ["create table one (id integer) strict"],
    postgres: [],
  };
  const broken: Migration = {
    version: 2,
    name: "two",
    kind: "expand",
    sqlite: ["create table two (id integer) strict", "not sql"],
    postgres: [],
  };
  const mended: Migration = { ...broken, sqlite: broken.sqlite.slice(0, 1) };
  const tables = async () => {
    const { rows } = await sql<{
      name: string;
    }>`select name from sqlite_master where name in ('one', 'two')`.execute(db);
    return rows.map(({ name }) => name);
  };
  await assert.rejects(bring([one, broken]), /syntax error/);
  assert.deepEqual(await tables(), ["one"]);
  await bring([one, mended]);
  assert.deepEqual(await tables(), ["one", "two"]);
  await bring([one, mended]);
});

test("the steps of the schema are numbered without gaps", () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 1),
  );
});

test("every known failure of SQLite says what to do", () => {
  const translate = (errcode: number) =>
    toStoreError(Object.assign(new Error("its words"), { errcode }), "/data/plaza.db") as Error & {
      code: string;
    };
  const codes = {
    5: "locked",
    261: "locked",
    8: "read_only",
    778: "io",
    11: "damaged",
    26: "damaged",
    13: "disk_full",
    14: "cannot_open",
  };
  for (const [errcode, code] of Object.entries(codes)) {
    const error = translate(Number(errcode));
    assert.equal(error.code, code);
    assert.match(error.message, /\/data\/plaza\.db.*: .{20}/);
  }
  assert.equal(translate(1555).code, "duplicate");
  assert.equal(translate(275).code, "invalid");
  const unknown = new Error("another");
  assert.equal(toStoreError(unknown, "x"), unknown);
});
