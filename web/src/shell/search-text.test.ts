/** Values survive the way through the URL unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseSearch, writeSearch } from "./search-text.ts";

test("texts and lists survive the URL", () => {
  const text = fc.string({ minLength: 1 });
  const value = fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 }));
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
        value,
      ),
      (given) => {
        const search = { ...given };
        assert.deepEqual({ ...parseSearch(writeSearch(search)) }, search);
      },
    ),
  );
});

test("nothing is written for nothing", () => {
  assert.equal(writeSearch({ a: "", b: [], c: undefined, d: null }), "");
});
