import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { countPrompt, countTokens, toPieces } from "./tokens.ts";

test("a quarter token per character, three quarters per wide one", () => {
  assert.equal(countTokens(""), 0);
  assert.equal(countTokens("a"), 1);
  assert.equal(countTokens("abcdefgh"), 2);
  assert.equal(countTokens("你好你好"), 3);
  assert.equal(countTokens("한글"), 2);
  assert.equal(countTokens("abcd你好你好"), 4);
});

test("a prompt counts messages, parts, calls and tools", () => {
  assert.equal(countPrompt([{ content: "abcd" }], undefined), 3 + 4 + 1);
  assert.equal(countPrompt([{ content: [{ text: "abcd" }, { type: "image_url" }] }], []), 3 + 4 + 1 + 85);
  const call = { tool_calls: [1, 2], content: null };
  assert.equal(countPrompt([call], [{ a: 1 }]), 3 + 4 + 2 + 3);
});

test("pieces joined are the text; none splits a character or is longer than 12 without the space before", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
      const pieces = toPieces(text);
      assert.equal(pieces.join(""), text);
      for (const piece of pieces) {
        assert([...piece.trimStart()].length <= 12);
        if (text.isWellFormed()) assert(piece.isWellFormed());
      }
    }),
    { numRuns: 1_000 },
  );
  assert.deepEqual(toPieces("one two  three\n"), ["one", " two", "  three", "\n"]);
  toPieces(" ".repeat(1e5));
  toPieces("a".repeat(1e6));
});
