/** What every store must do when the audit log is archived and removed. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import type { Archive, RemovalStep } from "../../retention/shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";

const dayMs = 86_400_000;
const firstMs = Date.parse("2026-08-01T00:00:00Z");

const begin = (store: Store, at: number, action: string) =>
  store.beginAudit({
    ...{ at, action, actorKind: "user", actorId: "usr_1", actorName: 'Ann "=1+1" Lee', accountId: null },
    ...{ subject: null, detail: '{"limit":"9007199254740993"}', ip: "192.0.2.1", requestId: null },
    outcome: "begun",
  });

/** Five days with seven entries each. */
async function fiveDays(newFixture: NewFixture, context: TestContext) {
  const { store } = await newFixture(context);
  for (let day = 0; day < 5; day++) {
    for (let number = 0; number < 7; number++) {
      const id = await begin(store, firstMs + day * dayMs + number, `act ${day}`);
      await store.endAudit(id, { outcome: "done" });
    }
  }
  const folder = await mkdtemp(join(tmpdir(), "audit-"));
  context.after(() => rm(folder, { recursive: true }));
  return { store, folder };
}

async function removeAll(store: Store, day: number, archive: Archive, rowsMax = 3): Promise<RemovalStep[]> {
  const steps: RemovalStep[] = [];
  for (;;) {
    const beforeMs = firstMs + day * dayMs + 1;
    const step = await store.removeAudit({ beforeMs, archive, processId: "one", rowsMax });
    steps.push(step);
    if (!step.isMore) return steps;
  }
}

const left = async (store: Store) => (await store.listAudit({ limit: 1_000 })).map(({ action }) => action);

export function retentionAuditBehaviour(newFixture: NewFixture): void {
  test("days of the audit log are written whole before they go, and later ones stay", async (context) => {
    const { store, folder } = await fiveDays(newFixture, context);
    const steps = await removeAll(store, 2, { folder, format: "csv" });
    assert.ok(steps.every(({ removed }) => removed <= 3));
    assert.deepEqual(await readdir(folder), ["audit-2026-08-01.csv.gz", "audit-2026-08-02.csv.gz"]);
    const all = await left(store);
    assert.equal(all.length, 21);
    assert.ok(!all.includes("act 1"));
    const text = gunzipSync(await readFile(join(folder, "audit-2026-08-02.csv.gz"))).toString();
    const [head, ...lines] = text.trimEnd().split("\r\n");
    assert.equal(
      head,
      "id,at,actor_kind,actor_id,actor_name,account_id,action,subject,detail,ip,request_id,outcome",
    );
    assert.equal(lines.length, 7);
    const rest = `user,usr_1,"Ann ""=1+1"" Lee",,act 1,,"{""limit"":""9007199254740993""}",192.0.2.1,,done`;
    assert.equal(lines[6], `${lines[6]?.split(",", 1)[0]},${firstMs + dayMs + 6},${rest}`);
    assert.deepEqual(
      (await store.listAuditArchives()).map(({ file, day, rows }) => [file, day, rows]),
      [
        ["audit-2026-08-01.csv.gz", "2026-08-01", 7],
        ["audit-2026-08-02.csv.gz", "2026-08-02", 7],
      ],
    );
    assert.deepEqual(await removeAll(store, 2, { folder, format: "csv" }), [
      { removed: 0, archived: undefined, isMore: false },
    ]);
  });

  test("the audit log is archived as Parquet, in further files for entries that come late", async (context) => {
    const { store, folder } = await fiveDays(newFixture, context);
    const archive = { folder, format: "parquet" } as const;
    await removeAll(store, 1, archive);
    await begin(store, firstMs + 5, "late");
    await removeAll(store, 1, archive);
    assert.deepEqual((await readdir(folder)).toSorted(), [
      "audit-2026-08-01.2.parquet",
      "audit-2026-08-01.parquet",
    ]);
    const file = await asyncBufferFromFile(join(folder, "audit-2026-08-01.2.parquet"));
    const [row, ...more] = await parquetReadObjects({ file });
    assert.deepEqual(more, []);
    assert.deepEqual([row?.["at"], row?.["action"]], [new Date(firstMs + 5), "late"]);
    assert.equal((await left(store)).length, 28);
  });

  test("a process that stops after the file was written goes on with it, and no other one", async (context) => {
    const { store, folder } = await fiveDays(newFixture, context);
    const removal = {
      beforeMs: firstMs + 2 * dayMs,
      archive: { folder, format: "csv" as const },
      rowsMax: 3,
    };
    const first = await store.removeAudit({ ...removal, processId: "one" });
    assert.equal(first.archived?.rows, 7);
    assert.equal((await store.removeAudit({ ...removal, processId: "one" })).removed, 3);
    assert.deepEqual(await store.removeAudit({ ...removal, processId: "two" }), {
      removed: 0,
      isMore: false,
    });
    assert.equal((await left(store)).length, 32);
    await removeAll(store, 2, removal.archive);
    assert.equal((await store.listAuditArchives()).length, 2);
    assert.equal((await left(store)).length, 21);
  });

  test("where the archive cannot be written, every entry stays", async (context) => {
    const { store, folder } = await fiveDays(newFixture, context);
    const absent = { folder: join(folder, "absent"), format: "csv" } as const;
    await assert.rejects(removeAll(store, 3, absent), { code: "archive_failed" });
    assert.equal((await left(store)).length, 35);
    assert.deepEqual(await store.listAuditArchives(), []);
  });

  test("a file of the same name with something else in it keeps its content under another name", async (context) => {
    const { store, folder } = await fiveDays(newFixture, context);
    await writeFile(join(folder, "audit-2026-08-01.csv.gz"), "from before a restore");
    await removeAll(store, 1, { folder, format: "csv" });
    const names = (await readdir(folder)).toSorted();
    assert.equal(names.length, 2);
    assert.match(names[1] ?? "", /^audit-2026-08-01\.csv\.gz\.replaced-[0-9a-f]{12}$/);
    assert.equal(await readFile(join(folder, names[1] ?? ""), "utf8"), "from before a restore");
  });
}
