import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeEdits } from "./merge-edits.ts";

const base = { name: "a", limit: 1 as number | null, models: ["x"] };

test("what each of two people changed alone is kept, and theirs is told", () => {
  const merge = mergeEdits(base, { ...base, name: "mine" }, { ...base, limit: null, models: ["x", "y"] });
  assert.deepEqual(merge.values, { name: "mine", limit: null, models: ["x", "y"] });
  assert.deepEqual(merge.clashes, [
    { field: "limit", theirs: null, mine: undefined },
    { field: "models", theirs: ["x", "y"], mine: undefined },
  ]);
});

test("what both changed keeps what was typed here, and shows what is there", () => {
  const merge = mergeEdits(base, { ...base, name: "mine" }, { ...base, name: "theirs" });
  assert.equal(merge.values.name, "mine");
  assert.deepEqual(merge.clashes, [{ field: "name", theirs: "theirs", mine: "mine" }]);
});

test("the same change by both is no clash of values", () => {
  const merge = mergeEdits(base, { ...base, name: "same" }, { ...base, name: "same" });
  assert.equal(merge.values.name, "same");
  assert.deepEqual(merge.clashes, [{ field: "name", theirs: "same", mine: undefined }]);
});

test("a change of something that is not in the form leaves nothing to tell", () => {
  assert.deepEqual(mergeEdits(base, { ...base, limit: 5 }, base), {
    values: { ...base, limit: 5 },
    clashes: [],
  });
});
