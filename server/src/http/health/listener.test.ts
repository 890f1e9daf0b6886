/** The health thread while the main event loop is blocked; another process sends the requests. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../lib/telemetry/log.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { startHealthListener } from "./listener.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

const askText = `
  const [port, afterMs, path] = process.argv.slice(1);
  setTimeout(async () => {
    const at = performance.now();
    const answer = await fetch("http://127.0.0.1:" + port + path);
    const text = await answer.text();
    console.log(JSON.stringify({ status: answer.status, text, tookMs: performance.now() - at }));
  }, Number(afterMs));
`;

/** Blocks this event loop until the answer to a request sent after `afterMs` has arrived. */
const askBlocked = (port: number, path: string, afterMs = 0): Answer =>
  JSON.parse(execFileSync(process.execPath, ["-e", askText, String(port), String(afterMs), path]).toString());

async function start(stallMs: number) {
  const lines: string[] = [];
  const log = createLog({ level: "info", clock: systemClock, write: (line) => void lines.push(line) });
  const listen = { host: "127.0.0.1", port: 0 };
  const listener = await startHealthListener(
    { listen, stallMs, operatorToken: undefined, metricsToken: undefined },
    log,
  );
  const { port } = JSON.parse(lines[0] ?? "{}") as { port: number };
  return { listener, port };
}

test("answers while the event loop stands still, and says so once it has for longer than the bound", async () => {
  const { listener, port } = await start(1_000);
  listener.beat(7, undefined);
  assert.deepEqual(
    [askBlocked(port, "/healthz").status, askBlocked(port, "/readyz").status],
    [200, 200],
    "not yet",
  );
  listener.beat(7, undefined);
  const stalled = askBlocked(port, "/healthz", 1_500);
  assert.equal(stalled.status, 503);
  assert.match(stalled.text, /process 7 has stood still for \d s/);
  assert.equal(askBlocked(port, "/readyz").status, 503);
  listener.beat(7, undefined);
  await sleep(10);
  assert.equal(askBlocked(port, "/healthz").status, 200);
});

test("figures: none before there are any, then the newest, and the last known with their age when none come", async () => {
  const { listener, port } = await start(60_000);
  assert.equal(askBlocked(port, "/metrics").status, 503);
  let asked = 0;
  listener.figuresFrom(() => {
    asked += 1;
    return Promise.resolve(`asked_total ${asked}\n`);
  });
  const first = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.match(await first.text(), /^asked_total \d+\n.*\nplaza_metrics_age_seconds 0(\.\d+)?\n$/s);
  const before = asked;
  const late = askBlocked(port, "/metrics", 1_200);
  assert.equal(asked, before);
  assert.match(late.text, new RegExp(`^asked_total ${before}\\n`));
  assert.match(late.text, /\nplaza_metrics_age_seconds [1-9]/);
  assert.ok(late.tookMs < 1_000, `${late.tookMs} ms`);
});

test("figures are made once a second, however often somebody looks", async () => {
  const { listener, port } = await start(60_000);
  let made = 0;
  listener.figuresFrom(() => {
    made += 1;
    return Promise.resolve(`made_total ${made}\n`);
  });
  const from = systemClock.elapsedMs();
  for (let look = 0; look < 40; look += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.match(await answer.text(), /^made_total \d+\n/);
  }
  const seconds = Math.ceil((systemClock.elapsedMs() - from) / 1_000);
  assert.ok(made <= 1 + seconds, `made ${made} times in ${seconds} s`);
});

test("an address that is taken is an error in words", async () => {
  const { port } = await start(1_000);
  const log = createLog({ level: "silent", clock: systemClock, write: () => {} });
  const again = {
    listen: { host: "127.0.0.1", port },
    stallMs: 1_000,
    operatorToken: undefined,
    metricsToken: undefined,
  };
  await assert.rejects(startHealthListener(again, log), /PLAZA_HEALTH_LISTEN .*EADDRINUSE/);
});
