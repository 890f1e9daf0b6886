import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreCore } from "../core.ts";
import { StoreError, storeErrorOf } from "../error.ts";
import { withSecondThread } from "./second-thread.ts";

/** A core that records its calls; `fail` makes its next slow call fail. */
function fakeCore(calls: string[], name: string, fail?: () => Error | undefined): StoreCore {
  const core = {
    ping: async () => void calls.push(`${name} ping`),
    rollUpUsage: async (rows: number) => {
      const error = fail?.();
      if (error !== undefined) throw error;
      calls.push(`${name} rollUp`);
      return rows;
    },
    close: async () => void calls.push(`${name} close`),
  };
  return core as unknown as StoreCore;
}

test("slow methods go to a second core that is opened once, others to the first", async () => {
  const calls: string[] = [];
  let opened = 0;
  const store = withSecondThread(fakeCore(calls, "first"), async () => fakeCore(calls, `second ${++opened}`));
  await store.ping();
  assert.equal(opened, 0);
  assert.deepEqual(await Promise.all([store.rollUpUsage(3), store.rollUpUsage(4)]), [3, 4]);
  await store.close();
  assert.deepEqual(calls, [
    "first ping",
    "second 1 rollUp",
    "second 1 rollUp",
    "second 1 close",
    "first close",
  ]);
  await assert.rejects(store.rollUpUsage(1), { code: "closed" });
  assert.equal(opened, 1);
});

test("it stops when nothing was asked of it for a while, and starts again", async () => {
  const calls: string[] = [];
  let opened = 0;
  let onClose = () => {};
  const isClosed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const open = async () => ({
    ...fakeCore(calls, `second ${++opened}`),
    close: async () => onClose(),
  });
  const store = withSecondThread(fakeCore(calls, "first"), open, 1);
  await store.rollUpUsage(1);
  // The thread's timer alone does not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  await isClosed;
  clearInterval(alive);
  await store.rollUpUsage(1);
  assert.deepEqual(calls, ["second 1 rollUp", "second 2 rollUp"]);
  await store.close();
});

test("a thread that died or did not open is opened anew, and one that refused a call is kept", async () => {
  const calls: string[] = [];
  const errors: (Error | undefined)[] = [
    storeErrorOf("invalid", "no"),
    new StoreError("thread_stopped", "gone"),
    undefined,
  ];
  let opened = 0;
  const store = withSecondThread(fakeCore(calls, "first"), async () => {
    opened++;
    if (opened === 2) throw new StoreError("cannot_open", "not now");
    return fakeCore(calls, `second ${opened}`, () => errors.shift());
  });
  await assert.rejects(store.rollUpUsage(1), { code: "invalid" });
  assert.equal(opened, 1);
  await assert.rejects(store.rollUpUsage(1), { code: "thread_stopped" });
  await assert.rejects(store.rollUpUsage(1), { code: "cannot_open" });
  assert.equal(await store.rollUpUsage(1), 1);
  assert.equal(opened, 3);
  await store.close();
});
