/** In which order a table's rows come, and what pressing a heading does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextSorting, type SortValue, sortingIn, sortingText, sortRows } from "./sorting.ts";

const rows: readonly { readonly id: number; readonly value: SortValue }[] = [
  { id: 1, value: 5n },
  { id: 2, value: null },
  { id: 3, value: 12n },
  { id: 4, value: 5n },
  { id: 5, value: undefined },
];
const idsOf = (desc: boolean): number[] => sortRows(rows, ({ value }) => value, desc).map(({ id }) => id);

test("rows without a value come last either way, and equal ones keep their order", () => {
  assert.deepEqual(idsOf(false), [1, 4, 3, 2, 5]);
  assert.deepEqual(idsOf(true), [3, 1, 4, 2, 5]);
});

test("texts are in the order of a language, not of their codes", () => {
  const names = ["Zebra", "äpfel", "apple"];
  assert.deepEqual(sortRows(names, (name) => name, false).at(-1), "Zebra");
});

test("a heading turns: texts ascending first, figures descending, then the other way, then not", () => {
  const text = nextSorting(null, "name", true);
  assert.deepEqual(text, { id: "name", desc: false });
  assert.deepEqual(nextSorting(text, "name", true), { id: "name", desc: true });
  assert.equal(nextSorting({ id: "name", desc: true }, "name", true), null);
  const figure = nextSorting(text, "charge", false);
  assert.deepEqual(figure, { id: "charge", desc: true });
  assert.deepEqual(nextSorting(figure, "charge", false), { id: "charge", desc: false });
  assert.equal(nextSorting({ id: "charge", desc: false }, "charge", false), null);
});

test("an order is written into the URL and read back; a name of a later version stays a name", () => {
  for (const sorting of [null, { id: "charge", desc: true }, { id: "name", desc: false }])
    assert.deepEqual(sortingIn(sortingText(sorting)), sorting);
  assert.equal(sortingText({ id: "charge", desc: true }), "-charge");
});
