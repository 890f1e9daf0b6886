/**
 * What PostgreSQL's tables guarantee: order of the feed, append-only rows, exact text, one writer at a time.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { migrations } from "../migrations/index.ts";
import { openStoreInProcess } from "../open.ts";
import { columnList, columnTypes, ownColumns } from "../requests/columns.ts";
import type { RequestRow } from "../requests/shapes.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { withoutPriceRows } from "../testing/catalog-samples.ts";
import { arrayLiteral } from "./array.ts";
import { createPostgresPool } from "./pool.ts";

const secretKey = randomBytes(32);

async function newStore(context: TestContext) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const reopen = async () => {
    const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
    context.after(() => store.close());
    return store;
  };
  const store = await reopen();
  await store.migrate();
  return { server, url, name, store, reopen, query: (sql: string) => server.query(sql, name) };
}

async function newClient(context: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  context.after(() => client.end());
  return client;
}

function newPool(context: TestContext, url: string) {
  const pool = createPostgresPool({
    url,
    connectionsMax: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    lockTimeoutMs: 5_000,
  });
  context.after(() => pool.close());
  return pool;
}

test("a change that is committed later has the larger id, so no reader of the feed misses one", async (context) => {
  const { url, store, query } = await newStore(context);
  const insert = "insert into changes (kind, subject, at) values ('key', $1, 0) returning id";
  const [first, second] = [await newClient(context, url), await newClient(context, url)];
  await first.query("begin");
  await second.query("begin");
  await first.query(insert, ["first"]);
  let isSecondIn = false;
  const inserted = second.query(insert, ["second"]).then(async () => {
    isSecondIn = true;
    await second.query("commit");
  });
  while ((await query("select 1 from pg_stat_activity where wait_event = 'advisory'")).length === 0) {
    assert.equal(isSecondIn, false, "the second got an id while the first was not committed");
  }
  assert.deepEqual(await store.listChanges(0), []);
  await first.query("commit");
  await inserted;
  const changes = await store.listChanges(0);
  assert.deepEqual(
    changes.map(({ subject }) => subject),
    ["first", "second"],
  );
});

test("ledger lines and prices cannot be edited, and balances not overdrawn, by anyone", async (context) => {
  const { store, query } = await newStore(context);
  await store.createAccount({ id: "a", name: "A", balance: nanoUsd(5n) });
  for (const table of ["ledger_entries", "prices"]) {
    await assert.rejects(query(`update ${table} set id = id`), /append-only/);
    await assert.rejects(query(`delete from ${table}`), /append-only/);
    await assert.rejects(query(`truncate ${table} cascade`), /append-only/);
  }
  await assert.rejects(query("update accounts set balance_nanos = -1"), /check constraint/);
  const insert =
    "insert into ledger_entries (account_id, id, kind, amount_nanos, request_id, created_at) values";
  await assert.rejects(query(`${insert} ('a', 2, 'charge', 1, 'r', 0)`), /check constraint/);
  await assert.rejects(query(`${insert} ('a', 2, 'charge', -1, null, 0)`), /check constraint/);
  await assert.rejects(query(`${insert} ('a', null, 'charge', -1, 'r', 0)`), /not-null constraint/);
  await assert.rejects(query(`${insert} ('zz', 2, 'topup', 1, null, 0)`), /foreign key/);
  await query(`${insert} ('a', 2, 'charge', -1, 'r', 0)`);
  await assert.rejects(query(`${insert} ('a', 3, 'charge', -1, 'r', 0)`), /unique constraint/);
  await assert.rejects(query(`${insert} ('a', 2, 'charge', -1, 'r2', 0)`), /unique constraint/);
});

test("ids are ordered by their bytes, whatever order the database has for texts", async (context) => {
  const { store, query } = await newStore(context);
  const [{ order } = {}] = await query(
    "select array_agg(id order by id) as order from unnest(array['a_1','B_1','a-2','Z','_']) as id",
  );
  const byBytes = ["B_1", "Z", "_", "a-2", "a_1"];
  assert.notDeepEqual(order, byBytes, "the server's own order differs");
  const createdAt = 1_763_700_000_000;
  for (const id of byBytes.toReversed()) await store.recordRequest(requestRow(1, { id, createdAt }));
  assert.deepEqual(
    (await store.listRequests({ limit: 9 })).map(({ id }) => id),
    byBytes.toReversed(),
  );
});

test("any text of a request comes back, with the characters PostgreSQL cannot hold replaced", async (context) => {
  const { store } = await newStore(context);
  const awkward = [
    "",
    "null",
    "NULL",
    '"',
    "\\",
    "{a,b}",
    "a\u0000b",
    " padded ",
    "\n\t",
    "ü🦆",
    "'); drop table requests; --",
    "\ud800",
  ];
  const texts = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: anyCharacter }));
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(texts), { minLength: 1, maxLength: 20 }), async (models) => {
      const from = number;
      const rows = models.map((modelId): RequestRow => requestRow(number++, { modelId }));
      await Promise.all(rows.map((row) => store.recordRequest(row)));
      const stored = (await store.listRequests({ limit: models.length })).toReversed();
      const expected = models.map((text) => text?.replaceAll("\0", "\u{fffd}").toWellFormed() ?? null);
      assert.deepEqual(
        stored.map(({ id, modelId }) => [id, modelId]),
        expected.map((text, index) => [requestRow(from + index).id, text]),
      );
    }),
    { numRuns: 60 },
  );
});

test("a batch costs one statement, and one with a refused row is written row by row", async (context) => {
  const { store, query } = await newStore(context);
  await query("create table statements (line text)");
  await query(`create function count_statement() returns trigger language plpgsql as $$
    begin insert into statements values (tg_op); return null; end $$`);
  await query(
    "create trigger counting after insert on requests for each statement execute function count_statement()",
  );
  const record = (from: number, to: number) =>
    Promise.allSettled(
      Array.from({ length: to - from }, (_, index) => store.recordRequest(requestRow(from + index))),
    );
  const counted = async () => (await query("select 1 from statements")).length;
  await record(0, 300);
  assert.equal(await counted(), 1);
  const outcomes = await Promise.allSettled([
    store.recordRequest(requestRow(400)),
    store.recordRequest(requestRow(401, { inputTokens: 2 ** 70 })),
    store.recordRequest(requestRow(402)),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(await counted(), 3);
});

test("arrays hold every kind of value", async (context) => {
  const pool = newPool(context, (await sharedPostgres()).url("postgres"));
  const values = [1n, "x", 2n ** 63n - 1n, null, -3, undefined, 0];
  assert.equal(arrayLiteral(values, 0, 2), "{1,9223372036854775807,-3,0}");
  const { rows } = await pool.inTransaction((client) =>
    client.query(
      "select unnest($1::bigint[]) as n_nanos, unnest($2::bytea[]) as bytes, unnest($3::text[]) as text",
      [
        arrayLiteral(values, 0, 2),
        arrayLiteral([Buffer.from([0, 255]), new Uint8Array([92]), null]),
        arrayLiteral(["a", null, '"\\']),
      ],
    ),
  );
  assert.deepEqual(rows.slice(0, 3), [
    { n_nanos: 1n, bytes: Buffer.from([0, 255]), text: "a" },
    { n_nanos: 2n ** 63n - 1n, bytes: Buffer.from([92]), text: null },
    { n_nanos: -3n, bytes: null, text: '"\\' },
  ]);
  assert.equal(arrayLiteral([]), "{}");
});

test("integers are numbers, money is bigint, and what would be rounded is refused", async (context) => {
  const pool = newPool(context, (await sharedPostgres()).url("postgres"));
  const { rows } = await pool.inTransaction((client) =>
    client.query(
      "select 9007199254740991::bigint as a, 2::smallint as b, sum(9007199254740993::bigint) as c_nanos, count(*) as d, 0.5::float8 as e",
    ),
  );
  assert.deepEqual(rows, [{ a: 9_007_199_254_740_991, b: 2, c_nanos: 9_007_199_254_740_993n, d: 1, e: 0.5 }]);
  await assert.rejects(
    pool.inTransaction((client) => client.query("select 9007199254740993::bigint as a")),
    { name: "RangeError", message: "a is too large for a number: 9007199254740993" },
  );
  assert.equal(typeof pg.types.getTypeParser(20)("1"), "string", "pg's own types are as they were");
});

test("a transaction chosen to break a deadlock runs again; one that fails leaves nothing", async (context) => {
  const { url, query } = await newStore(context);
  await query("create table numbers (id int primary key, value int not null)");
  await query("insert into numbers values (1, 0), (2, 0)");
  const pool = newPool(context, `${url}?options=-c%20deadlock_timeout%3D50ms`);
  let runs = 0;
  const bothIn = Promise.withResolvers<void>();
  const add = (first: number, second: number) =>
    pool.inTransaction(async (client) => {
      await client.query("update numbers set value = value + 1 where id = $1", [first]);
      runs++;
      if (runs === 2) bothIn.resolve();
      await bothIn.promise;
      await client.query("update numbers set value = value + 1 where id = $1", [second]);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  // The one that runs again may take its first row before the other does, and then both wait once more.
  assert.ok(runs >= 3, `${runs}`);
  await assert.rejects(
    pool.inTransaction(async (client) => {
      await client.query("update numbers set value = 99");
      throw new Error("changed my mind");
    }),
    /changed my mind/,
  );
  await assert.rejects(
    pool.inTransaction(async (client) => {
      await client.query("update numbers set value = 99");
      await client.query("insert into numbers values (1, 1)").catch(() => {});
    }),
    /rolled back: a statement in it had failed/,
  );
  assert.deepEqual(await query("select value from numbers"), [{ value: 2 }, { value: 2 }]);
});

test("stores that apply different catalogs at once leave one of them whole", async (context) => {
  const { store, reopen } = await newStore(context);
  const others = await Promise.all([reopen(), reopen()]);
  const catalog = (id: string): Catalog => ({
    upstreams: [
      {
        id: "main",
        provider: "openai",
        baseUrl: `http://${id}/v1`,
        credentials: [id],
        timeouts: defaultTimeouts,
      },
    ],
    models: ["x", id].map((model) => ({
      id: model,
      name: id,
      price: { input: nanoUsd(1n), output: nanoUsd(2n) },
      deployments: [],
    })),
    limits: {},
  });
  const catalogs = ["a", "b", "c"].map(catalog);
  await Promise.all(
    [store, ...others].map((one, index) => one.applyCatalog(catalogs[index] ?? catalog("d"))),
  );
  const loaded = withoutPriceRows(await store.loadCatalog());
  const whole = catalogs.find((one) => one.upstreams[0]?.baseUrl === loaded?.upstreams[0]?.baseUrl);
  assert.deepEqual(loaded, whole);
  assert.equal((await store.listChanges(0)).length, 3);
});

test("a database of a newer Plaza is refused and left alone", async (context) => {
  const { store, query } = await newStore(context);
  await query("insert into schema_migrations (version, name, applied_at) values (99, 'future', 0)");
  await assert.rejects(store.migrate(), {
    code: "newer_schema",
    message: /a newer Plaza wrote this database \(schema 99/,
  });
  assert.deepEqual(await query("select max(version) as version from schema_migrations"), [{ version: 99 }]);
});

test("a migration killed half-way is gone on from", async (context) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const blocker = await newClient(context, url);
  // The first migration needs this name, so it waits for the transaction that has it.
  await blocker.query("begin; create table requests (id text)");
  const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
  context.after(() => store.close());
  const failed = assert.rejects(store.migrate(), { code: "unavailable" });
  for (;;) {
    const waiting = await server.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${name}' and wait_event_type = 'Lock'`);
    if (waiting.length > 0) break;
  }
  await failed;
  await blocker.query("rollback");
  assert.deepEqual(
    await server.query("select tablename from pg_tables where schemaname = 'public'", name),
    [],
  );
  await store.migrate();
  assert.deepEqual(await store.listAccounts(), []);
});

test("processes that start at once on a new database migrate it once and lose none of each other's rows", async (context) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const writer = fileURLToPath(new URL("../testing/test-writer.ts", import.meta.url));
  const runs = ["a", "b", "c"].map(async (prefix) => {
    const words = [writer, url, secretKey.toString("hex"), prefix, "150"];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    context.after(() => child.kill("SIGKILL"));
    const [lines] = await Promise.all([text(child.stdout), once(child, "close")]);
    assert.equal(child.exitCode, 0);
    return lines.trimEnd().split("\n").slice(1);
  });
  const acknowledged = (await Promise.all(runs)).flat();
  const name = new URL(url).pathname.slice(1);
  const stored = await server.query('select id from requests order by id collate "C"', name);
  assert.equal(acknowledged.length, 450);
  assert.deepEqual(
    stored.map(({ id }) => id),
    acknowledged.toSorted(),
  );
  assert.deepEqual(
    (await server.query("select version from schema_migrations order by version", name)).map(
      ({ version }) => version,
    ),
    migrations.map(({ version }) => version),
  );
});

test("credentials are sealed anew only when nobody is between reading and writing them", async (context) => {
  const { url, store, query } = await newStore(context);
  const other = await newClient(context, url);
  await other.query("begin");
  await other.query("select * from credentials");
  let isDone = false;
  const resealed = store.resealCredentials(secretKey).then(() => {
    isDone = true;
  });
  const waiting = "select 1 from pg_locks where relation = 'credentials'::regclass and not granted";
  while ((await query(waiting)).length === 0) {
    assert.equal(isDone, false, "whoever has read with the old key may still write with it");
  }
  await other.query("commit");
  await resealed;
});

test("PostgreSQL's table of requests has the columns of the list, with their types, and no other", async (context) => {
  const { query } = await newStore(context);
  const found = await query(`select column_name as name, data_type as type, collation_name as collation,
    is_nullable = 'YES' as is_nullable, column_default as initial from information_schema.columns
    where table_schema = current_schema() and table_name = 'requests' order by column_name collate "C"`);
  const listed = columnList.map(({ name, kind, isNullable, initial }) => ({
    name: name as string,
    type: columnTypes[kind].postgres as string,
    collation: columnTypes[kind].collation ?? null,
    is_nullable: isNullable,
    // PostgreSQL adds the type of a text default.
    initial: initial?.startsWith("'") ? `${initial}::text` : (initial ?? null),
  }));
  const own = ownColumns.postgres.map((column) => ({
    ...column,
    collation: null,
    is_nullable: true,
    initial: "pg_current_xact_id()",
  }));
  const expected = [...listed, ...own].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  assert.deepEqual(found, expected);
});
