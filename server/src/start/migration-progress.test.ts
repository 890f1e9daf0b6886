/** A long migration says how far it is, once for each step forward. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MigrationStatus } from "../store/operation/migration-shapes.ts";
import { watchMigration } from "./migration-progress.ts";

test("what has moved is told, and nothing after the end", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const rows = [undefined, 10, 10, new Error("lost"), 30, undefined, 40];
  const seen: string[] = [];
  const readMigrations = async (): Promise<MigrationStatus> => {
    const now = rows.shift();
    if (now instanceof Error) throw now;
    const progress = now === undefined ? null : { version: 7, name: "x", rows: now };
    return { progress } as MigrationStatus;
  };
  const end = watchMigration(
    { readMigrations },
    (progress) => seen.push(`${progress.name} ${progress.rows}`),
    5_000,
  );
  const pass = async () => {
    context.mock.timers.tick(5_000);
    await new Promise(setImmediate);
  };
  for (let look = 0; look < 6; look += 1) await pass();
  assert.deepEqual(seen, ["x 10", "x 30"]);
  end();
  await pass();
  assert.deepEqual(seen, ["x 10", "x 30"]);
});
