import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { durationInSentence, formatBytes, formatDuration, parseBytes, parseDurationMs } from "./units.ts";

test("durations", () => {
  assert.equal(parseDurationMs("500ms"), 500);
  assert.equal(parseDurationMs("5s"), 5000);
  assert.equal(parseDurationMs("15m"), 900_000);
  assert.equal(parseDurationMs("2h"), 7_200_000);
  assert.equal(parseDurationMs("30d"), 2_592_000_000);
  for (const text of ["", "5", "s", "5 s", "-5s", "1.5s", "5S", "5sec", "999999999999999d", "5s "]) {
    assert.equal(parseDurationMs(text), undefined, text);
  }
});

test("bytes", () => {
  assert.equal(parseBytes("512B"), 512);
  assert.equal(parseBytes("64KiB"), 65_536);
  assert.equal(parseBytes("32MiB"), 33_554_432);
  assert.equal(parseBytes("1GiB"), 1_073_741_824);
  for (const text of ["", "5", "5MB", "5mib", "5 MiB", "-1B", "constructor"]) {
    assert.equal(parseBytes(text), undefined, text);
  }
});

test("in a sentence a space stands before the unit", () => {
  assert.deepEqual([0, 300, 1_000, 1_540, 900_000].map(durationInSentence), [
    ...["0 ms", "300 ms", "1 s", "1.5 s", "900 s"],
  ]);
});

test("what is written is read back", () => {
  assert.equal(formatDuration(900_000), "15m");
  assert.equal(formatDuration(90_000), "90s");
  assert.equal(formatDuration(0), "0ms");
  assert.equal(formatBytes(33_554_432), "32MiB");
  assert.equal(formatBytes(0), "0B");
  fc.assert(
    fc.property(fc.nat(), (amount) => {
      assert.equal(parseDurationMs(formatDuration(amount)), amount);
      assert.equal(parseBytes(formatBytes(amount)), amount);
    }),
  );
});
