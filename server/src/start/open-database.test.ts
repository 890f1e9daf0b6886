import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "../lib/telemetry/log.ts";
import { type StoreErrorCode, storeErrorOf } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import { openDatabase } from "./open-database.ts";

/** A database that fails with each of `errors` in turn, then opens. */
function stage(errors: readonly StoreErrorCode[], waitMs = 60_000) {
  const events: string[] = [];
  let nowMs = 0;
  let attempts = 0;
  let stopsAt = Number.POSITIVE_INFINITY;
  const note = (event: string) => void events.push(event);
  const log = { info: note, warn: note, error: note, debug: note } as unknown as Log;
  const opened = {} as Store;
  const run = () =>
    openDatabase({
      open: async () => {
        const code = errors[attempts];
        attempts += 1;
        if (code !== undefined) throw storeErrorOf(code, code);
        return opened;
      },
      waitMs,
      clock: { elapsedMs: () => nowMs, wallMs: () => nowMs },
      log,
      sleep: async (ms) => {
        nowMs += ms;
      },
      isStopping: () => nowMs >= stopsAt,
    });
  const stopAt = (ms: number) => {
    stopsAt = ms;
  };
  return { run, events, opened, stopAt, attempts: () => attempts };
}

const away = (times: number) => Array.from({ length: times }, () => "unavailable" as const);

test("a server that is not there yet is waited for, with a line now and then", async () => {
  const { run, events, opened, attempts } = stage(away(25));
  assert.equal(await run(), opened);
  assert.equal(attempts(), 26);
  assert.deepEqual(events, ["database_awaited", "database_awaited", "database_awaited", "database_there"]);
});

test("one that never comes is given up", async () => {
  const { run, attempts } = stage(away(1_000), 5_000);
  await assert.rejects(run(), { code: "unavailable" });
  assert.equal(attempts(), 6);
});

test("a wrong password is no reason to wait, and nothing is said where all is well", async () => {
  const refused = stage(["cannot_open"]);
  await assert.rejects(refused.run(), { code: "cannot_open" });
  assert.equal(refused.attempts(), 1);
  const well = stage([]);
  await well.run();
  assert.deepEqual(well.events, []);
});

test("a stop ends the wait", async () => {
  const { run, stopAt } = stage(away(1_000));
  stopAt(3_000);
  assert.equal(await run(), undefined);
});
