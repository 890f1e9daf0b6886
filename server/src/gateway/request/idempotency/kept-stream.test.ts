/** A stream's copy for repeats: unaffected by buffer reuse, and empty once too large. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptStream } from "./kept-stream.ts";

test("what was written comes back in order, with its end, and is a copy", () => {
  const kept = new KeptStream(100);
  const piece = Buffer.from("one ");
  kept.push(piece);
  kept.push(Buffer.from("two "));
  piece.fill("x");
  assert.equal(kept.endedBy(Buffer.from("END"))?.toString(), "one two END");
});

test("a small piece of a large read does not keep the read alive", () => {
  const kept = new KeptStream(100);
  kept.push(Buffer.alloc(1_000_000, "a").subarray(10, 14));
  assert.ok((kept.endedBy(Buffer.alloc(0))?.buffer.byteLength ?? 0) < 1_000_000);
});

test("it keeps up to its most, the end included, and never a part of more", () => {
  const ended = (pieces: readonly number[], tail: number) => {
    const kept = new KeptStream(10);
    for (const size of pieces) kept.push(Buffer.alloc(size, "a"));
    return kept.endedBy(Buffer.alloc(tail, "b"))?.toString();
  };
  assert.equal(ended([4, 4], 2), "aaaaaaaabb");
  assert.equal(ended([4, 4], 3), undefined);
  assert.equal(ended([10], 0), "aaaaaaaaaa");
  assert.equal(ended([4, 4, 4], 0), undefined);
  // Once too large it stays empty: later pieces alone would be half an answer.
  assert.equal(ended([11, 1], 0), undefined);
  assert.equal(ended([], 10), "b".repeat(10));
});
