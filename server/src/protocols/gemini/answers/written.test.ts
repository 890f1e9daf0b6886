import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../lib/testing/runs.ts";
import { plainBytesIn, writtenIn } from "./written.ts";

/** Pieces that look like the key, or nearly, and what may stand around it. */
const piece = fc.constantFrom(
  '"text"',
  '"text" : ',
  '"text":"',
  '""text"',
  '"tex',
  't"',
  '"',
  ":",
  " ",
  "word",
);

/** The same, looking for the key at every byte of the event's own text. */
function slowBytesIn(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; ) {
    const [value] = /^"text"[ :]*/.exec(text.slice(at)) ?? [];
    at += value?.length ?? 1;
    if (value === undefined || text[at] !== '"') continue;
    const [words = ""] = /^[^"]*/.exec(text.slice(at + 1)) ?? [];
    sum += words.length;
    at += words.length;
  }
  return sum;
}

test("words are counted wherever their key stands, and only up to the end of the event", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(20), fc.nat(20), (pieces, before, after) => {
      const bytes = Buffer.from(pieces.join(""));
      const start = Math.min(before, bytes.length);
      const end = Math.max(start, bytes.length - after);
      assert.equal(plainBytesIn(bytes, start, end), slowBytesIn(bytes.toString("latin1", start, end)));
    }),
    { numRuns: runsOf(4_000) },
  );
});

test("an object is counted alike as bytes and parsed", () => {
  const parts = [{ text: "one" }, { thoughtSignature: "text" }, { text: "" }, { text: "three words more" }];
  const bytes = Buffer.from(JSON.stringify({ candidates: [{ content: { parts } }] }));
  assert.equal(plainBytesIn(bytes, 0, bytes.length), writtenIn(parts).contentBytes);
  assert.equal(plainBytesIn(bytes, 0, bytes.length), 19);
});
