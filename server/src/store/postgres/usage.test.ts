/**
 * Sums of usage on PostgreSQL, where transactions may end in another order than they began, and old rows have
 * none.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { daysBehaviour } from "../testing/days-behaviour.ts";
import { byOperation, olderUsage } from "../testing/older-usage.ts";

async function openHere(context: TestContext) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const store = await openStoreInProcess({
    database: { kind: "postgres", url },
    secretKey: Buffer.alloc(32, 1),
  });
  await store.migrate();
  const beside = new pg.Client({ connectionString: url });
  await beside.connect();
  context.after(async () => {
    await beside.end();
    await store.close();
  });
  const count = async (): Promise<number> => {
    const from = Math.floor(requestRow(0).createdAt / 1_800_000);
    const stretches = [{ from, to: from + 48, offset: 0 }];
    const rows = await store.sumUsage({ stretches, byDay: false, by: "none", rowsMax: 10 });
    return rows?.[0]?.requests ?? 0;
  };
  return { store, beside, count };
}

async function addUp(store: Store): Promise<number> {
  let sum = 0;
  for (let rows = 1, idle = 0; idle < 2; idle = rows === 0 ? idle + 1 : 0) {
    rows = await store.rollUpUsage(3);
    sum += rows;
  }
  return sum;
}

/** Copies a row inside the open transaction. */
const copyOf = (
  id: string,
  like: string,
) => `insert into requests (id, created_at, account_id, key_id, is_stream, status, state,
    attempts, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source, duration_ms)
  select '${id}', created_at, account_id, key_id, is_stream, status, state, attempts, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, reasoning_tokens, usage_source, duration_ms from requests where id = '${like}'`;

daysBehaviour(async (context) => {
  const { store, beside } = await openHere(context);
  return { store, ask: async (sql) => (await beside.query(sql)).rows };
});

test("a row whose transaction ends after later ones is counted once, before and after it is added up", async (context) => {
  const { store, beside, count } = await openHere(context);
  await store.recordRequest(requestRow(1));
  await beside.query("begin");
  await beside.query(copyOf("req_late", requestRow(1).id));
  await store.recordRequest(requestRow(2));
  await store.recordRequest(requestRow(3));
  // Rows of later transactions wait for the open one: the sums do not have them yet, but queries count them.
  assert.equal(await addUp(store), 1);
  assert.equal(await count(), 3);
  await beside.query("commit");
  assert.equal(await count(), 4);
  assert.equal(await addUp(store), 3);
  assert.equal(await count(), 4);
});

test("rows from before an upgrade are added up first, in pieces, while new ones come in", async (context) => {
  const { store, beside, count } = await openHere(context);
  for (let number = 0; number < 8; number++) await store.recordRequest(requestRow(number));
  await beside.query("update requests set xid = null");
  assert.equal(await count(), 8);
  assert.equal(await store.rollUpUsage(3), 3);
  // Its id is between those already summed.
  await store.recordRequest({ ...requestRow(9), id: "req_0000000015" });
  assert.equal(await count(), 9);
  assert.equal(await addUp(store), 6);
  assert.equal(await count(), 9);
  assert.equal(await addUp(store), 0);
});

test("a database that was written anew from a dump is added up anew", async (context) => {
  const { store, beside, count } = await openHere(context);
  for (let number = 0; number < 4; number++) await store.recordRequest(requestRow(number));
  await addUp(store);
  // In a new server, transaction numbers start again.
  await beside.query("update usage_progress set mark = mark + 1000000");
  await store.recordRequest(requestRow(5));
  assert.equal(await count(), 5);
  assert.equal(await addUp(store), 5);
  assert.equal(await count(), 5);
  await store.recordRequest(requestRow(6));
  assert.equal(await count(), 6);
  assert.equal(await addUp(store), 1);
});

for (const [second, summed, wanted] of [
  ["chat", 20, [["chat", 20]]],
  [
    "embeddings",
    2,
    [
      ["chat", 1],
      ["embeddings", 1],
    ],
  ],
] as const) {
  test(`sums of an older database whose second request was ${second} are right by operation`, async (context) => {
    const server = await sharedPostgres();
    const url = await server.newDatabase();
    const older = new pg.Client({ connectionString: url });
    await older.connect();
    const mark = ["max(xid::text::bigint)", "max(id)"] as const;
    for (const statement of olderUsage({ dialect: "postgres", mark, second, summed }))
      await older.query(statement);
    await older.end();
    const store = await openStoreInProcess({
      database: { kind: "postgres", url },
      secretKey: Buffer.alloc(32, 1),
    });
    context.after(() => store.close());
    await store.migrate();
    for (let round = 0; round < 2; round += 1) {
      const rows = (await store.sumUsage(byOperation)) ?? [];
      assert.deepEqual(rows.map(({ operation, requests }) => [operation, requests]).sort(), wanted);
      await store.rollUpUsage(10);
    }
  });
}
