/**
 * A server without connections, or with idle ones alone, does not check for slow headers. Otherwise they are
 * cut off in time, at the first and at later connections, and after a long rest.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../lib/time/clock.ts";
import { Connections } from "./connections.ts";
import { createHttpServer } from "./server.ts";

const headersTimeoutMs = 400;
/** Longer than the check runs on after the last connection, plus one interval. */
const restedMs = 1_500;
const head = "GET /healthz HTTP/1.1\r\nhost: plaza\r\n";

async function setUp(context: TestContext, limitMs = headersTimeoutMs) {
  const server = createHttpServer({
    settings: { headersTimeoutMs: limitMs, keepAliveTimeoutMs: 60_000, connectionsMax: 10, corsOrigins: "" },
    connections: new Connections(systemClock),
    newRequestId: () => "req_1",
    route: (_req, reply) => reply.send(200, "text/plain", Buffer.from("ok")),
  });
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return (): Socket => connect({ port, host: "127.0.0.1" }).on("error", () => {});
}

/** Reads everything until the server closes the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) text += String(bytes);
  return text;
}

/** A check every 250 ms would be six in each rest. */
const wakeUpsMax = 4;

/**
 * How often the process is woken in a rest: the least of up to three, because a loop that waits for the last
 * millisecond of a timer turns often on a busy machine.
 */
async function wakeUps(): Promise<number> {
  const count = () => performance.nodeTiming.uvMetricsInfo.loopCount;
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > wakeUpsMax; tries += 1) {
    const before = count();
    await sleep(restedMs);
    least = Math.min(least, count() - before);
  }
  return least;
}

test("a server nobody is connected to is not woken to look for slow heads, before the first connection and after the last", async (context) => {
  const open = await setUp(context);
  const before = await wakeUps();
  assert.ok(before <= wakeUpsMax, `woken ${before} times before the first connection`);
  const socket = open();
  socket.write(`${head}connection: close\r\n\r\n`);
  assert.match(await rest(socket), /^HTTP\/1\.1 200/);
  await sleep(restedMs);
  const afterwards = await wakeUps();
  assert.ok(afterwards <= wakeUpsMax, `woken ${afterwards} times after the last`);
});

test("the head of the first connection after a rest is cut, and so is one of which not a byte comes", async (context) => {
  const open = await setUp(context);
  const socket = open();
  socket.write(head);
  const silent = open();
  assert.match(await rest(socket), /^HTTP\/1\.1 408.*"code":"request_timeout"/s);
  assert.match(await rest(silent), /^HTTP\/1\.1 408/);
  await sleep(restedMs);
  const later = open();
  later.write(head);
  assert.match(await rest(later), /^HTTP\/1\.1 408/);
});

test("a kept connection on which the next head stops half-way is cut, however long it was idle before", async (context) => {
  const open = await setUp(context);
  const socket = open();
  socket.write(`${head}\r\n`);
  await once(socket, "data");
  await sleep(restedMs);
  assert.equal(socket.closed, false, "an idle connection is kept");
  socket.write(head);
  assert.match(await rest(socket), /^HTTP\/1\.1 408/);
});

test("a connection at rest wakes the server once a second, and its next head is cut in time", async (context) => {
  const limitMs = 1_000;
  const open = await setUp(context, limitMs);
  const socket = open();
  socket.write(`${head}\r\n`);
  await once(socket, "data");
  await sleep(restedMs);
  const resting = await wakeUps();
  assert.ok(resting <= wakeUpsMax, `woken ${resting} times beside an idle connection`);
  const beganMs = performance.now();
  socket.write(head);
  assert.match(await rest(socket), /^HTTP\/1\.1 408/);
  // Found within a second, then checked every 250 ms; the margin is for a busy machine.
  assert.ok(performance.now() - beganMs < limitMs + 1_000, "cut too late");
  const silent = open();
  assert.match(await rest(silent), /^HTTP\/1\.1 408/);
});
