import assert from "node:assert/strict";
import { PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { eventually } from "../../../../test/rigs/harness/measure/clock.ts";
import { createHeapGauge } from "./heap-gauge.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("one observer tells what collections took and what is alive after a full one", async (context) => {
  const observed = context.mock.method(PerformanceObserver.prototype, "observe");
  const gauge = createHeapGauge();
  context.after(gauge.stop);
  assert.equal(gauge.live(), 0);
  assert.ok(gauge.used() > 0 && gauge.used() < 1);
  collect();
  assert.ok(await eventually(async () => (gauge.pauses().get("major")?.count ?? 0) > 0, 5_000));
  assert.ok(gauge.live() > 0 && gauge.live() <= gauge.used());
  assert.ok((gauge.pauses().get("major")?.ms ?? 0) > 0);
  assert.deepEqual([...gauge.pauses().keys()], ["minor", "major", "incremental", "weak"]);
  assert.equal(observed.mock.callCount(), 1);
});
