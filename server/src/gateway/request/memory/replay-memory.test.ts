import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReasoningEntry } from "../../../store/requests/reasoning-shapes.ts";
import { createReplayMemories } from "./replay-memory.ts";

/** An in-memory store whose answers can be delayed, and a settable clock. */
function stage() {
  const rows = new Map<string, ReasoningEntry>();
  const asked: string[][] = [];
  const writes: number[] = [];
  const warnings: string[] = [];
  let nowMs = 0;
  let gate: Promise<void> = Promise.resolve();
  let isBroken = false;
  let isBehind = false;
  const store = {
    isBehind: () => isBehind,
    async storeReasoning(entries: readonly ReasoningEntry[]) {
      writes.push(entries.length);
      await gate;
      if (isBroken) throw new Error("gone");
      for (const entry of entries) rows.set(`${entry.accountId} ${entry.toolCallId}`, entry);
    },
    async findReasoning(accountId: string, ids: readonly string[]) {
      asked.push([...ids]);
      await gate;
      if (isBroken) throw new Error("gone");
      return ids.flatMap((id) => rows.get(`${accountId} ${id}`) ?? []);
    },
  };
  const log = { debug() {}, info() {}, error() {}, warn: (event: string) => void warnings.push(event) };
  const clock = { elapsedMs: () => nowMs, wallMs: () => 1_700_000_000_000 + nowMs };
  return {
    rows,
    asked,
    writes,
    warnings,
    process: (isShared = true) => createReplayMemories({ clock, log, store, isShared }),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    pass(ms: number) {
      nowMs += ms;
    },
    breakStore(broken: boolean) {
      isBroken = broken;
    },
    leaveBehind() {
      isBehind = true;
    },
  };
}

/** Lets pending promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("what one process remembers another one finds, after asking once", async () => {
  const { process, asked } = stage();
  const [first, second] = [process(), process()];
  first.of("acc_1").remember("call_1", "thought");
  await settle();
  const memory = second.of("acc_1");
  assert.equal(memory.lookUp(), undefined, "nothing was missed yet");
  assert.equal(memory.recall("call_1"), undefined);
  assert.equal(await memory.lookUp(), true);
  assert.equal(memory.recall("call_1"), "thought");
  assert.equal(memory.lookUp(), undefined);
  assert.equal(second.of("acc_1").recall("call_1"), "thought");
  assert.deepEqual(asked, [["call_1"]]);
  assert.equal(second.of("acc_2").recall("call_1"), undefined);
});

test("its own memory never asks the store", async () => {
  const { process, asked } = stage();
  const own = process();
  own.of("acc_1").remember("call_1", "thought");
  const memory = own.of("acc_1");
  assert.equal(memory.recall("call_1"), "thought");
  assert.equal(memory.lookUp(), undefined);
  assert.deepEqual(asked, []);
});

test("what the store does not have is not asked for again for a while", async () => {
  const { process, asked, pass } = stage();
  const own = process();
  const miss = async (): Promise<boolean | undefined> => {
    const memory = own.of("acc_1");
    memory.recall("call_1");
    return await memory.lookUp();
  };
  assert.equal(await miss(), false);
  assert.equal(await miss(), undefined);
  pass(30_000);
  assert.equal(await miss(), false);
  assert.equal(asked.length, 2);
});

test("a request may have so many ids looked for, the newest ones, and none that is too long", async () => {
  const { process, asked } = stage();
  const memory = process().of("acc_1");
  for (let number = 0; number < 1_000; number += 1) memory.recall(`call_${number}`);
  memory.recall("x".repeat(257));
  await memory.lookUp();
  assert.equal(asked[0]?.length, 200);
  assert.equal(asked[0]?.at(-1), "call_999");
});

test("a store that does not answer holds a request up for a quarter of a second, and is left alone then", async () => {
  const { process, hold, asked, warnings, pass } = stage();
  const release = hold();
  const own = process();
  const memory = own.of("acc_1");
  memory.recall("call_1");
  assert.equal(await memory.lookUp(), false);
  assert.deepEqual(warnings, ["reasoning_not_found"]);
  const next = own.of("acc_1");
  next.recall("call_1");
  assert.equal(await next.lookUp(), false);
  assert.equal(asked.length, 1);
  release();
  pass(5_000);
  const later = own.of("acc_1");
  later.recall("call_1");
  assert.equal(await later.lookUp(), false);
  assert.equal(asked.length, 2);
});

test("a store that is behind is not asked", async () => {
  const { process, asked, leaveBehind } = stage();
  leaveBehind();
  const memory = process().of("acc_1");
  memory.recall("call_1");
  assert.equal(await memory.lookUp(), false);
  assert.deepEqual(asked, []);
});

test("writes go one at a time, what comes meanwhile together, and no more than fits", async () => {
  const { process, hold, writes, rows, warnings } = stage();
  const release = hold();
  const own = process();
  for (let number = 0; number < 2_000; number += 1) own.of("acc_1").remember(`call_${number}`, "thought");
  await settle();
  assert.deepEqual(writes, [1]);
  release();
  while (rows.size < 1_001) await settle();
  assert.deepEqual(writes, [1, ...Array.from({ length: 10 }, () => 100)]);
  assert.deepEqual(warnings, []);
  assert.equal(own.of("acc_1").recall("call_1999"), "thought", "this process still knows the rest");
});

test("a write that fails is told, and the next ones go on", async () => {
  const { process, rows, warnings, breakStore } = stage();
  const own = process();
  breakStore(true);
  own.of("acc_1").remember("call_1", "thought");
  await settle();
  breakStore(false);
  own.of("acc_1").remember("call_2", "thought");
  await settle();
  assert.deepEqual(warnings, ["reasoning_not_shared"]);
  assert.deepEqual([...rows.keys()], ["acc_1 call_2"]);
});

test("without a store, or with too large a thought, each process knows its own alone", async () => {
  const { process, rows } = stage();
  const alone = process(false);
  alone.of("acc_1").remember("call_1", "thought");
  assert.equal(alone.of("acc_1").recall("call_1"), "thought");
  const memory = alone.of("acc_1");
  memory.recall("call_2");
  assert.equal(memory.lookUp(), undefined);
  const shared = process();
  shared.of("acc_1").remember("call_1", "x".repeat(256 * 1024 + 1));
  await settle();
  assert.equal(rows.size, 0);
  assert.deepEqual(shared.size, { entries: 0, characters: 0 });
});

test("it is bounded in number and age", () => {
  const { process, pass } = stage();
  const own = process(false);
  for (let number = 0; number <= 20_000; number += 1) own.of("acc_1").remember(`call_${number}`, "thought");
  assert.equal(own.size.entries, 20_000);
  assert.equal(own.of("acc_1").recall("call_0"), undefined);
  pass(24 * 3_600_000 + 1);
  assert.equal(own.of("acc_1").recall("call_1"), undefined);
});
