/** The limit of an account's keys, which the behaviour suite cannot reach in reasonable time. */
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
import { createIdempotencyMethods } from "./idempotency.ts";

test("beyond an account's bound the answers that expire first go; what is in flight and other accounts' stay", async () => {
  const connection = await openSqliteConnection(":memory:", 0);
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  await migrate(db, sqliteMigrations(":memory:", systemClock));
  const clock = { wallMs: () => 1_000, elapsedMs: () => 0 };
  const dialect = {
    name: "sqlite" as const,
    databaseNow: () => sql<number>`1000`,
    locksRows: false,
    commitLazily: async () => {},
    insertionOrder: sqliteOrder,
    bulkInsert: sqliteBulkInsert(connection),
    hasAccountLists: true,
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
