import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../testing/runs.ts";
import { beginText, textStop } from "./text-stop.ts";

const escapes = /^(?:\\["\\/bfnrt]|\\u(?!00[4-7])[0-9a-fA-F]{4})/;

/** What `textStop` says, one byte after the other; an escape that `end` cuts off is left to the caller. */
function slowStop(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; ) {
    const byte = bytes[at] as number;
    if (byte === 0x5c) {
      const [complete] = escapes.exec(bytes.toString("latin1", at, Math.min(at + 6, end))) ?? [];
      if (complete === undefined) return at;
      at += complete.length;
    } else if (byte < 0x20 || byte === 0x22) return at;
    else at += 1;
  }
  return end;
}

const part = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "é", " ", "[", "\u007f", "字"), maxLength: 90 }),
  },
  fc.constantFrom(
    "\\n",
    '\\"',
    "\\\\",
    "\\u00e9",
    "\\u0041",
    "\\u005a",
    "\\u006F",
    "\\u007a",
    "\\u0030",
    "\\uD83D\\uDE00",
    "\\uFFFF",
  ),
  fc.constantFrom('"', "\n", "\u0000", "\u001f", "\\x", "\\u12", "\\u12G4", "\\"),
);

test("text ends where a search byte by byte ends it, whatever comes before and after", () => {
  const texts = fc.array(part, { maxLength: 12 }).map((parts) => Buffer.from(parts.join("")));
  fc.assert(
    fc.property(texts, fc.boolean(), fc.nat(400), (bytes, isCut, place) => {
      const end = isCut ? place % (bytes.length + 1) : bytes.length;
      beginText();
      for (let from = 0; from <= end; ) {
        const stop = slowStop(bytes, from, end);
        assert.equal(textStop(bytes, from, end), stop);
        from = stop + 1;
      }
    }),
    { numRuns: runsOf(1_000) },
  );
});

test("a stop and an escape are found at every place around the end of what is copied at once", () => {
  const copied = 64 * 1_024;
  for (const stop of ['"', "\\u0041", "\n"]) {
    for (let at = copied - 70; at < copied + 70; at++) {
      const bytes = Buffer.alloc(copied + 200, "a");
      bytes.write("\\u00e9", at - 6);
      bytes.write(stop, at);
      beginText();
      let found = textStop(bytes, 0, bytes.length);
      // The end of a copy cuts the escape: the caller reads it and goes on after it.
      if (found !== at) {
        assert.equal(found, at - 6);
        found = textStop(bytes, at, bytes.length);
      }
      assert.equal(found, at);
      assert.equal(textStop(bytes, at + 6, bytes.length), bytes.length);
    }
  }
});

test("bytes after the end, and those of the text before, are not looked at", () => {
  const bytes = Buffer.from(`${"a".repeat(40)}"${"a".repeat(40)}`);
  beginText();
  assert.equal(textStop(bytes, 0, 40), 40);
  assert.equal(textStop(bytes, 40, bytes.length), 40);
  beginText();
  assert.equal(textStop(Buffer.alloc(81, "a"), 0, 81), 81);
});
