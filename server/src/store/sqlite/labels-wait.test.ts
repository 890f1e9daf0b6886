/** While migration 32 waits, keys are made and changed as before, and none has labels. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Kysely } from "kysely";
import { systemClock } from "../../lib/time/clock.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import { migrations } from "../migrations/index.ts";
import { migrate } from "../migrations/migrate.ts";
import { sqliteMigrations } from "../migrations/on-sqlite.ts";
import { openStoreInProcess } from "../open.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { plainKey } from "../testing/behaviour/console/keys.ts";
import { newAccount } from "../testing/behaviour/money.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { rollUpAll } from "../testing/usage-samples.ts";
import type { ExploreQuestion } from "../usage/explore-shapes.ts";
import { openSqliteConnection } from "./connection.ts";
import { createSqliteDialect } from "./dialect.ts";

async function openAtSchema(context: TestContext, version: number): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const db = new Kysely<Database>({ dialect: createSqliteDialect(await openSqliteConnection(file, 5_000)) });
  await migrate(db, { ...sqliteMigrations(file, systemClock), migrations: migrations.slice(0, version) });
  await db.destroy();
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  context.after(() => store.close());
  return store;
}

test("before the migration keys go on without labels, and usage is of the group without", async (context) => {
  const store = await openAtSchema(context, 31);
  await newAccount(store, "acc_1", 0n);
  const scope = { accountId: "acc_1" };
  await store.createKey(plainKey("key_1", "acc_1", { project: null, tags: [] }));
  const same = { name: "n", project: null, tags: [] };
  assert.equal((await store.changeKey("key_1", scope, 0, same)).kind, "done");
  for (const labels of [{ project: "search" }, { tags: ["a"] }]) {
    const refused = { code: "invalid", message: /migration 32/ };
    await assert.rejects(store.changeKey("key_1", scope, 1, labels), refused);
    await assert.rejects(store.createKey(plainKey("key_2", "acc_1", labels)), refused);
  }
  assert.deepEqual((await store.findConsoleKey("key_1", scope))?.tags, []);
  assert.deepEqual(await store.listKeyLabels(scope), { projects: [], tags: [] });
  await store.recordRequest(requestRow(1, { accountId: "acc_1", keyId: "key_1", createdAt: 10 * slotMs }));
  const stretches = [{ from: 0, to: 48, offset: 0 }];
  for (const isSummed of [false, true]) {
    if (isSummed) await rollUpAll(store);
    for (const [labels, count] of [
      [[""], 1],
      [["a"], 0],
    ] as const) {
      for (const filter of [{ projects: labels }, { tags: labels }]) {
        assert.equal((await store.pageKeys({ scope, ...filter, limit: 9 })).length, count);
        assert.equal((await store.pageRequests(filter, { limit: 9 })).length, count);
        for (const by of ["project", "tag"] as const) {
          const question: ExploreQuestion = {
            ...{ ...filter, stretches, previous: [], grain: "day", by, rank: "requests", top: 5 },
            ...{ rowsMax: 100, requestsMax: 100 },
          };
          const found = await store.exploreUsage(question);
          assert.ok(typeof found !== "string");
          const groups = found.groups.map(({ id, sums }) => [id, sums.requests]);
          assert.deepEqual(groups, count === 1 ? [["", 1]] : []);
          assert.equal(found.all.total.requests, count);
          const latencies = await store.listLatencies(question);
          assert.equal(latencies?.groups.length, count);
        }
      }
    }
  }
});
