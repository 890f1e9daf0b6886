/** A file nobody wrote to is not asked: when the database has to be, told from made-up versions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDoubt } from "./news.ts";

test("the database is asked first, twice after each change of its file, and now and then for certain", () => {
  let version = "a";
  const mayBeNews = createDoubt(() => version);
  const looks = (count: number): string =>
    Array.from({ length: count }, () => (mayBeNews() ? "!" : ".")).join("");
  assert.equal(looks(12), "!!.........!");
  assert.equal(looks(10), ".........!");
  version = "b";
  assert.equal(looks(3), "!!.");
  version = "c";
  assert.equal(looks(1), "!");
  version = "d";
  assert.equal(looks(4), "!!..");
});

test("a database whose file says nothing is asked every time", () => {
  const mayBeNews = createDoubt(undefined);
  assert.deepEqual([mayBeNews(), mayBeNews(), mayBeNews()], [true, true, true]);
});
