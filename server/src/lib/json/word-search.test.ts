/** Compares the search with the obvious implementation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileWords, findWords } from "./word-search.ts";

const list: readonly (readonly [string, number])[] = [
  ["audio", 1],
  ["video", 3],
  ["image", 2],
  ['"file_id"', 4],
  ['"file"', 5],
];
const words = compileWords(list);

test("finds a word wherever it stands and whatever its case", () => {
  for (const [word, kinds] of list) {
    for (const spelled of [word, word.toUpperCase(), word.replace("i", "I")]) {
      for (let before = 0; before < 12; before += 1) {
        const text = `${"a".repeat(before)}${spelled}`;
        assert.equal(findWords(words, Buffer.from(text)), kinds, text);
        assert.equal(findWords(words, Buffer.from(text.slice(0, -1))), 0, text);
        assert.equal(findWords(words, Buffer.from(`${text}${"o".repeat(before)}`)), kinds, text);
      }
    }
  }
  assert.equal(findWords(words, Buffer.alloc(0)), 0);
  assert.throws(() => compileWords([["ab", 1]]), RangeError);
});

test("agrees with a search of every place", () => {
  const part = fc.constantFrom("a", "u", "d", "i", "o", "AUD", "audi", "vid", "eo", '"', "file", "_id", "é");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const wanted = list.reduce(
        (bits, [word, kinds]) => bits | (text.toLowerCase().includes(word) ? kinds : 0),
        0,
      );
      assert.equal(findWords(words, Buffer.from(text)), wanted, text);
    }),
    { numRuns: 2_000 },
  );
});
