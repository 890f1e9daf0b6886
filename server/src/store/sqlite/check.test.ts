import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createFileWatch } from "./check.ts";

/** A database in use: another connection has read all of it and answers from its cache. */
function database(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "check-"));
  const file = join(directory, "plaza.db");
  const connection = new DatabaseSync(file);
  connection.exec("pragma journal_mode = wal; create table accounts (id text primary key, name text) strict");
  const insert = connection.prepare("insert into accounts values (?, ?)");
  for (let number = 0; number < 500; number += 1) insert.run(`acc_${number}`, "x".repeat(100));
  connection.exec("pragma wal_checkpoint(truncate)");
  connection.prepare("select * from accounts").all();
  context.after(() => {
    connection.close();
    rmSync(directory, { recursive: true });
  });
  let nowMs = 0;
  const watch = createFileWatch(file, () => nowMs);
  return { file, connection, watch, wait: (ms: number) => (nowMs += ms) };
}

test("pages damaged on the disk are found although the serving connection still answers", (context) => {
  const { file, connection, watch, wait } = database(context);
  watch.check();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4096 * 2, 4096 * 4);
  writeFileSync(file, bytes);
  assert.equal(connection.prepare("select count(*) as count from accounts").get()?.["count"], 500);
  wait(2_999);
  watch.check();
  wait(1);
  assert.throws(() => watch.check(), { code: "damaged" });
});

test("a file that is removed or replaced is noticed at once", (context) => {
  const { file, watch } = database(context);
  watch.check();
  const bytes = readFileSync(file);
  renameSync(file, `${file}.away`);
  assert.throws(() => watch.check(), { code: "damaged", message: /was removed/ });
  writeFileSync(file, bytes);
  assert.throws(() => watch.check(), { code: "damaged", message: /was replaced/ });
  rmSync(file);
  renameSync(`${file}.away`, file);
  watch.check();
});

test("of a file too large to be looked through often the small tables are, one after the other", (context) => {
  const { file, connection, watch, wait } = database(context);
  for (const table of ["api_keys", "upstreams", "models", "credentials", "prices", "leases"])
    connection.exec(`create table ${table} (id text primary key) strict`);
  connection.exec("create table requests (body blob) strict");
  connection.exec(`insert into requests values (zeroblob(${17 * 1024 ** 2}))`);
  const insert = connection.prepare("insert into leases values (?)");
  for (let number = 0; number < 500; number += 1) insert.run(`lease_${number}_${"x".repeat(20)}`);
  connection.exec("pragma wal_checkpoint(truncate)");
  const turns = (): void => {
    for (let turn = 0; turn < 7; turn += 1) {
      wait(3_000);
      watch.check();
    }
  };
  turns();
  const { rootpage } = connection
    .prepare("select rootpage from sqlite_master where name = 'leases' and type = 'table'")
    .get() as { rootpage: number };
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4096 * (rootpage - 1), 4096 * rootpage);
  writeFileSync(file, bytes);
  assert.throws(turns, { code: "damaged" });
});

test("a file nobody wrote to is looked through once a minute only, and at once after a write", (context) => {
  const { file, watch, wait } = database(context);
  const asked = context.mock.method(DatabaseSync.prototype, "prepare");
  const checks = (): number => {
    asked.mock.resetCalls();
    watch.check();
    return asked.mock.calls.filter(({ arguments: [text] }) => text.includes("quick_check")).length;
  };
  assert.equal(checks(), 1);
  for (let seconds = 2; seconds < 60; seconds += 2) {
    wait(2_000);
    assert.equal(checks(), 0, `after ${seconds} s`);
  }
  wait(2_000);
  assert.equal(checks(), 1);
  writeFileSync(file, readFileSync(file));
  wait(10_000);
  assert.equal(checks(), 1);
});
