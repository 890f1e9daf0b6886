import assert from "node:assert/strict";
import { test } from "node:test";
import { textBytes } from "./text-bytes.ts";

/** The count of a text that begins after three other bytes, with more JSON behind it. */
function counted(text: string, after = '","next":"word"}'): number {
  const bytes = Buffer.from(`{"a${text}${after}`);
  return textBytes(bytes, 3, bytes.length);
}

test("a text of any length counts as its bytes", () => {
  for (let length = 0; length < 200; length += 1) {
    assert.equal(counted("x".repeat(length)), length);
    assert.equal(counted("ä".repeat(length)), 2 * length);
  }
});

test("an escape counts as what it stands for, wherever it is", () => {
  for (let length = 0; length < 200; length += 7)
    for (const [escaped, bytes] of [
      ["\\n", 1],
      ['\\"', 1],
      ["\\\\", 1],
      ["\\u00e4", 2],
      ["\\ud83d\\ude00", 4],
    ] as const) {
      assert.equal(
        counted(`${"x".repeat(length)}${escaped}yz`),
        length + bytes + 2,
        `${escaped} at ${length}`,
      );
      assert.equal(
        counted(`${"x".repeat(length)}${escaped}`),
        length + bytes,
        `${escaped} last at ${length}`,
      );
    }
});

test("a text that is cut off ends with the bytes", () => {
  for (const length of [0, 1, 63, 64, 65, 150]) {
    assert.equal(counted("x".repeat(length), ""), length);
    const bytes = Buffer.from(`"${"x".repeat(length)}" and "more"`);
    assert.equal(textBytes(bytes, 1, 1 + Math.floor(length / 2)), Math.floor(length / 2));
  }
});
