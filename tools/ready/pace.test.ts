import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { runPaced, tickMs } from "./pace.ts";

/** Steps that end when told; `running` names those that run. */
function createSteps() {
  const running = new Map<number, () => void>();
  const run = (step: number): Promise<void> =>
    new Promise((resolve) => {
      running.set(step, () => {
        running.delete(step);
        resolve();
      });
    });
  const end = async (step: number): Promise<void> => {
    running.get(step)?.();
    await new Promise(setImmediate);
  };
  return { run, end, running: () => [...running.keys()] };
}

/** Starts a run whose ticks and idleness the test decides. */
function begin(context: TestContext, count: number, isIdle: () => boolean) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const steps = createSteps();
  const done = runPaced(
    Array.from({ length: count }, (_, index) => index),
    steps.run,
    { least: 2, most: 4 },
    isIdle,
  );
  return { ...steps, done, tick: () => context.mock.timers.tick(tickMs) };
}

test("busy processors get no more than the least number of steps, in order", async (context) => {
  const { running, tick, end, done } = begin(context, 4, () => false);
  tick();
  assert.deepEqual(running(), [0, 1]);
  await end(1);
  assert.deepEqual(running(), [0, 2]);
  for (const step of [0, 2, 3]) await end(step);
  await done;
});

test("each tick with idle processors starts one more, up to the most", async (context) => {
  const { running, tick, end, done } = begin(context, 6, () => true);
  assert.deepEqual(running(), [0, 1]);
  tick();
  assert.deepEqual(running(), [0, 1, 2]);
  tick();
  tick();
  assert.deepEqual(running(), [0, 1, 2, 3]);
  await end(0);
  assert.deepEqual(running(), [1, 2, 3]);
  tick();
  assert.deepEqual(running(), [1, 2, 3, 4]);
  for (const step of [1, 2, 3, 4, 5]) await end(step);
  await done;
});

test("a step that fails to run fails the whole", async () => {
  await assert.rejects(
    runPaced([1], () => Promise.reject(new Error("no such program")), { least: 1, most: 1 }),
    /no such program/,
  );
});
