/** Migrations after today's, on both databases: killed, failed, waiting, changed, raced. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { Kysely, sql } from "kysely";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { createPostgresDialect } from "../postgres/dialect.ts";
import { createPostgresPool } from "../postgres/pool.ts";
import type { Database } from "../sql/schema.ts";
import { openSqliteConnection } from "../sqlite/connection.ts";
import { createSqliteDialect } from "../sqlite/dialect.ts";
import { readHistory, requireServable } from "./history.ts";
import { migrations, newestSchema } from "./index.ts";
import { type MigrateOptions, migrate, readMigrationStatus } from "./migrate.ts";
import { digestOf, type Migration, type MigrationDialect } from "./migration.ts";
import { postgresMigrations } from "./on-postgres.ts";
import { sqliteMigrations } from "./on-sqlite.ts";

interface Stage {
  readonly db: Kysely<Database>;
  readonly options: MigrateOptions;
  /** Another process on the same database. */
  another(): Promise<Stage>;
}

type NewStage = (context: TestContext) => Promise<Stage>;

const newFile: NewStage = async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "plaza.db");
  const another = async (): Promise<Stage> => {
    const db = new Kysely<Database>({
      dialect: createSqliteDialect(await openSqliteConnection(file, 5_000)),
    });
    context.after(() => db.destroy());
    return { db, options: sqliteMigrations(file, systemClock), another };
  };
  return another();
};

const newServerDatabase: NewStage = async (context) => {
  const url = await (await sharedPostgres()).newDatabase();
  const another = async (): Promise<Stage> => {
    const pool = createPostgresPool({
      url,
      connectionsMax: 1,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 60_000,
      lockTimeoutMs: 2_000,
    });
    const db = new Kysely<Database>({ dialect: createPostgresDialect(pool) });
    context.after(() => db.destroy());
    const now = () => sql<number>`${systemClock.wallMs()}`;
    return { db, options: postgresMigrations(db, systemClock, now), another };
  };
  return another();
};

const newest = newestSchema();
const first = newest + 1;
const rowsInAll = 1_000;

const numbered = (version: number, statements: readonly string[]): Migration => ({
  version,
  name: `next-${version}`,
  kind: "expand",
  sqlite: statements,
  postgres: statements,
});

/** Gives every row its double; `steps` collects the sizes of the chunks. */
function doubling(version: number, steps: number[], breakAt = Number.POSITIVE_INFINITY): Migration {
  const trigger: Record<MigrationDialect, string[]> = {
    sqlite: [
      `create trigger doubled after insert on numbers begin
        update numbers set twice = 2 * new.id where id = new.id; end`,
    ],
    postgres: [
      `create function doubled() returns trigger language plpgsql as
        $$ begin new.twice := 2 * new.id; return new; end $$`,
      "create trigger doubled before insert on numbers for each row execute function doubled()",
    ],
  };
  const column = "alter table numbers add column twice bigint";
  return {
    version,
    name: "doubling",
    kind: "expand",
    sqlite: [column.replace("bigint", "integer"), ...trigger.sqlite],
    postgres: [column, ...trigger.postgres],
    backfill: {
      async chunk({ trx, cursor, rowsMax }) {
        if (steps.length === breakAt) throw new Error("killed");
        const after = Number(cursor);
        const { rows } = await sql<{ id: number }>`update numbers set twice = coalesce(twice, 0) + 2 * id
          where id in (select id from numbers where id > ${after} order by id limit ${rowsMax})
            and id <= ${rowsInAll} returning id`.execute(trx);
        steps.push(rows.length);
        const last = Math.max(after, ...rows.map(({ id }) => id));
        return { cursor: String(last), rows: rows.length, isLast: rows.length < rowsMax };
      },
    },
  };
}

