/** `plaza migrate` on databases of an older Plaza, none at all, and one that is too new. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { unpack } from "../../../../test/upgrades/corpus.ts";
import { newestSchema } from "../../store/migrations/index.ts";
import { commandLine } from "../testing/test-command-line.ts";

const older = 17;

function onOlder(env: Record<string, string> = {}) {
  const line = commandLine(env);
  mkdirSync(line.dataDir, { recursive: true });
  const file = join(line.dataDir, "plaza.sqlite");
  writeFileSync(file, unpack(older, "sqlite"));
  return { ...line, file };
}

test("looking changes nothing, not even where there is no database", async () => {
  const none = commandLine();
  for (const [flag, status] of [
    ["--dry-run", 0],
    ["--status", 1],
  ] as const) {
    const seen = await none.run("migrate", flag);
    assert.equal(seen.status, status);
    assert.match(seen.out, /\n +1 {2}initial/);
  }
  assert.equal(existsSync(none.dataDir), false);

  const { json, run } = onOlder();
  const planned = await json("migrate", "--dry-run");
  assert.equal(planned.status, 0);
  assert.deepEqual([planned.value.from, planned.value.to], [older, newestSchema()]);
  assert.deepEqual(planned.value.missing[0], {
    version: 18,
    name: "plain-names",
    kind: "contract",
    needs: 18,
    waitsForAll: true,
    hasBackfill: false,
  });
  const { status, value } = await json("migrate", "--status");
  assert.deepEqual([status, value.schema, value.isCurrent], [1, older, false]);
  assert.equal(value.refusal.code, "older_schema");
  assert.match((await run("migrate", "--dry-run")).out, /nothing has been changed/);
});

test("while a server runs that would fail calls afterwards, nothing is changed, and all say what to do", async () => {
  const { run, json, file } = onOlder();
  const database = new DatabaseSync(file);
  const untilMs = Date.now() + 60_000;
  database.exec(`insert into holders (id, expires_at, created_at) values ('old', ${untilMs}, 0)`);
  const text = /stop all of them .* then start this version/;
  const planned = await run("migrate", "--dry-run");
  assert.equal(planned.status, 1);
  assert.match(planned.out, /18 +plain-names +contract +waits until no server runs/);
  assert.match(planned.out, /Running on it: 1 of schema 21 or older\.\nFor now `plaza migrate` and starts/);
  assert.match(planned.out, text);
  assert.match((await json("migrate", "--dry-run")).value.blocked, text);
  assert.match((await run("migrate", "--status")).out, text);
  for (const words of [["migrate"], ["account", "list"]]) {
    const refused = await run(...words);
    assert.equal(refused.status, 1, words.join());
    assert.match(refused.err, text);
  }
  const { schema } = database.prepare("select max(version) as schema from schema_migrations").get() ?? {};
  assert.equal(schema, older);
  database.exec("delete from holders");
  database.close();
  assert.equal((await json("migrate", "--dry-run")).value.blocked, null);
  assert.equal((await run("migrate")).status, 0);
});

test("by hand: every command refuses until plaza migrate has run, and says so", async () => {
  const { run, json } = onOlder({ PLAZA_MIGRATE: "manual" });
  const refused = await run("account", "list");
  assert.equal(refused.status, 1);
  assert.match(
    refused.err,
    /has schema 17 and lacks 18 \(plain-names\).*PLAZA_MIGRATE is manual: run `plaza migrate`/,
  );
  const done = await run("migrate");
  assert.deepEqual([done.status, done.err], [0, ""]);
  assert.match(done.out, new RegExp(`Migrated from schema ${older} to ${newestSchema()}\\.\n$`));
  assert.equal((await json("account", "list")).status, 0);
  assert.deepEqual((await json("migrate")).value.ran, []);
  const { status, value } = await json("migrate", "--status");
  assert.deepEqual([status, value.isCurrent, value.oldestServing, value.refusal], [0, true, 24, null]);
  assert.match((await run("migrate", "--status")).out, /Servers of schema 24 and later may serve/);
});

test("a database that a newer Plaza took something away from is left alone", async () => {
  const { run, json, file } = onOlder();
  await run("migrate");
  const next = newestSchema() + 1;
  const database = new DatabaseSync(file);
  database.exec(`insert into schema_migrations (version, name, applied_at, kind, needs)
    values (${next}, 'future', 0, 'contract', ${next})`);
  database.close();
  for (const flags of [[], ["--dry-run"], ["--status"]]) {
    const { status } = await run("migrate", ...flags);
    assert.equal(status, 1, flags.join());
  }
  const { value } = await json("migrate");
  assert.equal(value.error.code, "newer_schema");
  assert.match((await run("migrate", "--dry-run")).out, /^Cannot migrate: a newer Plaza wrote/);
});

test("a half-done back-fill shows with its rows, and who is at it", async () => {
  const { run, file } = onOlder();
  await run("migrate");
  const database = new DatabaseSync(file);
  database.exec(`insert into migration_progress values (${newestSchema() + 1}, 'partitions', null, 'x', 'req_7',
    12000, 0, 60000, '9.9.9')`);
  database.close();
  const { status, out } = await run("migrate", "--status");
  // A newer version's expansion keeps nobody out.
  assert.equal(status, 0);
  assert.match(
    out,
    /\(partitions\) is half done: 12000 rows by 1970-01-01 00:01:00 UTC\. No process is at it: `plaza migrate` goes on there/,
  );
});

test("--dry-run and --status at once are not understood", async () => {
  assert.equal((await commandLine().run("migrate", "--dry-run", "--status")).status, 2);
});
