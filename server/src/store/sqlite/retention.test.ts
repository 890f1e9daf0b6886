/** Requests are removed from a SQLite file: beside older servers, and before its rows are numbered anew. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createIdFactory } from "../../lib/id.ts";
import { openStoreInProcess } from "../open.ts";
import { fillAll } from "../testing/behaviour/console/lists.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { record, rollUpAll } from "../testing/usage-samples.ts";

const dayMs = 86_400_000;
const firstMs = Date.parse("2026-08-01T00:00:00Z");
let atMs = 0;
const newId = createIdFactory({ wallMs: () => atMs, elapsedMs: () => 0 });

function rowAt(ms: number) {
  atMs = ms;
  return requestRow(0, { id: newId("req"), createdAt: ms });
}

/** A file with three requests on each of four days, added up and listed. */
async function fourDays(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "retention-"));
  const file = join(folder, "plaza.db");
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file },
    secretKey: Buffer.alloc(32, 1),
  });
  const beside = new DatabaseSync(file);
  context.after(async () => {
    beside.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
  await store.migrate();
  for (let day = 0; day < 4; day++) {
    await record(
      store,
      [1, 2, 3].map((hour) => rowAt(firstMs + day * dayMs + hour * 3_600_000)),
    );
  }
  const addUp = async () => {
    await rollUpAll(store);
    await fillAll(store, 100);
  };
  await addUp();
  const count = async () => {
    const from = firstMs / 1_800_000;
    const stretches = [{ from, to: from + 48 * 9, offset: 0 }];
    const rows = await store.sumUsage({ stretches, byDay: false, by: "none", rowsMax: 10 });
    return rows?.[0]?.requests ?? 0;
  };
  const removal = { beforeMs: firstMs + 2 * dayMs, processId: "one", rowsMax: 100 };
  return { store, beside, folder, count, addUp, removal };
}

test("nothing is removed while a server is alive that would take it for lost", async (context) => {
  const { store, beside, removal } = await fourDays(context);
  await store.openHolder("old");
  beside.exec("update holders set schema_version = 26");
  assert.equal((await store.removeRequests(removal)).removed, 0);
  beside.exec("update holders set schema_version = null");
  assert.equal((await store.removeRequests(removal)).removed, 0);
  beside.exec("update holders set expires_at = 1");
  assert.equal((await store.removeRequests(removal)).removed, 6);
});

test("rows that are numbered anew leave the sums of removed days alone", async (context) => {
  const { store, beside, count, addUp, removal } = await fourDays(context);
  assert.equal((await store.removeRequests(removal)).removed, 6);
  assert.equal(await count(), 12);
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 30");
  await addUp();
  assert.equal(await count(), 12);
  await record(store, [rowAt(firstMs + 5 * dayMs)]);
  assert.equal(await count(), 13);
  await addUp();
  assert.equal(await count(), 13);
});

test("a day that was being removed when rows were numbered anew is archived to its end, in a second file", async (context) => {
  const { store, beside, folder, addUp, removal } = await fourDays(context);
  const archiving = { ...removal, archive: { folder, format: "csv" as const }, rowsMax: 2 };
  assert.equal((await store.removeRequests(archiving)).archived?.rows, 3);
  assert.equal((await store.removeRequests(archiving)).removed, 2);
  beside.exec("update requests set rowid = rowid + 40");
  await addUp();
  for (let isMore = true; isMore; ) isMore = (await store.removeRequests(archiving)).isMore;
  assert.deepEqual(
    (await store.listRequestArchives()).map(({ file, rows }) => [file, rows]),
    [
      ["requests-2026-08-01.csv.gz", 3],
      ["requests-2026-08-01.2.csv.gz", 1],
      ["requests-2026-08-02.csv.gz", 3],
    ],
  );
  assert.equal((await readdir(folder)).filter((name) => name.endsWith(".csv.gz")).length, 3);
  assert.equal((await store.listRequests({ limit: 100 })).length, 6);
});
