import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrations } from "../index.ts";
import { prices } from "./0003-prices.ts";

test("prices of an older database keep their ids and values, and new rows come after them", (context) => {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  const run = (statements: readonly string[]): void => {
    for (const statement of statements) database.exec(statement);
  };
  for (const migration of migrations.filter(({ version }) => version < prices.version)) run(migration.sqlite);
  const insert = (values: string) => database.exec(`insert into prices values ${values}`);
  insert("(7, 'x', 100, 1, 2, 3, 4), (8, 'x', 200, null, null, null, null), (9, 'y', 100, 0, 0, null, null)");
  run(prices.sqlite);
  const rows = () => database.prepare("select * from prices order by id").all();
  const added = { long_cache_write_nanos: null, reasoning_nanos: null, audio_input_nanos: null };
  const more = { audio_output_nanos: null, image_input_nanos: null, image_output_nanos: null };
  const last = { per_request_nanos: null, tiers: null };
  const row = (id: number, model_id: string, valid_from: number, amounts: readonly (number | null)[]) => {
    const [input_nanos, output_nanos, cached_input_nanos, cache_write_nanos] = amounts;
    const known = { input_nanos, output_nanos, cached_input_nanos, cache_write_nanos };
    return { id, model_id, valid_from, ...known, ...added, ...more, ...last };
  };
  const kept = [
    row(7, "x", 100, [1, 2, 3, 4]),
    row(8, "x", 200, [null, null, null, null]),
    row(9, "y", 100, [0, 0, null, null]),
  ];
  assert.deepEqual(
    rows().map((one) => ({ ...one })),
    kept,
  );
  database.exec("insert into prices (model_id, valid_from) values ('x', 200)");
  assert.equal(rows().at(-1)?.["id"], 10);
  assert.throws(() => database.exec("update prices set input_nanos = 1"), /append-only/);
  assert.throws(() => database.exec("delete from prices"), /append-only/);
  const fails = (columns: string, values: string) =>
    assert.throws(
      () => database.exec(`insert into prices (model_id, valid_from, ${columns}) values ('x', 1, ${values})`),
      /CHECK constraint/,
      columns,
    );
  fails("input_nanos", "1");
  fails("per_request_nanos", "1");
  fails("tiers", "'[]'");
  fails("input_nanos, output_nanos, tiers", "1, 1, '{}'");
  fails("input_nanos, output_nanos, reasoning_nanos", "1, 1, -1");
});
