import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createLog } from "../../lib/telemetry/log.ts";
import { startIncidentLog } from "./incident-log.ts";

test("asks once after a start, and then while there is a problem or an incident is open", async () => {
  const clock = { wallMs: () => 7, elapsedMs: () => 7 };
  const lines: string[] = [];
  const turns: (() => void)[] = [];
  let isTroubled = false;
  let open = 0;
  let asked = 0;
  let failure: Error | undefined;
  const stop = startIncidentLog({
    store: {
      async noteIncidents(nowMs) {
        assert.equal(nowMs, 7);
        asked += 1;
        if (failure !== undefined) throw failure;
        return open;
      },
    },
    clock,
    log: createLog({ level: "info", clock, write: (line) => void lines.push(line) }),
    schedule: {
      every(_ms, work) {
        turns.push(() => work(0));
        return () => turns.splice(0);
      },
    },
    hasTroubledModels: () => isTroubled,
  });
  const turn = async (expected: number) => {
    turns[0]?.();
    await setImmediate();
    assert.equal(asked, expected);
  };
  await turn(1);
  await turn(1);
  isTroubled = true;
  open = 1;
  await turn(2);
  isTroubled = false;
  await turn(3);
  failure = new Error("gone");
  await turn(4);
  await turn(5);
  assert.equal(lines.filter((line) => line.includes("incidents_not_noted")).length, 1);
  failure = undefined;
  open = 0;
  await turn(6);
  await turn(6);
  await stop();
  assert.equal(turns.length, 0);
});
