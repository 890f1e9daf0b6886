/** Sums of usage when the rows of a SQLite file have moved. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { openStoreInProcess } from "../open.ts";
import { fillAll, requireLists } from "../testing/behaviour/console/lists.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { daysBehaviour } from "../testing/days-behaviour.ts";
import { byOperation, olderUsage } from "../testing/older-usage.ts";
import { record } from "../testing/usage-samples.ts";

async function openHere(context: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "usage-"));
  const file = join(directory, "plaza.db");
  const open = () =>
    openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: Buffer.alloc(32, 1) });
  const store = await open();
  await store.migrate();
  const beside = new DatabaseSync(file);
  context.after(async () => {
    beside.close();
    await store.close();
    await rm(directory, { recursive: true });
  });
  const count = async (): Promise<number> => {
    const from = Math.floor(requestRow(0).createdAt / 1_800_000);
    const stretches = [{ from, to: from + 48, offset: 0 }];
    const rows = await store.sumUsage({ stretches, byDay: false, by: "none", rowsMax: 10 });
    return rows?.[0]?.requests ?? 0;
  };
  const addUp = async () => {
    for (let rows = 1, idle = 0; idle < 2; idle = rows === 0 ? idle + 1 : 0)
      rows = await store.rollUpUsage(2);
  };
  return { store, beside, open, count, addUp };
}

daysBehaviour(async (context) => {
  const { store, beside } = await openHere(context);
  return { store, ask: async (sql) => beside.prepare(sql).all() };
});

test("rows that were numbered anew are added up anew", async (context) => {
  const { store, beside, count, addUp } = await openHere(context);
  for (let number = 0; number < 5; number++) await store.recordRequest(requestRow(number));
  await addUp();
  // As after restoring a dump in another order.
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 6");
  assert.equal(await count(), 5);
  assert.equal(await store.claimUsageRollup("one"), true);
  assert.equal(await store.rollUpFew(), false, "all are added up anew, however few are new");
  await addUp();
  assert.equal(await count(), 5);
  await store.recordRequest(requestRow(7));
  assert.equal(await count(), 6);
});

test("rows that were numbered anew are noticed also when none has the number of the last that was added up", async (context) => {
  const { store, beside, count, addUp } = await openHere(context);
  for (let number = 0; number < 5; number++) await store.recordRequest(requestRow(number));
  await addUp();
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 20");
  assert.equal(await count(), 5);
  await addUp();
  assert.equal(await count(), 5);
});

test("lists of accounts are right while and after rows that were numbered anew are copied anew", async (context) => {
  const { store, beside, addUp } = await openHere(context);
  const rows = Array.from({ length: 9 }, (_, number) => requestRow(number));
  await record(store, rows);
  await fillAll(store, 4);
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 10");
  rows.push(requestRow(9));
  await store.recordRequest(requestRow(9));
  for (let more = true; more; ) {
    await requireLists(store, rows, ["acc_0", "acc_1", "acc_2"]);
    more = await store.fillAccountLists(4, 0);
  }
  await addUp();
  await requireLists(store, rows, ["acc_0", "acc_1", "acc_2"]);
});

test("nothing is copied while a process has just copied everything", async (context) => {
  const { store, open } = await openHere(context);
  await record(store, [requestRow(1)]);
  await fillAll(store, 10);
  await record(store, [requestRow(2), requestRow(3), requestRow(4)]);
  const other = await open();
  context.after(() => other.close());
  assert.equal(await other.fillAccountLists(1, 3_600_000), false);
  assert.equal(await other.fillListsWithFew(3_600_000), false);
  assert.equal(await store.fillAccountLists(1, 0), true, "nothing was copied before");
  await fillAll(store, 10);
});

test("a hundred requests are copied at once, more and those that have moved are left to pieces", async (context) => {
  const { store, beside } = await openHere(context);
  const rows = Array.from({ length: 202 }, (_, number) => requestRow(number));
  const copied = () => beside.prepare("select count(*) as count from requests_of_account").get()?.["count"];
  await record(store, rows.slice(0, 1));
  assert.equal(await store.fillListsWithFew(0), false);
  assert.equal(copied(), 1);
  await record(store, rows.slice(1, 101));
  assert.equal(await store.fillListsWithFew(3_600_000), false);
  assert.equal(copied(), 1, "not yet");
  assert.equal(await store.fillListsWithFew(0), false);
  assert.equal(copied(), 101);
  await record(store, rows.slice(101));
  assert.equal(await store.fillListsWithFew(0), true);
  assert.equal(copied(), 101);
  await fillAll(store, 1_000);
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 300");
  assert.equal(await store.fillListsWithFew(0), true);
  await fillAll(store, 1_000);
  await requireLists(store, rows, ["acc_0", "acc_1", "acc_2"]);
});

test("a process that had added up goes on rightly after another one has begun anew", async (context) => {
  const { store, beside, open, addUp } = await openHere(context);
  const row = (number: number, model: number) => ({ ...requestRow(number), modelId: `model/${model}` });
  for (let number = 0; number < 8; number++) await store.recordRequest(row(number, number % 4));
  await addUp();
  // Series that are written in another order get other ids.
  beside.exec("update requests set rowid = -rowid");
  beside.exec("update requests set rowid = rowid + 9");
  const other = await open();
  context.after(() => other.close());
  for (let idle = 0; idle < 2; ) idle = (await other.rollUpUsage(2)) === 0 ? idle + 1 : 0;
  for (let number = 8; number < 16; number++) await store.recordRequest(row(number, 0));
  await addUp();
  const from = Math.floor(requestRow(0).createdAt / 1_800_000);
  const stretches = [{ from, to: from + 48, offset: 0 }];
  const rows = (await store.sumUsage({ stretches, byDay: false, by: "model", rowsMax: 10 })) ?? [];
  assert.deepEqual(rows.map(({ model, requests }) => `${model} ${requests}`).sort(), [
    "model/0 10",
    "model/1 2",
    "model/2 2",
    "model/3 2",
  ]);
});

test("rows that were taken out for good stay counted, and later ones are", async (context) => {
  const { store, beside, count, addUp } = await openHere(context);
  for (let number = 0; number < 5; number++) await store.recordRequest(requestRow(number));
  await addUp();
  await store.recordRequest(requestRow(6));
  beside.exec("delete from requests where rowid between 2 and 5");
  assert.equal(await count(), 6);
  await addUp();
  assert.equal(await count(), 6);
});

test("a row that cannot be added up is passed over, and the others are added up", async (context) => {
  const { store, beside, count } = await openHere(context);
  for (let number = 0; number < 4; number++) await store.recordRequest(requestRow(number));
  // A time beyond a number's precision.
  beside.exec("update requests set created_at = 9007199254740993 where rowid = 2");
  await assert.rejects(store.rollUpUsage(10));
  assert.equal(await store.rollUpUsage(1), 1);
  await assert.rejects(store.rollUpUsage(1));
  assert.equal(await store.passUsageRow(), requestRow(1).id);
  assert.equal(await store.rollUpUsage(10), 2);
  assert.equal(await count(), 3);
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
  test(`sums of an older file whose second request was ${second} are right by operation`, async (context) => {
    const directory = await mkdtemp(join(tmpdir(), "usage-"));
    const file = join(directory, "plaza.db");
    const older = new DatabaseSync(file);
    const mark = ["max(rowid)", "max(id)"] as const;
    for (const statement of olderUsage({ dialect: "sqlite", mark, second, summed })) older.exec(statement);
    older.close();
    const store = await openStoreInProcess({
      database: { kind: "sqlite", file },
      secretKey: Buffer.alloc(32, 1),
    });
    context.after(async () => {
      await store.close();
      await rm(directory, { recursive: true });
    });
    await store.migrate();
    for (let round = 0; round < 2; round += 1) {
      const rows = (await store.sumUsage(byOperation)) ?? [];
      assert.deepEqual(rows.map(({ operation, requests }) => [operation, requests]).sort(), wanted);
      await store.rollUpUsage(10);
    }
  });
}
