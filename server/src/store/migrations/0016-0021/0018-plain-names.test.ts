/** Values stored under the old names are available under the new ones. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrations } from "../index.ts";
import { plainNames } from "./0018-plain-names.ts";

const run = (database: DatabaseSync, statements: readonly string[]): void => {
  for (const statement of statements) database.exec(statement);
};

test("an ephemeral key of an older database still ends with its session", (context) => {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  const older = migrations.filter(({ version }) => version < plainNames.version);
  for (const migration of older) run(database, migration.sqlite);
  database.exec("pragma foreign_keys = off");
  database.exec("insert into key_passes values ('d', 'key_1', 'ses_1', 1, 2)");
  run(database, plainNames.sqlite);
  const rows = () =>
    database
      .prepare("select * from ephemeral_keys")
      .all()
      .map((row) => ({ ...row }));
  const kept = { digest: "d", key_id: "key_1", session_id: "ses_1", created_at: 1, expires_at: 2 };
  assert.deepEqual(rows(), [kept]);
  const references = database.prepare("pragma foreign_key_list('ephemeral_keys')").all();
  assert.deepEqual(references.map(({ table, on_delete }) => [table, on_delete]).sort(), [
    ["api_keys", "NO ACTION"],
    ["sessions", "CASCADE"],
  ]);
});

test("upstreams of an older database keep what was chosen, and the column's check", (context) => {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  const older = migrations.filter(({ version }) => version < plainNames.version);
  for (const migration of older) run(database, migration.sqlite);
  const columns = database
    .prepare(
      "select name, dflt_value as fallback, type from pragma_table_info('upstreams') where \"notnull\" = 1",
    )
    .all();
  const values: Readonly<Record<string, string>> = { when_caller_leaves: "'finish'" };
  const needed = columns.filter(({ name, fallback }) => fallback === null || String(name) in values);
  const literalOf = ({ name, type }: (typeof needed)[number]) =>
    values[String(name)] ?? (type === "INTEGER" ? "1" : "'x'");
  database.exec(
    `insert into upstreams (${needed.map(({ name }) => name).join()}) values (${needed.map(literalOf).join()})`,
  );
  run(database, plainNames.sqlite);
  const kept = () =>
    database
      .prepare("select on_disconnect as kept from upstreams")
      .all()
      .map((row) => row["kept"]);
  assert.deepEqual(kept(), ["finish"]);
  database.exec("update upstreams set on_disconnect = 'stop'");
  assert.deepEqual(kept(), ["stop"]);
  assert.throws(() => database.exec("update upstreams set on_disconnect = 'drain'"), /CHECK constraint/);
});
