import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreCore } from "../core.ts";
import { type StoreErrorCode, storeErrorOf } from "../error.ts";
import { createFaultMemory } from "./storage-fault.ts";

/** A core whose calls end as `next` says. */
function memory() {
  let next: StoreErrorCode | undefined;
  const call = () => (next === undefined ? Promise.resolve() : Promise.reject(storeErrorOf(next, next)));
  const faults = createFaultMemory(() => 1_000);
  const core = faults.watch({
    commitLedger: call,
    ping: call,
    checkStorage: call,
  } as unknown as StoreCore);
  const run = async (method: "commitLedger" | "ping" | "checkStorage", error?: StoreErrorCode) => {
    next = error;
    await (core[method] as () => Promise<unknown>)().catch(() => {});
  };
  return { faults, run };
}

test("a full disk is remembered until a write succeeds; reading shows nothing", async () => {
  const { faults, run } = memory();
  await run("ping", "unavailable");
  assert.deepEqual(faults.fault, undefined);
  await run("commitLedger", "disk_full");
  assert.deepEqual(faults.fault, { code: "disk_full", message: "disk_full", since: 1_000, isRefusing: true });
  await run("ping");
  assert.partialDeepStrictEqual(faults.fault, { code: "disk_full" });
  faults.setJournalTakes(true);
  assert.partialDeepStrictEqual(faults.fault, { isRefusing: false });
  await run("checkStorage");
  assert.equal(faults.fault, undefined);
});

test("what is damaged stays damaged, whatever works or fails meanwhile", async () => {
  const { faults, run } = memory();
  await run("checkStorage", "damaged");
  faults.setJournalTakes(true);
  await run("commitLedger");
  await run("commitLedger", "disk_full");
  assert.partialDeepStrictEqual(faults.fault, { code: "damaged", isRefusing: true });
});
