/** The cost of a loop iteration, from made-up readings and from the real loop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRoundGauge, type LoopReading } from "./round-gauge.ts";

test("a loop that has time to wait is not called dear, one that never has is", () => {
  let reading: LoopReading = { rounds: 100, cpuMs: 50, activeMs: 60, idleMs: 940 };
  const round = createRoundGauge(() => reading);
  const pass = (rounds: number, cpuMs: number, activeMs: number, idleMs: number): number => {
    reading = {
      rounds: reading.rounds + rounds,
      cpuMs: reading.cpuMs + cpuMs,
      activeMs: reading.activeMs + activeMs,
      idleMs: reading.idleMs + idleMs,
    };
    return round();
  };
  assert.equal(pass(10, 90, 94, 6), 0);
  assert.equal(pass(4, 80, 96, 4), 20);
  // Another process used half of the CPU.
  assert.equal(pass(4, 40, 100, 0), 10);
  assert.equal(pass(0, 100, 100, 0), 100, "in the midst of one round");
});

test("this very loop's rounds and time of the processor are read", async () => {
  const round = createRoundGauge();
  const until = process.threadCpuUsage().user + 20_000;
  while (process.threadCpuUsage().user < until);
  const ms = round();
  assert.ok(ms >= 15 && ms < 10_000, `${ms} ms`);
});
