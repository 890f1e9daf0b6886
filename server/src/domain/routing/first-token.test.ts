import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addFirstToken, averageFirstTokenMs, createFirstTokenTimes, p95FirstTokenMs } from "./first-token.ts";

test("the average follows slowly, is not known before the first and not after a quiet minute", () => {
  const times = createFirstTokenTimes();
  assert.equal(averageFirstTokenMs(times, 0), 0);
  addFirstToken(times, 100, 0);
  addFirstToken(times, 200, 1_000);
  assert.equal(averageFirstTokenMs(times, 1_000), 120);
  assert.equal(averageFirstTokenMs(times, 61_001), 0);
  addFirstToken(times, 700, 62_000);
  assert.equal(averageFirstTokenMs(times, 62_000), 700);
});

test("the 95th percentile is right to the width of a bin, over several deployments", () => {
  const tooks = fc.array(fc.integer({ min: 1, max: 250_000 }), { minLength: 20, maxLength: 300 });
  fc.assert(
    fc.property(tooks, (list) => {
      const several = [createFirstTokenTimes(), createFirstTokenTimes()] as const;
      list.forEach((took, index) => {
        addFirstToken(several[index % 2 === 0 ? 0 : 1], took, index);
      });
      const exact = [...list].sort((a, b) => a - b)[Math.ceil(list.length * 0.95) - 1] ?? 0;
      const found = p95FirstTokenMs(several) ?? 0;
      assert.ok(found >= exact - 1 && found <= Math.max(10, exact * 1.31), `${found} for ${exact}`);
    }),
  );
});

test("too few times say nothing, and old ones are forgotten", () => {
  const times = createFirstTokenTimes();
  for (let at = 0; at < 19; at += 1) addFirstToken(times, 5_000, at);
  assert.equal(p95FirstTokenMs([times]), undefined);
  addFirstToken(times, 5_000, 20);
  assert.ok((p95FirstTokenMs([times]) ?? 0) >= 5_000);
  for (let at = 0; at < 20; at += 1) addFirstToken(times, 50, 700_000 + at);
  assert.ok((p95FirstTokenMs([times]) ?? 0) < 100);
});
