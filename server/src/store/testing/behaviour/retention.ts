/** What every store must do when requests are removed because of their age. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { nanoUsd } from "@plaza/contract/money.ts";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { createIdFactory } from "../../../lib/id.ts";
import { startFakeStore } from "../../../lib/testing/fake-store.ts";
import type { RequestRow } from "../../requests/shapes.ts";
import type { Archive, ArchiveFormat, RemovalStep } from "../../retention/shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";
import { rollUpAll } from "../usage-samples.ts";
import { fillAll, requireLists } from "./console/lists.ts";
import { newKey } from "./leases.ts";
import { audit, chargedRow, newAccount, priceOneNano } from "./money.ts";

const dayMs = 86_400_000;
const firstDay = Date.parse("2026-08-01T00:00:00Z") / dayMs;
const dayStart = (day: number): number => (firstDay + day) * dayMs;

let atMs = 0;
const newId = createIdFactory({ wallMs: () => atMs, elapsedMs: () => 0 });

/** A request of some moment of a day (0 = the first of August), for which an account pays. */
function rowOf(day: number, number: number, priceId: number): RequestRow {
  atMs = dayStart(day) + number * 1_000;
  const account = number % 2 === 0 ? "acc_1" : "acc_2";
  const changes = { id: newId("req"), createdAt: atMs, keyId: `key_${account}`, modelId: "gpt-5-mini" };
  return chargedRow(number, account, BigInt(10 + number), priceId, changes);
}

const payAll = (store: Store, rows: readonly RequestRow[]) =>
  Promise.all(
    rows.map((row) =>
      store.recordRequest(row, {
        holderId: "h1",
        account: { fromLease: nanoUsd(0n), release: nanoUsd(0n) },
        budget: { id: `${row.keyId}:month:2026-08`, fromLease: nanoUsd(0n), release: nanoUsd(0n) },
      }),
    ),
  );

/** Five days with twelve requests each, all paid. */
async function fiveDays(newFixture: NewFixture, context: TestContext) {
  const { store } = await newFixture(context);
  const priceId = await priceOneNano(store);
  for (const id of ["acc_1", "acc_2"]) await newAccount(store, id, 1_000_000n);
  // Of the first account. What its budget counts is compared with what its requests paid, removed ones too.
  await newKey(store, "key_acc_1", 1_000_000n);
  await store.openHolder("h1");
  const rows: RequestRow[] = [];
  for (let day = 0; day < 5; day++) {
    for (let number = 0; number < 12; number++) rows.push(rowOf(day, number, priceId));
  }
  await payAll(store, rows);
  return { store, rows, priceId };
}

const addUp = async (store: Store) => {
  await rollUpAll(store);
  await fillAll(store, 1_000);
};

async function numbersOf(store: Store) {
  const stretches = [
    { from: (firstDay * dayMs) / 1_800_000, to: ((firstDay + 9) * dayMs) / 1_800_000, offset: 0 },
  ];
  const rows = await store.sumUsage({ stretches, byDay: true, by: "key", rowsMax: 100 });
  return rows?.toSorted(
    (one, other) => (one.day ?? 0) - (other.day ?? 0) || ((one.key ?? "") < (other.key ?? "") ? -1 : 1),
  );
}

/** Steps until nothing is left; resolves with the steps. */
async function removeAll(store: Store, day: number, archive?: Archive, rowsMax = 5): Promise<RemovalStep[]> {
  const steps: RemovalStep[] = [];
  for (;;) {
    const step = await store.removeRequests({
      beforeMs: dayStart(day) + 1,
      archive,
      processId: "one",
      rowsMax,
    });
    steps.push(step);
    if (!step.isMore) return steps;
  }
}

const removedBy = (steps: readonly RemovalStep[]): number =>
  steps.reduce((sum, { removed }) => sum + removed, 0);

async function newFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "archive-"));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

const endings: Readonly<Record<ArchiveFormat, string>> = { csv: "csv.gz", parquet: "parquet" };

/** The ids in an archive's file. */
async function idsIn(folder: string, file: string): Promise<string[]> {
  const path = join(folder, file);
  if (file.endsWith(".parquet")) {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    return rows.map((row) => String(row["id"]));
  }
  const text = gunzipSync(await readFile(path)).toString();
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  assert.match(head, /^id,created_at,account_id,key_id,/);
  return lines.map((line) => line.split(",", 1)[0] ?? "");
}

