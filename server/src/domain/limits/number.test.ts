import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "@plaza/contract/messages/message.ts";
import fc from "fast-check";
import { limitMax, limitRefusal, parseLimit } from "./number.ts";

test("what is no limit is named", () => {
  const cases: [string, string[]][] = [
    ["is negative", ["-1", "-0", "-0.5", "- 3", "-9007199254740993"]],
    ["has a sign", ["+1"]],
    ["has an exponent: write all digits", ["1e3", "1E3", "1.5e-3", "1e+2"]],
    ["is a fraction", ["0.5", "1.0", ".5", "60."]],
    ["has separators: write only digits", ["1,000", "1_000", "1 000", "9_007_199_254_740_992"]],
    ["is beyond 2^53 - 1", ["9007199254740992", "9007199254740993", "1".repeat(400)]],
    ["is not a number", ["", " ", "ten", "0x10", "0o7", "NaN", "Infinity", "60/min", "1,", ".", "٣"]],
  ];
  for (const [fault, texts] of cases) {
    for (const text of texts) {
      const read = parseLimit(text);
      const said = typeof read === "number" ? "none" : textOf(limitRefusal("it", read.fault));
      assert.equal(
        said,
        `it ${fault}; enter a whole number from 0 (blocks all requests) to ${limitMax}.`,
        JSON.stringify(text),
      );
    }
  }
});

test("every whole number from 0 to 2^53 - 1 is itself", () => {
  for (const limit of [0, 1, limitMax]) assert.equal(parseLimit(String(limit)), limit);
  fc.assert(
    fc.property(fc.maxSafeNat(), (limit) => {
      assert.equal(parseLimit(String(limit)), limit);
    }),
  );
});
