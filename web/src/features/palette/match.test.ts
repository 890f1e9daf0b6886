/** The palette finds what is meant, ranks it, and never finds what is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bestOf, inGroups, isOneSlip, scoreOf } from "./match.ts";

const labels = (query: string, ...given: string[]) =>
  bestOf(
    query,
    given.map((label) => ({ label })),
    10,
  ).map(({ label }) => label);

test("whole names come before beginnings, words, parts and scattered letters", () => {
  assert.deepEqual(labels("key", "Monkey", "Create key", "Keys", "Key", "Kept entirely yours"), [
    "Key",
    "Keys",
    "Create key",
    "Monkey",
    "Kept entirely yours",
  ]);
});

test("every word typed must be found, in any order, without case and accents", () => {
  assert.deepEqual(labels("KEY cre", "Create key", "Create account"), ["Create key"]);
  assert.deepEqual(labels("creme", "Crème"), ["Crème"]);
  assert.deepEqual(labels("广场", "模型广场", "密钥"), ["模型广场"]);
});

test("one slip of the finger is forgiven in longer words, not in short ones", () => {
  for (const typed of ["mdoels", "modls", "moddels", "mofels"])
    assert.deepEqual(labels(typed, "Models"), ["Models"]);
  assert.deepEqual(labels("kye", "Keys"), []);
  assert.deepEqual(labels("billing", "Models"), []);
  assert.ok(isOneSlip("abcd", "abdc"));
  assert.ok(!isOneSlip("abcd", "badc"));
});

test("keywords find, too, but count less", () => {
  const found = bestOf("billing", [{ label: "账单", keywords: "billing" }, { label: "Billing" }], 10);
  assert.deepEqual(
    found.map(({ label }) => label),
    ["Billing", "账单"],
  );
});

test("letters scattered over keywords are no answer", () => {
  assert.deepEqual(bestOf("aur", [{ label: "Invite user", keywords: "new invite add user" }], 10), []);
});

test("the group with the best answer comes first; without a query they stay in their order", () => {
  const items = [
    { group: "acts", label: "Monkey" },
    { group: "keys", label: "Key" },
    { group: "acts", label: "Donkey" },
  ] as const;
  const shown = (query: string) => inGroups(query, ["acts", "keys"], items).map(({ label }) => label);
  assert.deepEqual(shown(""), ["Monkey", "Donkey", "Key"]);
  assert.deepEqual(shown("key"), ["Key", "Monkey", "Donkey"]);
});

test("nothing typed is answered by everything, in its order", () => {
  assert.deepEqual(labels("  ", "b", "a"), ["b", "a"]);
});

test("a text answers itself and its beginnings; no query fails", () => {
  const word = fc.string({ minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(word, word, (label, query) => {
      assert.ok(scoreOf(label.trim(), label) > 0);
      assert.ok(scoreOf(query, label) >= 0);
    }),
  );
});