const isFrom = (day: number) => (row: RequestRow) => row.createdAt >= dayStart(day);

function withoutArchive(newFixture: NewFixture): void {
  test("old requests go; entries, balances, sums of use and the lists of what is left stay", async (context) => {
    const { store, rows } = await fiveDays(newFixture, context);
    await addUp(store);
    const before = await numbersOf(store);
    const entries = await store.listEntries({ accountId: "acc_1", limit: 1_000 });
    const steps = await removeAll(store, 3);
    assert.equal(removedBy(steps), 36);
    assert.ok(steps.every(({ removed }) => removed <= 5));
    const left = rows.filter(isFrom(3));
    assert.deepEqual(
      (await store.listRequests({ limit: 1_000 })).map(({ id }) => id).toSorted(),
      left.map(({ id }) => id).toSorted(),
    );
    await requireLists(store, left, ["acc_1", "acc_2"]);
    const page = await store.pageRequests({ models: ["gpt-5-mini"] }, { limit: 100 });
    assert.equal(page.length, left.length);
    assert.deepEqual(await store.pageRequests({ toMs: dayStart(3) }, { limit: 100 }), []);
    assert.equal(await store.findRequest(rows[0]?.id ?? ""), undefined);
    assert.deepEqual(await numbersOf(store), before);
    assert.deepEqual(await store.listEntries({ accountId: "acc_1", limit: 1_000 }), entries);
    await audit(store);
    assert.equal(removedBy(await removeAll(store, 3)), 0);
  });

  test("a request that is not added up yet stays", async (context) => {
    const { store, rows, priceId } = await fiveDays(newFixture, context);
    assert.deepEqual(await removeAll(store, 9), [{ removed: 0, isMore: false }]);
    await addUp(store);
    const late = rowOf(1, 50, priceId);
    await payAll(store, [late]);
    await removeAll(store, 9);
    const found = (await store.listRequests({ limit: 1_000 })).map(({ id }) => id);
    assert.ok(found.includes(late.id));
    assert.ok(found.length <= 2, "at most the last one that was added up stays beside it");
    await addUp(store);
    assert.equal(
      (await numbersOf(store))?.reduce((sum, { requests }) => sum + requests, 0),
      rows.length + 1,
    );
    await audit(store);
  });

  test("one process removes at a time", async (context) => {
    const { store } = await fiveDays(newFixture, context);
    await addUp(store);
    const removal = { beforeMs: dayStart(2), rowsMax: 3 };
    assert.equal((await store.removeRequests({ ...removal, processId: "one" })).removed, 3);
    assert.equal((await store.removeRequests({ ...removal, processId: "two" })).removed, 0);
    assert.equal((await store.removeRequests({ ...removal, processId: "one" })).removed, 3);
  });

  test("a journal that brings a removed request again charges nothing", async (context) => {
    const { store, rows, priceId } = await fiveDays(newFixture, context);
    await addUp(store);
    await removeAll(store, 2);
    const balances = async () => (await store.listAccounts()).map(({ balance }) => balance);
    const before = await balances();
    await payAll(store, rows.slice(0, 3));
    assert.deepEqual(await balances(), before);
    await audit(store);
    await payAll(store, [rowOf(4, 60, priceId)]);
    await addUp(store);
    assert.equal(removedBy(await removeAll(store, 2)), 3);
    await audit(store);
  });
}

