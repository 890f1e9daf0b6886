import assert from "node:assert/strict";
import { test } from "node:test";
import { ArrivingBody } from "./arriving-body.ts";

const area = Buffer.from("0123456789".repeat(100));

test("the pieces of a body whose good part is here are neighbours in one buffer", () => {
  const body = new ArrivingBody();
  body.begin(400, 100);
  const first = body.copy(area, 5, 105);
  const second = body.copy(area, 0, 300);
  assert.equal(first.buffer, second.buffer);
  assert.equal(first.byteOffset + first.length, second.byteOffset);
  assert.equal(first.buffer.byteLength, 400);
  assert.deepEqual(first, area.subarray(5, 105));
  assert.deepEqual(second, area.subarray(0, 300));
  body.end();
  const next = body.copy(area, 0, 300);
  assert.notEqual(next.buffer, first.buffer, "the next body is not written over this one");
});

test("a declared length alone allocates nothing, nor does a large one", () => {
  for (const [declared, bytes] of [
    [401, 100],
    [1, 0],
    [0, 100],
    [256 * 1024 + 1, 200 * 1024],
  ] as const) {
    const body = new ArrivingBody();
    body.begin(declared, bytes);
    const piece = body.copy(area, 0, 1_000);
    assert.equal(piece.length, 1_000, `${declared} declared, ${bytes} here`);
    assert.deepEqual(piece, area.subarray(0, 1_000));
  }
});
