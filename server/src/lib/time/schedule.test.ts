/** The shared timer of recurring work: its interval, its longer interval when quiet, and its delay. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createSchedule } from "./schedule.ts";

/** Simulated time that advances in steps of 10 ms, with its timers. */
function timeOf(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  return {
    clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
    pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += 10;
        context.mock.timers.tick(10);
      }
    },
    /** The process is blocked: time passes and no timer runs. */
    standStill(ms: number) {
      nowMs += ms;
    },
  };
}

test("work of all periods runs from one timer, which ends with the last of it", (context) => {
  const { clock, pass } = timeOf(context);
  const started = context.mock.method(globalThis, "setTimeout");
  const done: string[] = [];
  const schedule = createSchedule({ clock });
  const stopFast = schedule.every(500, () => done.push("fast"));
  const stopSlow = schedule.every(1_000, () => done.push("slow"));
  pass(2_000);
  assert.deepEqual(done, ["fast", "fast", "slow", "fast", "fast", "slow"]);
  stopFast();
  pass(1_000);
  assert.deepEqual(done.slice(6), ["slow"]);
  // One at the start, and one after each wake-up.
  assert.equal(started.mock.callCount(), 7);
  stopSlow();
  pass(5_000);
  assert.equal(done.length, 7);
  assert.equal(started.mock.callCount(), 7);
  schedule.every(500, () => done.push("again"));
  pass(500);
  assert.equal(done.at(-1), "again");
});

test("a process that was quiet for five seconds wakes up once a second, and no work is left out but what is due more often", (context) => {
  const { clock, pass } = timeOf(context);
  let isQuiet = true;
  const wakeUps: number[] = [];
  const done: Record<number, number> = {};
  const schedule = createSchedule({ clock, isQuiet: () => isQuiet });
  schedule.every(500, () => wakeUps.push(clock.elapsedMs()));
  for (const ms of [1_000, 1_500, 3_000, 5_000]) {
    done[ms] = 0;
    schedule.every(ms, () => {
      done[ms] = (done[ms] ?? 0) + 1;
    });
  }
  pass(8_000);
  assert.deepEqual(wakeUps.slice(-4), [5_000, 6_000, 7_000, 8_000]);
  pass(22_000);
  assert.deepEqual(done, { 1000: 30, 1500: 20, 3000: 10, 5000: 6 });
  isQuiet = false;
  pass(1_000);
  wakeUps.length = 0;
  pass(3_000);
  assert.equal(wakeUps.length, 6, "one call, and it wakes up twice a second again");
  isQuiet = true;
  pass(4_500);
  assert.equal(wakeUps.length, 15, "not quiet for long enough yet");
});

test("a wake-up that comes late says by how much, and is overdue before it comes", (context) => {
  const { clock, pass, standStill } = timeOf(context);
  const late: number[] = [];
  const schedule = createSchedule({ clock });
  assert.equal(schedule.overdueMs(), 0);
  schedule.every(500, (lateMs) => late.push(lateMs));
  pass(500);
  standStill(700);
  assert.equal(schedule.overdueMs(), 200);
  context.mock.timers.tick(500);
  assert.deepEqual(late, [0, 200]);
  assert.equal(schedule.overdueMs(), 0);
});

test("a period the schedule cannot keep is a bug", () => {
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  assert.throws(() => createSchedule({ clock }).every(750, () => {}), /750 ms is no multiple of 500 ms/);
});
