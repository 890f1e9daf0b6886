/** What a machine that falls silent in a transaction keeps locked, and for how long. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Kysely, sql, type Transaction } from "kysely";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import type { Database } from "../sql/schema.ts";
import { createPostgresDialect } from "./dialect.ts";
import { createPostgresPool } from "./pool.ts";

const minute = 60_000;
const limits = { connectTimeoutMs: minute, statementTimeoutMs: minute, lockTimeoutMs: minute };

async function newUrl(context: TestContext): Promise<string> {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  context.after(() => server.freeDatabase(url));
  return url;
}

test("a machine that says no more in a short transaction does not keep what it locked", {
  timeout: 10_000,
}, async (context) => {
  const url = await newUrl(context);
  const pool = createPostgresPool({ ...limits, url, connectionsMax: 1, idleTransactionMs: 50 });
  const silent = await pool.acquire();
  await silent.query("begin");
  await silent.query("select pg_advisory_xact_lock(1)");
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query("select pg_advisory_xact_lock(1)");
  await assert.rejects(silent.query("commit"), { name: "StoreError", code: "unavailable" });
  silent.release();
  await other.end();
  await pool.close();
});

test("every transaction that writes is a short one; one that reads has a statement's time", async (context) => {
  const pool = createPostgresPool({ ...limits, url: await newUrl(context), connectionsMax: 1 });
  const db = new Kysely<Database>({ dialect: createPostgresDialect(pool) });
  const idleIn = async (trx: Kysely<Database> | Transaction<Database>): Promise<unknown> =>
    (
      await sql<{
        idle: string;
      }>`select current_setting('idle_in_transaction_session_timeout') as idle`.execute(trx)
    ).rows[0]?.idle;
  assert.equal(await db.transaction().execute(idleIn), "3s");
  const reading = db.transaction().setAccessMode("read only").setIsolationLevel("repeatable read");
  assert.equal(await reading.execute(idleIn), "1min");
  assert.equal(await idleIn(db), "1min");
  await db.destroy();
});
