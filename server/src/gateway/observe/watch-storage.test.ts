/** The storage is checked every three seconds, one check at a time, and a fault is logged once. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { watchStorage } from "./watch-storage.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene(dataDir = tmpdir()) {
  const state = {
    checks: 0,
    reads: 0,
    fault: undefined as object | undefined,
    fails: false,
    isStopped: false,
  };
  let answer: Promise<void> = Promise.resolve();
  let turn = () => {};
  const logged: [string, object | undefined][] = [];
  const at = (event: string, fields?: object) => void logged.push([event, fields]);
  const watch = watchStorage({
    store: {
      async checkStorage() {
        state.checks += 1;
        await answer;
        if (state.fails) throw new Error("an outage");
      },
      async readStorage() {
        state.reads += 1;
        if (state.fails) throw new Error("an outage");
        return { databaseBytes: state.reads };
      },
      storageFault: () => state.fault,
    } as never,
    log: { debug: at, info: at, warn: at, error: at } as never,
    schedule: {
      every(ms: number, then: () => void) {
        assert.equal(ms, 3_000);
        turn = then;
        return () => {
          state.isStopped = true;
        };
      },
    } as never,
    dataDir,
  });
  return {
    state,
    watch,
    logged,
    async look() {
      turn();
      await settled();
    },
    hold() {
      let open = () => {};
      answer = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

test("what is wrong is logged when it begins, when it changes and when it is over, and not in between", async () => {
  const { state, logged, look } = scene();
  await settled();
  assert.deepEqual(logged, []);
  state.fault = { code: "disk_full", message: "no space" };
  for (let index = 0; index < 3; index += 1) await look();
  state.fault = { code: "damaged", message: "bad page" };
  await look();
  state.fault = undefined;
  await look();
  await look();
  assert.deepEqual(logged, [
    ["storage_fault", { code: "disk_full", error: "no space" }],
    ["storage_fault", { code: "damaged", error: "bad page" }],
    ["storage_fault_over", undefined],
  ]);
});

test("a look that hangs is not joined by another, and an outage is nobody's fault", async () => {
  const { state, logged, look, hold } = scene();
  await settled();
  const open = hold();
  for (let index = 0; index < 3; index += 1) await look();
  assert.equal(state.checks, 2);
  open();
  await settled();
  state.fails = true;
  await look();
  await look();
  assert.deepEqual([state.checks, logged], [4, []]);
});

test("sizes are read at first and every tenth time; an outage leaves what was known", async () => {
  const { state, watch, look } = scene();
  await settled();
  await settled();
  assert.deepEqual(watch.readings, { databaseBytes: 1 });
  for (let index = 0; index < 9; index += 1) await look();
  assert.equal(state.reads, 1);
  state.fails = true;
  await look();
  assert.equal(state.reads, 2);
  assert.deepEqual(watch.readings, { databaseBytes: 1 });
  watch.stop();
  assert.equal(state.isStopped, true);
});

test("a directory whose disk nobody knows has no free bytes to tell", async () => {
  const { watch } = scene("/nowhere/at/all");
  for (let index = 0; index < 5; index += 1) await settled();
  assert.equal(watch.diskFreeBytes, undefined);
});
