/**
 * A start while PostgreSQL is not running: it waits, logs that, and serves when the server is up; a stop
 * signal ends the wait.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../postgres/server.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { nodeBinary, rootFolder, startProcess } from "../../rigs/harness/processes/processes.ts";
import { isReady, temporaryFolder } from "../harness/product.ts";

const folder = temporaryFolder();
let server: PostgresServer;
let url = "";

before(async () => {
  server = await startPostgres();
  url = await server.newDatabase();
  await server.stop();
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}) {
  const words = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", folder];
  return startProcess(nodeBinary, [`${rootFolder}server/bin/plaza.mjs`, ...words], {
    PLAZA_DATABASE: url,
    ...env,
  });
}

const isWaiting = ({ stderr }: ReturnType<typeof start>) => stderr().includes('"event":"database_awaited"');

test("one that is not awaited ends the start", async () => {
  const running = start({ PLAZA_DATABASE_WAIT_MS: "0" });
  assert.equal(await running.ended, 1);
  assert.match(running.stderr(), /is not available \(nothing listens there\)/);
});

test("a stop ends the wait", async () => {
  const running = start();
  assert.ok(await eventually(() => isWaiting(running), 10_000));
  assert.equal(await running.stop(), 0);
});

test("one that comes later is served from", async () => {
  const running = start();
  try {
    assert.ok(await eventually(() => isWaiting(running), 10_000));
    await server.start();
    const [, origin = ""] = await running.waitFor(/base_url\s+(http:\/\/127\.0\.0\.1:\d+)\/v1/, 30_000);
    assert.ok(await eventually(() => isReady(origin), 10_000));
    assert.match(running.stderr(), /"event":"database_there"/);
  } finally {
    await running.stop();
  }
});
