import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";
import { sampleLog } from "./log-sample.ts";

function stage() {
  let nowMs = 0;
  const lines: Record<string, unknown>[] = [];
  const clock = { elapsedMs: () => nowMs, wallMs: () => nowMs };
  const plain = createLog({ level: "info", clock, write: (line) => void lines.push(JSON.parse(line)) });
  const log = sampleLog(plain, clock, { failed: ["upstream"] });
  return { log, lines, wait: (ms: number) => (nowMs += ms) };
}

test("of each kind five lines are written in ten seconds, and the next one tells how many were not", () => {
  const { log, lines, wait } = stage();
  for (let call = 0; call < 1_000; call += 1) {
    log.warn("failed", { upstream: "a", request: `req_${call}` });
    if (call % 2 === 0) log.warn("failed", { upstream: "b" });
    log.warn("other");
  }
  const of = (upstream: string) => lines.filter((line) => line["upstream"] === upstream);
  assert.equal(of("a").length, 5);
  assert.equal(of("b").length, 5);
  assert.equal(lines.filter(({ event }) => event === "other").length, 1_000);
  assert.ok(lines.every((line) => line["skipped"] === undefined));
  wait(10_000);
  log.warn("failed", { upstream: "a" });
  log.warn("failed", { upstream: "a" });
  assert.deepEqual(
    of("a")
      .slice(5)
      .map(({ skipped }) => skipped),
    [995, undefined],
  );
});

test("kinds without end take no memory without end", () => {
  const { log, lines } = stage();
  for (let call = 0; call < 2_500; call += 1) log.warn("failed", { upstream: String(call) });
  assert.equal(lines.length, 2_500);
});
