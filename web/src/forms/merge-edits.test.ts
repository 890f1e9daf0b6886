import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeEdits, rowId, rowText, takingTheirs } from "./merge-edits.ts";

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

const rowNames = { deployments: ["upstream", "model"], tiers: ["above"] };
const row = (model: string, weight = 1, tiers: readonly object[] = []) => ({
  upstream: "main",
  model,
  weight,
  tiers,
});
const merged = (base: object[], mine: object[], theirs: object[]) =>
  mergeEdits({ deployments: base }, { deployments: mine }, { deployments: theirs }, rowNames);

test("rows of a list count alone by their names, wherever they stand", () => {
  const { values, clashes } = merged(
    [row("a"), row("b"), row("c")],
    [row("b", 2), row("c"), row("d")],
    [row("a"), row("b"), row("c", 3), row("e")],
  );
  assert.deepEqual(values.deployments, [row("b", 2), row("c", 3), row("d"), row("e")]);
  assert.deepEqual(clashes, [
    { field: "deployments.main+c.weight", theirs: 3, mine: undefined },
    { field: "deployments.main+e", theirs: row("e"), mine: undefined },
  ]);
});

test("a renamed row is the same row, as far as it shares a part of its name", () => {
  const { values, clashes } = merged([row("a"), row("b")], [row("a.2"), row("b")], [row("a", 3), row("b")]);
  assert.deepEqual(values.deployments, [row("a.2", 3), row("b")]);
  assert.deepEqual(clashes, [{ field: "deployments.main+a%2E2.weight", theirs: 3, mine: undefined }]);
});

test("of one field of a row that both changed mine is kept, and theirs is taken on demand, also its name", () => {
  const base = { deployments: [row("a"), row("b")] };
  const mine = { deployments: [row("a2", 2), row("b")] };
  const merge = mergeEdits(base, mine, { deployments: [row("a3", 3), row("b")] }, rowNames);
  assert.deepEqual(merge.values, mine);
  assert.deepEqual(
    merge.clashes.map(({ field, mine, theirs }) => [field, mine, theirs]),
    [
      ["deployments.main+a2.model", "a2", "a3"],
      ["deployments.main+a2.weight", 2, 3],
    ],
  );
  const above = { deployments: [row("new"), ...mine.deployments] };
  assert.deepEqual(
    takingTheirs(above, merge.clashes, rowNames).deployments,
    [row("new"), row("a3", 3), row("b")],
    "a row is found where it is by then",
  );
  assert.deepEqual(takingTheirs({ deployments: [row("b")] }, merge.clashes, rowNames).deployments, [
    row("b"),
  ]);
});

test("a row that one of them removed and the other changed is asked about", () => {
  const mine = merged([row("a"), row("b")], [row("a", 2)], [row("b", 3)]);
  assert.deepEqual(mine.values.deployments, [row("a", 2)]);
  assert.deepEqual(mine.clashes, [
    { field: "deployments.main+a", theirs: undefined, mine: row("a", 2) },
    { field: "deployments.main+b", theirs: row("b", 3), mine: null },
  ]);
  assert.deepEqual(takingTheirs(mine.values, mine.clashes, rowNames).deployments, [row("b", 3)]);
  const removed = merged([row("a"), row("b")], [row("a"), row("b", 2)], [row("b")]);
  assert.deepEqual(removed.values.deployments, [row("b", 2)], "unchanged here: gone as they wanted");
  assert.deepEqual(removed.clashes, [{ field: "deployments.main+a", theirs: undefined, mine: undefined }]);
});

test("lists within rows are merged as well; rows that cannot be told apart are one value", () => {
  const tier = (above: number, input: string) => ({ above, input });
  const deep = merged(
    [row("a", 1, [tier(1, "1"), tier(2, "1")])],
    [row("a", 1, [tier(1, "5"), tier(2, "1")])],
    [row("a", 1, [tier(1, "1"), tier(2, "7")])],
  );
  assert.deepEqual(deep.values.deployments, [row("a", 1, [tier(1, "5"), tier(2, "7")])]);
  assert.deepEqual(deep.clashes, [
    { field: "deployments.main+a.tiers.2.input", theirs: "7", mine: undefined },
  ]);
  const twins = merged([row("a")], [row("a"), row("a")], [row("a", 2)]);
  assert.deepEqual(twins.values.deployments, [row("a"), row("a")]);
  assert.deepEqual(
    twins.clashes.map(({ field }) => field),
    ["deployments"],
  );
});

test("a row's id is one segment of a path, and readable again", () => {
  const id = rowId({ upstream: " main", model: "a+b.c/d" }, rowNames.deployments);
  assert.equal(id, "main+a%2Bb%2Ec%2Fd");
  assert.equal(rowText(id), "main a+b.c/d");
});
