import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchedule } from "./schedule.ts";

test("work of all periods runs from one timer, which ends with the last of it", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const started = context.mock.method(globalThis, "setInterval");
  const done: string[] = [];
  const schedule = createSchedule(500);
  const stopFast = schedule.every(500, () => done.push("fast"));
  const stopSlow = schedule.every(1_000, () => done.push("slow"));
  context.mock.timers.tick(2_000);
  assert.deepEqual(done, ["fast", "fast", "slow", "fast", "fast", "slow"]);
  stopFast();
  context.mock.timers.tick(1_000);
  assert.deepEqual(done.slice(6), ["slow"]);
  stopSlow();
  context.mock.timers.tick(5_000);
  assert.equal(done.length, 7);
  assert.equal(started.mock.callCount(), 1);
  schedule.every(500, () => done.push("again"));
  context.mock.timers.tick(500);
  assert.equal(done.at(-1), "again");
});

test("a period the schedule cannot keep is a bug", () => {
  assert.throws(() => createSchedule(500).every(750, () => {}), /750 ms is no multiple of 500 ms/);
});