async function withNumbers(stage: Stage): Promise<Migration[]> {
  const table = numbered(first, ["create table numbers (id integer primary key)"]);
  const list = [...migrations, table];
  await migrate(stage.db, { ...stage.options, migrations: list });
  const values = Array.from({ length: rowsInAll }, (_, index) => `(${index + 1})`).join();
  await sql.raw(`insert into numbers values ${values}`).execute(stage.db);
  return list;
}

async function addServer({ db }: Stage, id: string, schema: number | null): Promise<void> {
  const alive = { id, created_at: 0, expires_at: Date.now() + 60_000, schema_version: schema };
  await db.insertInto("holders").values(alive).execute();
}

const wrong = async (db: Kysely<Database>) =>
  (await sql<{ id: number }>`select id from numbers where twice is null or twice <> 2 * id`.execute(db)).rows;

function backfillBehaviour(newStage: NewStage): void {
  test("a back-fill that was killed goes on where it was, touches no row twice, and nobody newer serves meanwhile", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const steps: number[] = [];
    const killed = [...list, doubling(first + 1, steps, 2)];
    await assert.rejects(migrate(db, { ...options, migrations: killed }), /killed/);
    assert.equal(steps.length, 2);
    const half = await readMigrationStatus(db, { ...options, migrations: killed });
    assert.equal(half.schema, first);
    assert.equal(half.progress?.rows, (steps[0] ?? 0) + (steps[1] ?? 0));
    assert.equal(half.isRunning, false);
    assert.equal(half.refusal?.code, "older_schema");
    assert.match(half.refusal?.message ?? "", /half done: run `plaza migrate`/);
    // The version before goes on, may be started again, and leaves the newer migration alone.
    requireServable(await readHistory(db, true), list, options.dialect);
    assert.deepEqual((await migrate(db, { ...options, migrations: list })).ran, []);
    await sql`insert into numbers (id) values (${rowsInAll + 7})`.execute(db);

    const whole = [...list, doubling(first + 1, steps)];
    const { ran, to } = await migrate(db, { ...options, migrations: whole });
    assert.deepEqual([to, ran.map(({ rows }) => rows)], [first + 1, [rowsInAll]]);
    assert.deepEqual(await wrong(db), []);
    requireServable(await readHistory(db, true), whole, options.dialect);
    const { applied, progress } = await readMigrationStatus(db, { ...options, migrations: whole });
    assert.equal(progress, null);
    assert.equal(applied.at(-1)?.digest, digestOf(doubling(first + 1, []), options.dialect));
    assert.equal(applied.at(-1)?.plazaVersion, options.plazaVersion);
  });

  test("processes that migrate at once do the work once", async (context) => {
    const stage = await newStage(context);
    const list = await withNumbers(stage);
    const steps: number[] = [];
    const whole = [...list, doubling(first + 1, steps)];
    const stages = [stage, await stage.another(), await stage.another()];
    const reports = await Promise.all(
      stages.map(({ db, options }) => migrate(db, { ...options, migrations: whole })),
    );
    assert.equal(reports.filter(({ ran }) => ran.length > 0).length, 1);
    assert.deepEqual(await wrong(stage.db), []);
    assert.equal(
      steps.reduce((sum, rows) => sum + rows, 0),
      rowsInAll,
    );
  });
}

function failureBehaviour(newStage: NewStage): void {
  test("a migration that fails leaves the database as it was, and is run again whole", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const broken = numbered(first + 1, ["create table half (id integer)", "not sql"]);
    await assert.rejects(migrate(db, { ...options, migrations: [...list, broken] }), /syntax error/);
    assert.equal(await options.hasTable(db, "half"), false);
    assert.equal(await options.lock.isTaken(), false);
    const mended = numbered(first + 1, ["create table half (id integer)"]);
    await migrate(db, { ...options, migrations: [...list, mended] });
    assert.equal(await options.hasTable(db, "half"), true);
  });

  test("a migration that was edited after it had run is refused, and so is an unknown one that says nothing", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const edited = [...migrations, numbered(first, ["create table numbers (id bigint primary key)"])];
    await assert.rejects(migrate(db, { ...options, migrations: edited }), {
      code: "cannot_open",
      message: /changed after it had been used/,
    });
    const unsaid = { version: 99, name: "future", applied_at: 0 };
    await db
      .insertInto("schema_migrations")
      .values({ ...unsaid, kind: null, needs: null, digest: null, duration_ms: null, plaza_version: null })
      .execute();
    await assert.rejects(migrate(db, { ...options, migrations: list }), { code: "newer_schema" });
  });
}

