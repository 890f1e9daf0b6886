import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeEdits, takingTheirs } from "./merge-edits.ts";

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

test("parts of one field count alone, however deep", () => {
  const price = { rates: { input: "1", output: "4" }, tiers: [] as unknown[] };
  const merge = mergeEdits(
    { price },
    { price: { ...price, rates: { input: "1", output: "5" } } },
    { price: { rates: { input: "2", output: "4" }, tiers: [{ above: 1 }] } },
  );
  assert.deepEqual(merge.values, { price: { rates: { input: "2", output: "5" }, tiers: [{ above: 1 }] } });
  assert.deepEqual(merge.clashes, [
    { field: "price.rates.input", theirs: "2", mine: undefined },
    { field: "price.tiers", theirs: [{ above: 1 }], mine: undefined },
  ]);
});

test("a field that one of them took away is one value", () => {
  const base: { price: { input: string } | null } = { price: { input: "1" } };
  const merge = mergeEdits(base, { price: { input: "2" } }, { price: null });
  assert.deepEqual(merge.values, { price: { input: "2" } });
  assert.deepEqual(merge.clashes, [{ field: "price", theirs: null, mine: { input: "2" } }]);
});

test("theirs are taken only where both changed a field", () => {
  const began = { ...base, price: { input: "1", output: "4" } };
  const merge = mergeEdits(
    began,
    { ...began, name: "mine", limit: 7, price: { input: "2", output: "5" } },
    { ...began, name: "theirs", models: ["y"], price: { input: "3", output: "4" } },
  );
  assert.deepEqual(takingTheirs(merge.values, merge.clashes), {
    name: "theirs",
    limit: 7,
    models: ["y"],
    price: { input: "3", output: "5" },
  });
});

test("a field that only one of them has is kept where it was added, and gone where it was taken away", () => {
  interface Rates {
    readonly input: string;
    readonly cached?: string;
    readonly audio?: string;
  }
  const base: Rates = { input: "1", audio: "3" };
  const merge = mergeEdits<Rates>(base, { ...base, cached: "0.5" }, { input: "1" });
  assert.deepEqual(merge.values, { input: "1", cached: "0.5" });
  assert.deepEqual(merge.clashes, [{ field: "audio", theirs: undefined, mine: undefined }]);
});
