/** The gauge beside this very loop: once while it sleeps, once while it never does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../lib/clock.ts";
import { createRoundGauge } from "./round-gauge.ts";

test("a loop that has time to wait is not called dear, one that never has is", async () => {
  const seen: number[] = [];
  const round = createRoundGauge();
  await sleep(50);
  seen.push(round());
  const until = systemClock.elapsedMs() + 60;
  while (systemClock.elapsedMs() < until) {
    const turn = systemClock.elapsedMs() + 15;
    while (systemClock.elapsedMs() < turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
  seen.push(round());
  assert.equal(seen[0], 0);
  assert.ok((seen[1] ?? 0) > 1 && (seen[1] ?? 0) < 60, `${seen[1]} ms`);
});