function contractBehaviour(newStage: NewStage): void {
  test("a contract waits for older servers, and then keeps them out", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const contract: Migration = {
      ...numbered(first + 1, ["alter table numbers add column narrower integer"]),
      kind: "contract",
      needs: first,
    };
    const whole = [...list, contract];
    await addServer(stage, "old", newest);
    await addServer(stage, "older", null);
    await addServer(stage, "new", first);
    const waits = await migrate(db, { ...options, migrations: whole });
    assert.deepEqual([waits.to, waits.waiting.map(({ version }) => version)], [first, [first + 1]]);
    const { servers, refusal } = await readMigrationStatus(db, { ...options, migrations: whole });
    assert.deepEqual(
      servers.map(({ schema, count }) => `${schema}: ${count}`).sort(),
      [`${newest}: 1`, `${first}: 1`, "null: 1"].sort(),
    );
    // No code may depend on a contract having run.
    assert.equal(refusal, null);
    requireServable(await readHistory(db, true), whole, options.dialect);
    const behind = [...whole, numbered(first + 2, ["create table behind (id integer)"])];
    await assert.rejects(migrate(db, { ...options, migrations: behind }), {
      code: "older_schema",
      message: /waits until no server older than schema/,
    });

    await db.deleteFrom("holders").where("id", "in", ["old", "older"]).execute();
    assert.equal((await migrate(db, { ...options, migrations: whole })).to, first + 1);
    requireServable(await readHistory(db, true), list, options.dialect);
    await assert.rejects(migrate(db, { ...options, migrations }), {
      code: "newer_schema",
      message: new RegExp(`${first} is the oldest that may still serve`),
    });
  });

  test("an independent expansion passes a contract that waits, and is finished before it once begun", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const contract: Migration = {
      ...numbered(first + 1, ["create table narrower (id integer)"]),
      kind: "contract",
      needs: first,
    };
    const steps: number[] = [];
    const passing: Migration = { ...doubling(first + 2, steps, 2), kind: "expand", isIndependent: true };
    await addServer(stage, "old", newest);
    await assert.rejects(migrate(db, { ...options, migrations: [...list, contract, passing] }), /killed/);
    assert.equal((await readHistory(db, true)).progress?.version, passing.version);

    // The contract could go now, but what has begun comes first.
    await db.deleteFrom("holders").where("id", "=", "old").execute();
    const whole = [
      ...list,
      contract,
      { ...passing, backfill: doubling(first + 2, steps).backfill } as Migration,
    ];
    const { ran, waiting, to } = await migrate(db, { ...options, migrations: whole });
    const versions = ran.map(({ version }) => version);
    assert.deepEqual([versions, waiting, to], [[first + 2, first + 1], [], first + 2]);
    assert.deepEqual(await wrong(db), []);
  });

  test("while a contract waits, servers with the independent expansion behind it serve", async (context) => {
    const stage = await newStage(context);
    const { db, options } = stage;
    const list = await withNumbers(stage);
    const contract: Migration = {
      ...numbered(first + 1, ["create table narrower (id integer)"]),
      kind: "contract",
      needs: first,
    };
    const passing: Migration = {
      ...numbered(first + 2, ["create table behind (id integer)"]),
      kind: "expand",
      isIndependent: true,
    };
    const whole = [...list, contract, passing];
    await addServer(stage, "old", newest);
    const { ran, waiting } = await migrate(db, { ...options, migrations: whole });
    assert.deepEqual(
      [ran, waiting].map((some) => some.map(({ version }) => version)),
      [[first + 2], [first + 1]],
    );
    const { refusal, missing } = await readMigrationStatus(db, { ...options, migrations: whole });
    assert.deepEqual([refusal, missing.map(({ version }) => version)], [null, [first + 1]]);
    requireServable(await readHistory(db, true), list, options.dialect);

    const behind = [...whole, numbered(first + 3, ["alter table behind add column more integer"])];
    await assert.rejects(migrate(db, { ...options, migrations: behind }), { code: "older_schema" });
    await db.deleteFrom("holders").where("id", "=", "old").execute();
    assert.deepEqual((await migrate(db, { ...options, migrations: behind })).ran.length, 2);
  });

  test("a contract that servers before it do not survive waits for all, and changes nothing before", async (context) => {
    const { db, options } = await newStage(context);
    const has15 = migrations.slice(0, 15);
    await migrate(db, { ...options, migrations: has15 });
    const expiresAt = Date.now() + 60_000;
    await sql`insert into holders (id, expires_at, created_at) values ('old', ${expiresAt}, 0)`.execute(db);
    const told = /fail calls after migration 18 \(plain-names\): stop all of them/;
    assert.match((await readMigrationStatus(db, options)).blocked ?? "", told);
    await assert.rejects(migrate(db, options), { code: "older_schema", message: told });
    assert.equal((await readHistory(db, true)).applied.length, has15.length);
    await db.deleteFrom("holders").execute();
    assert.equal((await readMigrationStatus(db, options)).blocked, null);
    await migrate(db, { ...options, migrations: migrations.slice(0, 19) });
    // Servers of schemas 18 and 19 serve beside it: none is waited for.
    await sql`insert into holders (id, expires_at, created_at) values ('old', ${expiresAt}, 0)`.execute(db);
    assert.equal((await readMigrationStatus(db, options)).blocked, null);
    assert.equal((await migrate(db, options)).waiting[0]?.version, 25);
  });

  test("an expansion keeps nobody out: the version before may be started again", async (context) => {
    const stage = await newStage(context);
    await withNumbers(stage);
    const report = await migrate(stage.db, { ...stage.options, migrations });
    assert.deepEqual([report.ran, report.waiting, report.to], [[], [], first]);
  });
}

