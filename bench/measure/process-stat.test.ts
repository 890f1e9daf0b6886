/** Reading /proc, tested on this process and its children. Linux only, as the benchmark. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Child, startChild, stopChild, waitForOutput } from "../gateways/child.ts";
import { cpuBetweenMs, processTree, pssKib, readCpu, rssKib, threadCpuTimes } from "./process-stat.ts";

const skip = process.platform !== "linux";

/** Uses 200 ms of CPU on the thread that runs it. */
const busy =
  "const end = process.threadCpuUsage().user + 200_000; while (process.threadCpuUsage().user < end);";

async function whileRunning(script: string, look: (child: Child) => Promise<void>): Promise<void> {
  const child = startChild("worker", process.execPath, ["-e", `${script} setInterval(() => {}, 1000);`]);
  try {
    await look(child);
  } finally {
    await stopChild(child);
  }
  assert.deepEqual(processTree(child.pid), []);
}

test("a tree holds the process and its children, and its CPU time is the sum", { skip }, async () => {
  await whileRunning(`${busy} console.log('worked');`, async (child) => {
    await waitForOutput(child, "stdout", /worked/, 30_000);
    assert.deepEqual(processTree(child.pid), [child.pid]);
    assert.ok(processTree(process.pid).includes(child.pid));
    assert.ok(readCpu(child.pid).threadsMs >= 190);
    assert.ok(readCpu(process.pid).threadsMs >= readCpu(child.pid).threadsMs);
    assert.equal(readCpu(process.pid).processes, processTree(process.pid).length);
    assert.ok(pssKib(child.pid) > 1000);
    assert.equal(rssKib(child.pid).length, 1);
  });
});

/** Starts a thread that uses 200 ms of CPU and reports it, then runs `after`. */
function thread(after: string): string {
  const code = JSON.stringify(`${busy} require('node:fs').writeSync(1, 'worked'); ${after}`);
  return `const { Worker } = require('node:worker_threads'); const make = () => new Worker(${code}, { eval: true });`;
}

test("the work of a busy thread beside the main one is counted, and which thread it was", {
  skip,
}, async () => {
  await whileRunning(`${thread("setInterval(() => {}, 1000);")} make();`, async (child) => {
    await waitForOutput(child, "stdout", /worked/, 30_000);
    const main = threadCpuTimes(child.pid).get(String(child.pid));
    const others = [...threadCpuTimes(child.pid)].filter(([tid]) => tid !== String(child.pid));
    assert.ok(others.some(([, { cpuMs }]) => cpuMs >= 190));
    assert.ok(readCpu(child.pid).threadsMs >= 190 + (main?.cpuMs ?? 0));
  });
});

test("a thread that came and went between two readings is counted", { skip }, async () => {
  const starts = "process.on('SIGUSR2', () => make().on('exit', () => console.log('gone')));";
  const script = `${thread("")} ${starts} console.log('ready');`;
  await whileRunning(script, async (child) => {
    await waitForOutput(child, "stdout", /ready/, 30_000);
    const before = readCpu(child.pid);
    process.kill(child.pid, "SIGUSR2");
    await waitForOutput(child, "stdout", /gone/, 30_000);
    assert.ok(cpuBetweenMs(before, readCpu(child.pid)) >= 180);
  });
});

test("a thread that was counted before and has ended takes nothing away", { skip }, async () => {
  const waits = "require('node:worker_threads').parentPort.once('message', () => process.exit());";
  const ends = "process.on('SIGUSR2', () => worker.on('exit', () => console.log('gone')).postMessage(0));";
  await whileRunning(`${thread(waits)} const worker = make(); ${ends}`, async (child) => {
    await waitForOutput(child, "stdout", /worked/, 30_000);
    const before = readCpu(child.pid);
    process.kill(child.pid, "SIGUSR2");
    await waitForOutput(child, "stdout", /gone/, 30_000);
    const after = readCpu(child.pid);
    assert.ok(after.threadsMs < before.threadsMs);
    assert.ok(cpuBetweenMs(before, after) >= 0);
  });
});

test("two readings make one figure: the threads' clock, or the ticks when work has gone with a thread", () => {
  const reading = (threadsMs: number, ticksMs: number, processes = 1) => ({ threadsMs, ticksMs, processes });
  assert.equal(cpuBetweenMs(reading(1000, 990), reading(1100.5, 1110)), 100.5);
  assert.equal(cpuBetweenMs(reading(1000, 990), reading(1000.25, 990)), 0.25);
  assert.equal(cpuBetweenMs(reading(1000, 990), reading(900, 1090)), 100);
  assert.equal(cpuBetweenMs(reading(1000, 1000, 1), reading(1100, 1135, 2)), 100);
});
