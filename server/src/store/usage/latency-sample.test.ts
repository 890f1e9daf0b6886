/** A sample takes one cell of every stratum, and takes each time of day as often as any other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sampleOf, sampleParts } from "./latency-sample.ts";

const dayMs = 86_400_000;

test("cells lie in order within the period, apart from each other, and are its share of the time", () => {
  const periods = fc.tuple(fc.nat({ max: 2e12 }), fc.integer({ min: 1_800_000, max: 92 * dayMs }));
  fc.assert(
    fc.property(periods, fc.integer({ min: 2, max: 500 }), ([fromMs, lengthMs], oneIn) => {
      const toMs = fromMs + lengthMs;
      const cells = sampleOf({ fromMs, toMs }, oneIn);
      assert.ok(cells.length >= sampleParts && cells.length <= 100);
      let reachedMs = fromMs;
      for (const cell of cells) {
        assert.ok(cell.fromMs >= reachedMs && cell.toMs > cell.fromMs);
        reachedMs = cell.toMs;
      }
      assert.ok(reachedMs <= toMs);
      const takenMs = cells.reduce((sum, cell) => sum + cell.toMs - cell.fromMs, 0);
      // Edges are whole milliseconds.
      assert.ok(Math.abs(takenMs - lengthMs / oneIn) <= cells.length);
      assert.equal(new Set(cells.map(({ part }) => part)).size, sampleParts);
    }),
  );
});

test("the cells are spread over their strata, so that nothing that repeats is always hit or always missed", () => {
  const lengthMs = 7 * dayMs;
  const oneIn = 20;
  const cells = sampleOf({ fromMs: 0, toMs: lengthMs }, oneIn);
  const stratumMs = lengthMs / cells.length;
  const places = cells.map(({ fromMs }) => Math.round(((fromMs % stratumMs) / stratumMs) * oneIn) % oneIn);
  const counts = Array.from({ length: oneIn }, (_, place) => places.filter((one) => one === place).length);
  assert.ok(
    counts.every((count) => count >= 3 && count <= 7),
    counts.join(),
  );
});
