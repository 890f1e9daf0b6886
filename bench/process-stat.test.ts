/** The reading of /proc, on this very process and a child of it. Linux only, as the benchmark is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startChild, stopChild, waitForOutput } from "./child.ts";
import { cpuTimeMs, processTree, pssKib, rssKib, threadCpuTimesMs } from "./process-stat.ts";

const skip = process.platform !== "linux";

test("a tree holds the process and its children, and its CPU time is the sum", { skip }, async () => {
  const work =
    "const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end); console.log('worked');";
  const child = startChild("worker", process.execPath, ["-e", `${work} setInterval(() => {}, 1000);`]);
  try {
    await waitForOutput(child, "stdout", /worked/, 30_000);
    assert.deepEqual(processTree(child.pid), [child.pid]);
    assert.ok(processTree(process.pid).includes(child.pid));
    assert.ok(cpuTimeMs(child.pid) >= 190);
    assert.ok(cpuTimeMs(process.pid) >= cpuTimeMs(child.pid));
    const threads = [...threadCpuTimesMs(child.pid).values()];
    assert.ok(threads.some((thread) => thread.cpuMs >= 190));
    assert.ok(pssKib(child.pid) > 1000);
    assert.equal(rssKib(child.pid).length, 1);
  } finally {
    await stopChild(child);
  }
  assert.deepEqual(processTree(child.pid), []);
});
