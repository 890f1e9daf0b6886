/** What the behaviour suite cannot reach in reasonable time: the limit of an account's keys, their end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Kysely, sql } from "kysely";
import { systemClock } from "../../lib/time/clock.ts";
import { migrate } from "../migrations/migrate.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { sqliteOrder } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { sqliteBulkInsert } from "../sqlite/bulk-insert.ts";
import { openSqliteConnection } from "../sqlite/connection.ts";
import { createSqliteDialect } from "../sqlite/dialect.ts";
import { createAnswerPruner, createIdempotencyMethods } from "./idempotency.ts";

async function openMemory() {
  const connection = await openSqliteConnection(":memory:", 0);
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  await migrate(db, sqliteMigrations(":memory:", systemClock));
  return { connection, db };
}

test("answers that expired go with heartbeats, the oldest first, without another call", async () => {
  const { db } = await openMemory();
  await db
    .insertInto("accounts")
    .values({ id: "acc_1", name: "one", status: "active", balance_nanos: 0n, created_at: 0 })
    .execute();
  const answer = { status: 200, headers: "[]", body: Buffer.from("x"), holder_id: null };
  for (let number = 1; number <= 300; number += 1) {
    const key = { account_id: "acc_1", key: `key-${number}`, fingerprint: "f", request_id: `req_${number}` };
    await db
      .insertInto("idempotency_keys")
      .values({ ...key, ...answer, expires_at: number })
      .execute();
  }
  let elapsedMs = 0;
  const prune = createAnswerPruner(db, { wallMs: () => 250, elapsedMs: () => elapsedMs });
  const first = async () => {
    const keys = db.selectFrom("idempotency_keys").select("key").orderBy("expires_at");
    return (await keys.limit(1).executeTakeFirst())?.key;
  };
  await prune();
  assert.equal(await first(), "key-201");
  // The step was full, so the next heartbeat goes on; the one after it waits.
  await prune();
  assert.equal(await first(), "key-251");
  await db.updateTable("idempotency_keys").set({ expires_at: 240 }).where("key", "=", "key-300").execute();
  await prune();
  assert.equal(await first(), "key-300");
  elapsedMs = 60_000;
  await prune();
  assert.equal(await first(), "key-251");
  await db.destroy();
});

test("beyond an account's bound the answers that expire first go; what is in flight and other accounts' stay", async () => {
  const { connection, db } = await openMemory();
  const clock = { wallMs: () => 1_000, elapsedMs: () => 0 };
  const dialect = {
    name: "sqlite" as const,
    databaseNow: () => sql<number>`1000`,
    locksRows: false,
    commitLazily: async () => {},
    insertionOrder: sqliteOrder,
    bulkInsert: sqliteBulkInsert(connection),
    hasAccountLists: true,
    numbersEntries: false,
  };
  const keysMax = 5;
  const { claimIdempotencyKey } = createIdempotencyMethods(db, clock, dialect, keysMax);
  for (const id of ["acc_1", "acc_2"]) {
    await db
      .insertInto("accounts")
      .values({ id, name: id, status: "active", balance_nanos: 0n, created_at: 0 })
      .execute();
  }
  await db.insertInto("holders").values({ id: "hld_1", expires_at: 2_000, created_at: 0 }).execute();
  const claim = (accountId: string, number: number) =>
    claimIdempotencyKey({
      accountId,
      key: `key-${number}`,
      fingerprint: "f",
      requestId: `req_${number}`,
      holderId: "hld_1",
      expiresAt: 2_000 + number,
    });
  await claim("acc_2", 1);
  for (let number = 1; number <= 98; number += 1) await claim("acc_1", number);
  await db
    .updateTable("idempotency_keys")
    .set({ holder_id: null, status: 200, headers: "[]", body: Buffer.from("x") })
    .where("key", "!=", "key-3")
    .execute();
  // Every hundredth claim deletes what exceeds the limit.
  assert.equal((await claim("acc_1", 99)).kind, "claimed");
  const rows = await db
    .selectFrom("idempotency_keys")
    .select(["account_id", "key"])
    .orderBy("expires_at")
    .execute();
  const kept = (id: string) => rows.filter((row) => row.account_id === id).map((row) => row.key);
  assert.deepEqual(kept("acc_1"), ["key-3", "key-94", "key-95", "key-96", "key-97", "key-98", "key-99"]);
  assert.deepEqual(kept("acc_2"), ["key-1"]);
  await db.destroy();
});
