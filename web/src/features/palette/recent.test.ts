/** What is kept on the device is one user's, short, and safe to show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecent, withRecent } from "./recent.ts";

const opened = (id: string) => ({ id, label: id.toUpperCase(), to: `/keys/${id}` });

test("the newest comes first, each once, and at most six are kept", () => {
  let text: string | null = null;
  for (const id of ["a", "b", "c", "d", "e", "f", "g", "b"]) text = withRecent(text, "me", opened(id));
  assert.deepEqual(
    readRecent(text, "me").map(({ id }) => id),
    ["b", "g", "f", "e", "d", "c"],
  );
});

test("another user's are neither shown nor kept", () => {
  const text = withRecent(null, "one", opened("a"));
  assert.deepEqual(readRecent(text, "two"), []);
  assert.deepEqual(
    readRecent(withRecent(text, "two", opened("b")), "two").map(({ id }) => id),
    ["b"],
  );
});

test("what is damaged, or leads elsewhere, is nothing", () => {
  assert.deepEqual(readRecent("{", "me"), []);
  assert.deepEqual(readRecent("null", "me"), []);
  const items = [
    { id: "x", label: "x", to: "//evil.example" },
    { id: "y", label: "y", to: "javascript:x" },
    3,
    null,
  ];
  assert.deepEqual(readRecent(JSON.stringify({ of: "me", items }), "me"), []);
});
