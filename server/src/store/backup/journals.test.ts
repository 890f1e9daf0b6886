/** Journals in a backup: what is in the copy, and that each settlement is charged once after a restore. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openJournalFile } from "../journal/file.ts";
import { openStoreInProcess } from "../open.ts";
import { pushRequestValues, type RequestValue } from "../requests/row.ts";
import type { RequestRow } from "../requests/shapes.ts";
import type { Store } from "../store.ts";
import { chargedRow, newAccount, priceOneNano } from "../testing/behaviour/money.ts";
import { copyJournals, placeJournals } from "./journals.ts";

const silent = { info() {}, warn() {}, error() {} };

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plaza-journals-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function writeJournal(folder: string, name: string, rows: readonly RequestRow[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = await openJournalFile(join(folder, name));
  const values: RequestValue[] = [];
  for (const row of rows) pushRequestValues(row, undefined, values);
  await file.append(values);
  await file.close();
}

async function openStore(context: TestContext, folder: string): Promise<Store> {
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(folder, "plaza.sqlite") },
    secretKey: Buffer.alloc(32, 7),
    journal: { directory: join(folder, "journal"), log: silent as never },
  });
  context.after(() => store.close());
  await store.migrate();
  return store;
}

test("a copy has whole lines of all journals, and not what was being written", async (context) => {
  const folder = temporary(context);
  const journal = join(folder, "journal");
  const rows = [1, 2, 3].map((number) => chargedRow(number, "acc_1", 5n, 1));
  await writeJournal(journal, "journal-1-2-0-4026.jsonl", rows.slice(0, 2));
  await writeJournal(journal, "journal-9-2-0.jsonl", rows.slice(2));
  appendFileSync(join(journal, "journal-9-2-0.jsonl"), '["half a li');
  appendFileSync(join(journal, "journal-10-2-0.jsonl"), "");
  appendFileSync(join(journal, "rejected-9-2.jsonl"), '{"line":"x","reason":"y"}\n');
  appendFileSync(join(journal, "77.probe"), "x");
  const copy = await copyJournals(journal, join(folder, "copy"), 2);
  assert.deepEqual(copy, {
    names: ["journal-1-2-0-4026.jsonl", "journal-9-2-0.jsonl", "rejected-9-2.jsonl"],
    settlements: 3,
    ids: rows.slice(0, 2).map(({ id }) => id),
  });
  assert.ok(!readFileSync(join(folder, "copy", "journal-9-2-0.jsonl"), "utf8").includes("half"));
  assert.ok(readFileSync(join(journal, "journal-9-2-0.jsonl"), "utf8").includes("half"));
});

test("a file that vanishes while it is copied is looked for again, and not for ever", async (context) => {
  const folder = temporary(context);
  const journal = join(folder, "journal");
  mkdirSync(journal);
  symlinkSync(join(folder, "none"), join(journal, "journal-1-2-0.jsonl"));
  await assert.rejects(copyJournals(journal, join(folder, "copy"), 2), /keep changing; try again/);
});

test("without a folder there is nothing to copy", async (context) => {
  const folder = temporary(context);
  const copy = await copyJournals(join(folder, "none"), join(folder, "copy"), 2);
  assert.deepEqual(copy, { names: [], settlements: 0, ids: [] });
});

test("the next start charges restored settlements once, also those that the database has", async (context) => {
  const folder = temporary(context);
  const store = await openStore(context, folder);
  await newAccount(store, "acc_1", 1_000n);
  const priceId = await priceOneNano(store);
  const rows = [1, 2, 3].map((number) => chargedRow(number, "acc_1", 10n, priceId));
  await store.recordRequest(rows[0] as RequestRow);
  await writeJournal(join(folder, "copy"), "journal-5-6-0-1.jsonl", rows.slice(0, 2));
  await writeJournal(join(folder, "old"), "journal-5-6-0-1.jsonl", rows.slice(1));
  await placeJournals(
    [join(folder, "copy"), join(folder, "old"), join(folder, "none")],
    join(folder, "journal"),
  );
  const placed = readdirSync(join(folder, "journal"));
  assert.deepEqual(placed, ["journal-999999999-0-0.jsonl", "journal-999999999-0-1.jsonl"]);
  assert.equal(statSync(join(folder, "journal", placed[0] as string)).mode & 0o777, 0o600);
  await store.openHolder("h1");
  await store.closeHolder("h1");
  assert.equal((await store.findAccount("acc_1"))?.balance, 970n);
  assert.equal((await store.verifyLedger()).isOk, true);
  assert.equal(store.journalReadings().bytes, 0);
});
