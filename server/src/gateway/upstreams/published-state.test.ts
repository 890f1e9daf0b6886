import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessReadings, UpstreamState } from "@plaza/contract/upstream-states.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import { logHealthEvent } from "./log-health.ts";
import { createPublisher } from "./published-state.ts";

const state = (inFlight: number): UpstreamState => ({
  id: "a",
  provider: "openai",
  inFlight,
  concurrency: null,
  credentials: [],
  deployments: [],
});

const readings = (): ProcessReadings => ({
  pid: 1,
  version: "1",
  startedAt: "2025-11-20T01:33:20.000Z",
  loopLagMs: 0,
  heapBytes: 1,
  rssBytes: 1,
  inFlight: 0,
  isBehind: false,
  isLimiting: false,
});

test("states are written when they changed, under the id of the moment, again after a failure, one write at a time", async () => {
  let states = [state(0)];
  let holderId = "hld_1";
  let answer: () => Promise<void> = async () => {};
  const written: string[] = [];
  const publish = createPublisher({
    states: () => states,
    models: () => ({ down: [], degraded: [], served: [] }),
    readings,
    clock: { wallMs: () => 0, elapsedMs: () => 0 },
    holderId: () => holderId,
    store: {
      publishUpstreamStates(id, upstreams) {
        written.push(`${id} ${upstreams[0]?.inFlight}`);
        return answer();
      },
    },
  });
  await publish();
  await publish();
  states = [state(1)];
  answer = () => Promise.reject(new Error("the database is away"));
  await publish();
  const slow = Promise.withResolvers<void>();
  answer = () => slow.promise;
  const first = publish();
  await publish();
  slow.resolve();
  await first;
  holderId = "hld_2";
  await publish();
  await publish();
  assert.deepEqual(written, ["hld_1 0", "hld_1 1", "hld_1 1", "hld_2 1"]);
});

test("readings are written again after fifteen seconds, with the states as they are", async () => {
  let nowMs = 0;
  const written: number[] = [];
  const publish = createPublisher({
    states: () => [state(0)],
    models: () => ({ down: [], degraded: [], served: [] }),
    readings: () => ({ ...readings(), inFlight: nowMs }),
    clock: { wallMs: () => 0, elapsedMs: () => nowMs },
    holderId: () => "hld_1",
    store: {
      async publishUpstreamStates(_id, _upstreams, told) {
        written.push(told?.inFlight ?? -1);
      },
    },
  });
  for (nowMs = 0; nowMs <= 32_000; nowMs += 1_000) await publish();
  assert.deepEqual(written, [0, 15_000, 30_000]);
});

test("one line per change; what only a person can mend is an alarm", () => {
  const lines: { level: string; event: string; isAlarm?: boolean }[] = [];
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  const log = createLog({ level: "debug", clock, write: (line) => lines.push(JSON.parse(line)) });
  logHealthEvent(log, { name: "credential_out", upstream: "a", credential: 1, fault: "upstream_quota" });
  logHealthEvent(log, { name: "deployment_ejected", upstream: "a", upstreamModel: "m", fault: "server" });
  logHealthEvent(log, {
    name: "deployment_ejected",
    upstream: "a",
    upstreamModel: "m",
    fault: "model_unavailable",
  });
  logHealthEvent(log, { name: "deployment_back", upstream: "a", upstreamModel: "m" });
  assert.deepEqual(
    lines.map(({ level, event, isAlarm }) => [level, event, isAlarm]),
    [
      ["error", "credential_out", true],
      ["warn", "deployment_ejected", undefined],
      ["error", "deployment_ejected", true],
      ["info", "deployment_back", undefined],
    ],
  );
});
