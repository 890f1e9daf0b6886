/** Warnings and errors are counted by event and passed on unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "../../lib/telemetry/log.ts";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { countLog } from "./log.ts";

test("what is worth an alarm is counted by level and event; the rest passes by; nothing is lost on the way", () => {
  const lines: unknown[][] = [];
  const at = (level: string) => (event: string, fields?: object) => lines.push([level, event, fields]);
  const log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  } as unknown as Log;
  const registry = createRegistry();
  const counted = countLog(log, registry);
  const fields = { a: 1 };
  counted.debug("one");
  counted.info("two", fields);
  counted.warn("three", fields);
  counted.warn("three");
  counted.error("four", fields);
  assert.deepEqual(lines, [
    ["debug", "one", undefined],
    ["info", "two", fields],
    ["warn", "three", fields],
    ["warn", "three", undefined],
    ["error", "four", fields],
  ]);
  const samples = registry
    .families("")
    .flatMap(({ body }) => body.split("\n"))
    .filter((line) => line.startsWith("plaza_log_events_total"));
  assert.deepEqual(samples, [
    'plaza_log_events_total{level="warn",event="three"} 2',
    'plaza_log_events_total{level="error",event="four"} 1',
  ]);
});
