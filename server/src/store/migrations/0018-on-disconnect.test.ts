/** What an upstream was set to do for a client that disconnects is kept under the column's new name. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { onDisconnect } from "./0018-on-disconnect.ts";
import { migrations } from "./index.ts";

test("upstreams of an older database keep what was chosen, and the column's check", (context) => {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  const run = (statements: readonly string[]): void => {
    for (const statement of statements) database.exec(statement);
  };
  const older = migrations.filter(({ version }) => version < onDisconnect.version);
  for (const migration of older) run(migration.sqlite);
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
  run(onDisconnect.sqlite);
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