function withArchive(newFixture: NewFixture, format: ArchiveFormat): void {
  const ending = endings[format];

  test(`each day is written whole before it goes, and what comes later into a further file (${format})`, async (context) => {
    const { store, rows, priceId } = await fiveDays(newFixture, context);
    const folder = await newFolder(context);
    // As a process leaves it that was killed.
    await writeFile(join(folder, `requests-2026-08-01.${ending}.part`), "half of it");
    await addUp(store);
    const steps = await removeAll(store, 2, { folder, format });
    assert.equal(removedBy(steps), 24);
    assert.deepEqual((await readdir(folder)).toSorted(), [
      `requests-2026-08-01.${ending}`,
      `requests-2026-08-02.${ending}`,
    ]);
    const late = rowOf(1, 70, priceId);
    await payAll(store, [late, rowOf(4, 70, priceId)]);
    await addUp(store);
    await removeAll(store, 2, { folder, format });
    const archives = await store.listRequestArchives();
    assert.deepEqual(
      archives.map(({ file, day, rows: count }) => [file, day, count]),
      [
        [`requests-2026-08-01.${ending}`, "2026-08-01", 12],
        [`requests-2026-08-02.${ending}`, "2026-08-02", 12],
        [`requests-2026-08-02.2.${ending}`, "2026-08-02", 1],
      ],
    );
    const archived: string[] = [];
    for (const { file, digest, bytes } of archives) {
      const content = await readFile(join(folder, file));
      assert.equal(createHash("sha256").update(content).digest("hex"), digest);
      assert.equal(content.length, bytes);
      archived.push(...(await idsIn(folder, file)));
    }
    const gone = [...rows.filter((row) => !isFrom(2)(row)), late].map(({ id }) => id);
    assert.deepEqual(archived.toSorted(), gone.toSorted());
    await audit(store);
  });

  test(`where the archive cannot be written nothing is removed, and the message names the folder (${format})`, async (context) => {
    const { store, rows } = await fiveDays(newFixture, context);
    await addUp(store);
    const folder = join(await newFolder(context), "absent");
    await assert.rejects(removeAll(store, 3, { folder, format }), (error: Error & { code?: string }) => {
      assert.equal(error.code, "archive_failed");
      assert.match(error.message, /absent/);
      return true;
    });
    assert.equal((await store.listRequests({ limit: 1_000 })).length, rows.length);
    assert.deepEqual(await store.listRequestArchives(), []);
  });
}

function withBucket(newFixture: NewFixture): void {
  test("with a bucket each day is there and read back before it goes; a failure keeps it, and the next try goes on", async (context) => {
    const { store, rows } = await fiveDays(newFixture, context);
    await addUp(store);
    const bucket = await startFakeStore();
    context.after(() => bucket.stop());
    const parent = await newFolder(context);
    const archive: Archive = {
      folder: join(parent, "unsent"),
      format: "csv",
      bucket: { address: "s3://backups/archive", env: bucket.env },
    };
    const fails = async (message: RegExp) => {
      await assert.rejects(removeAll(store, 2, archive), (error: Error & { code?: string }) => {
        assert.equal(error.code, "archive_failed");
        assert.match(error.message, message);
        return true;
      });
      assert.equal((await store.listRequests({ limit: 1_000 })).length, rows.length);
      assert.deepEqual(await store.listRequestArchives(), []);
      assert.deepEqual(await readdir(parent), []);
    };
    bucket.fail(/^POST .*uploadId/, 1, "spoil");
    await fails(/s3:\/\/backups\/archive.*read back is not what was written/);
    // The upload is whole, as a process leaves it that is killed before it notes the file.
    bucket.fail(/^GET/, 100, 503);
    await fails(/so none are removed: .*SlowDown.*tried again every hour/);
    bucket.fail(/never/, 0, "break");
    bucket.calls.length = 0;
    assert.equal(removedBy(await removeAll(store, 2, archive)), 24);
    assert.equal(bucket.calls.filter((call) => call.startsWith("PUT")).length, 1, "the first day is there");
    assert.deepEqual(await readdir(parent), []);
    const archives = await store.listRequestArchives();
    assert.deepEqual(
      archives.map(({ file }) => `archive/${file}`),
      [...bucket.objects.keys()].toSorted(),
    );
    for (const { file, digest, bytes } of archives) {
      const content = bucket.objects.get(`archive/${file}`) ?? Buffer.alloc(0);
      assert.equal(createHash("sha256").update(content).digest("hex"), digest);
      assert.equal(content.length, bytes);
      await writeFile(join(parent, file), content);
    }
    const archived = await Promise.all(archives.map(({ file }) => idsIn(parent, file)));
    const gone = rows.filter((row) => !isFrom(2)(row)).map(({ id }) => id);
    assert.deepEqual(archived.flat().toSorted(), gone.toSorted());
    await audit(store);
  });
}

export function retentionBehaviour(newFixture: NewFixture): void {
  withoutArchive(newFixture);
  withBucket(newFixture);
  withArchive(newFixture, "csv");
  withArchive(newFixture, "parquet");
}
