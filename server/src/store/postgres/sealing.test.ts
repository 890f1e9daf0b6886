/**
 * Which sealing key a new database gets when several processes ask at the same time. A lock of the test stops
 * them between reading and writing, so the order is deterministic.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { full } from "../testing/catalog-samples.ts";

/** Stores on one new database, each with its own key, and two tools for the test. */
async function newStores(context: TestContext, count: number) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const stores = await Promise.all(
    Array.from({ length: count }, () =>
      openStoreInProcess({ database: { kind: "postgres", url }, secretKey: randomBytes(32) }),
    ),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(async () => {
    await client.end();
    for (const store of stores) await store.close();
    await server.freeDatabase(url);
  });
  await stores[0]?.migrate();
  return { stores, client, server, name: new URL(url).pathname.slice(1) };
}

const asks: Readonly<Record<string, readonly ((store: Store) => Promise<unknown>)[]>> = {
  start: Array.from({ length: 4 }, () => (store: Store) => store.claimSealingKey()),
  "apply a catalog": Array.from({ length: 4 }, () => (store: Store) => store.applyCatalog(full)),
  "start, or apply a catalog,": [(store) => store.claimSealingKey(), (store) => store.applyCatalog(full)],
};

for (const [what, work] of Object.entries(asks)) {
  test(`of processes that ${what} with keys of their own at the same moment, one has the installation's`, async (context) => {
    const { stores, client, server, name } = await newStores(context, work.length);
    await client.query("begin; lock table installation_settings in share mode");
    const asking = Promise.allSettled(stores.map((store, index) => work[index]?.(store)));
    const waiting = `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`;
    while ((await server.query(waiting)).length < work.length);
    await client.query("rollback");
    const ends = await asking;
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code as unknown] : []));
    assert.deepEqual(
      refused,
      Array.from({ length: work.length - 1 }, () => "another_secret_key"),
    );
    const after = await Promise.allSettled(stores.map((store) => store.claimSealingKey()));
    assert.deepEqual(
      after.map(({ status }) => status),
      ends.map(({ status }) => status),
      "whoever was told that its key is the installation's has the installation's key",
    );
  });
}
