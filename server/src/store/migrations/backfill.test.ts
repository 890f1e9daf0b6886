/** The size of a back-fill's chunks, and the time it leaves to others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextRows, runBackfill } from "./backfill.ts";
import type { Migration } from "./migration.ts";

test("chunks grow and shrink by a factor of two at most, within their bounds", () => {
  assert.equal(nextRows(200, 1), 400);
  assert.equal(nextRows(200, 50), 200);
  assert.equal(nextRows(200, 80), 125);
  assert.equal(nextRows(200, 5_000), 100);
  assert.equal(nextRows(20, 5_000), 20);
  assert.equal(nextRows(20_000, 0), 20_000);
});

test("a back-fill pauses as long as a chunk took, and ends when another process has ended it", async () => {
  let nowMs = 0;
  let left = 3;
  const pauses: number[] = [];
  const sizes: number[] = [];
  const migration: Migration = {
    version: 1,
    name: "slow",
    kind: "expand",
    sqlite: [],
    postgres: [],
    backfill: {
      async chunk({ rowsMax }) {
        sizes.push(rowsMax);
        nowMs += 100;
        return { cursor: "", rows: 1, isLast: false };
      },
    },
  };
  await runBackfill({
    migration,
    dialect: "sqlite",
    transaction: (work) => work(undefined as never),
    place: async () => (left-- > 0 ? "" : undefined),
    note: async () => {},
    elapsedMs: () => nowMs,
    pause: async (ms) => pauses.push(ms),
  });
  assert.deepEqual(pauses, [100, 100, 100]);
  assert.deepEqual(sizes, [200, 100, 50]);
});
