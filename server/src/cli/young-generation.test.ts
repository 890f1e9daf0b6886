/** The bound on buffers that wait for a collection, in a process of its own: V8's flags are a whole process's. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const module = new URL("./young-generation.ts", import.meta.url).href;

/** Makes 400 MiB of buffers, 64 KiB each and all garbage at once; says how many young collections that took. */
const script = `
  import { PerformanceObserver, constants } from "node:perf_hooks";
  const { boundYoungBuffers } = await import(${JSON.stringify(module)});
  if (process.argv[1] === "bound") boundYoungBuffers();
  let young = 0;
  const count = (list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) young++;
  };
  const observer = new PerformanceObserver(count);
  observer.observe({ entryTypes: ["gc"] });
  for (let index = 0; index < 6400; index++) {
    Buffer.allocUnsafeSlow(65_536);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  count({ getEntries: () => observer.takeRecords() });
  console.log(young);
`;

const youngCollections = (word: string): number =>
  Number(
    execFileSync(
      process.execPath,
      ["--max-semi-space-size=32", "--input-type=module", "--eval", script, word],
      {
        encoding: "utf8",
      },
    ),
  );

test("buffers that are read and passed on are collected young", () => {
  assert.ok(youngCollections("bound") > youngCollections("unbound") + 2);
});
