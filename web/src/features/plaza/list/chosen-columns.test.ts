/** Columns read from what a browser stored, also by another version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { columnNames, defaultColumns, readColumns } from "./chosen-columns.ts";

test("stored columns come back in the table's order, without unknown ones", () => {
  assert.deepEqual(readColumns('["success","id","of-a-later-version"]'), ["id", "success"]);
  assert.deepEqual(readColumns("[]"), []);
});

test("what cannot be read is the default", () => {
  for (const text of [null, "", "{", '"id"', "{}"]) assert.equal(readColumns(text), defaultColumns);
  assert.ok(defaultColumns.every((name) => columnNames.includes(name)));
});