for (const [name, newStage] of [
  ["SQLite", newFile],
  ["PostgreSQL", newServerDatabase],
] as const) {
  describe(`migrations on ${name}`, () => {
    backfillBehaviour(newStage);
    failureBehaviour(newStage);
    contractBehaviour(newStage);
  });
}

test("a change of a table on PostgreSQL lets others pass while it waits for a reader", async (context) => {
  const stage = await newServerDatabase(context);
  const list = await withNumbers(stage);
  const [reader, other] = [await stage.another(), await stage.another()];
  let pauses = 0;
  let isReading = true;
  const letGo = Promise.withResolvers<void>();
  const reading = reader.db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      await sql`select count(*) from numbers`.execute(trx);
      await letGo.promise;
      isReading = false;
    });
  const options: MigrateOptions = {
    ...stage.options,
    migrations: [...list, numbered(first + 1, ["alter table numbers add column late integer"])],
    async pause() {
      pauses += 1;
      // The change has given up its place in the queue: a write gets through while the reader still reads.
      await sql`insert into numbers (id) values (${rowsInAll + pauses})`.execute(other.db);
      assert.equal(isReading, true);
      letGo.resolve();
      await reading;
    },
  };
  while (
    (await sql`select 1 from pg_locks where relation = 'numbers'::regclass`.execute(other.db)).rows.length ===
    0
  );
  assert.equal((await migrate(stage.db, options)).to, first + 1);
  assert.equal(pauses, 1);
});
