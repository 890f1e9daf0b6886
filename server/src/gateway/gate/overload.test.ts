/**
 * Gate and overload watch together: who is admitted, what is released, what a refusal says, and that the
 * listener refuses without breaking the connection.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { Connections } from "../../http/listener/connections.ts";
import { createHttpServer } from "../../http/listener/server.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { createSchedule } from "../../lib/time/schedule.ts";
import { createGate, type Gate } from "./admit.ts";
import { createOverload, type Overload } from "./overload.ts";

const log = createLog({ level: "silent", clock: systemClock, write: () => {} });
const heap = { used: () => 0.1, live: () => 0.1, stop: () => {} };
const schedule = createSchedule({ clock: systemClock });

function setUp(inFlightMax: number, bodiesBytesMax = 1_000_000): { gate: Gate; overload: Overload } {
  const bounds = { lagMaxMs: 60_000, heapShareMax: 0.8, inFlightMax, bodyBytesMax: 900_000, bodiesBytesMax };
  const overload = createOverload({ bounds, clock: systemClock, log, random: Math.random, heap, schedule });
  after(() => overload.stop());
  return { gate: createGate(overload), overload };
}

/** True for an `overloaded` error with a Retry-After of 1 to 5 s. */
function isOverloaded(error: unknown): boolean {
  assert.ok(error instanceof GatewayError);
  const { retryAfterMs = 0 } = error.detail;
  return error.code === "overloaded" && retryAfterMs >= 1_000 && retryAfterMs <= 5_000;
}

test("the bound on what is in flight: large bodies meet it first, one out lets one in, ending twice counts once", () => {
  const { gate, overload } = setUp(4);
  const holds = [gate.admit(100), gate.admit(undefined), gate.admit(200_000)];
  assert.throws(() => gate.admit(200_000), isOverloaded);
  assert.throws(() => gate.admit(undefined), isOverloaded);
  holds.push(gate.admit(100));
  assert.throws(() => gate.admit(100), isOverloaded);
  assert.throws(() => gate.glance(), isOverloaded);
  assert.equal(overload.readings().refused.in_flight, 4);
  holds[0]?.end();
  holds[0]?.end();
  assert.equal(gate.inFlight, 3);
  gate.admit(100);
  assert.throws(() => gate.admit(100), isOverloaded);
});

test("room for bodies is taken once and given back whole", () => {
  const { gate, overload } = setUp(100);
  const first = gate.admit(700_000);
  first.makeRoom(700_000);
  assert.throws(() => gate.admit(100_000), isOverloaded);
  const chunked = gate.admit(undefined);
  chunked.makeRoom(40_000);
  assert.throws(() => chunked.makeRoom(40_000), isOverloaded);
  const small = gate.admit(60_000);
  small.makeRoom(60_000);
  assert.equal(overload.readings().bodiesBytes, 800_000);
  for (const reservation of [first, chunked, small]) reservation.end();
  chunked.makeRoom(1);
  assert.equal(overload.readings().bodiesBytes, 0);
  assert.equal(overload.readings().refused.bodies, 2);
});

test("a body that is too large by itself is not called overload", () => {
  const { gate } = setUp(100);
  gate.admit(700_000).makeRoom(700_000);
  assert.ok(gate.admit(5_000_000));
});

test("leaving: calls go on; shut: nobody is admitted, what looks only goes on; the last one out ends it", async () => {
  const { gate } = setUp(10);
  const holds = [gate.admit(0)];
  gate.leave();
  assert.ok(gate.isDraining);
  holds.push(gate.admit(0));
  const isEmpty = gate.whenEmpty();
  gate.shut();
  assert.throws(() => gate.admit(0), /stopping/);
  assert.equal(gate.refusalOf(0), undefined);
  gate.glance();
  for (const reservation of holds) reservation.end();
  await isEmpty;
  await createGate(setUp(1).overload).whenEmpty();
});

interface Answer {
  readonly response: IncomingMessage;
  readonly body: string;
}

test("the listener refuses at once, keeps the connection, and leaves health alone", async () => {
  const { gate } = setUp(1);
  let routed = 0;
  const server = createHttpServer({
    settings: { headersTimeoutMs: 5_000, keepAliveTimeoutMs: 5_000, connectionsMax: 10, corsOrigins: "" },
    connections: new Connections(systemClock),
    newRequestId: () => "req_1",
    refusalOf: gate.refusalOf,
    route: (exchange, reply) => {
      routed += 1;
      exchange.resume();
      reply.send(200, "text/plain", Buffer.from("ok"));
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const ask = async (method: string, path: string, text = ""): Promise<Answer> => {
    const call = request({ port, host: "127.0.0.1", method, path, agent });
    call.end(text);
    const [response] = (await once(call, "response")) as [IncomingMessage];
    let body = "";
    for await (const part of response) body += String(part);
    return { response, body };
  };
  const reservation = gate.admit(0);
  const refused = await ask("POST", "/v1/chat/completions", "x".repeat(30_000));
  assert.equal(refused.response.statusCode, 503);
  assert.equal(JSON.parse(refused.body).error.code, "overloaded");
  assert.equal(refused.response.headers["x-request-id"], "req_1");
  assert.equal(refused.response.headers["x-should-retry"], "true");
  assert.match(String(refused.response.headers["retry-after"]), /^[1-5]$/);
  const inWords = await ask("POST", "/v1/messages?beta=true", "{}");
  assert.deepEqual(
    [
      inWords.response.statusCode,
      inWords.response.headers["request-id"],
      JSON.parse(inWords.body).error.type,
    ],
    [503, "req_1", "overloaded_error"],
  );
  assert.equal(inWords.response.headers["x-should-retry"], "true");
  assert.equal(inWords.response.headers["content-length"], String(inWords.body.length));
  const inGemini = await ask("POST", "/v1beta/models/m:generateContent", "{}");
  assert.equal(JSON.parse(inGemini.body).error.status, "UNAVAILABLE");
  assert.equal(routed, 0);
  assert.equal((await ask("GET", "/healthz")).response.statusCode, 200);
  reservation.end();
  assert.equal((await ask("POST", "/v1/chat/completions", "{}")).body, "ok");
  assert.equal(routed, 2);
  assert.equal(connections, 1);
});

test("a process that limits itself says why, in the terms of what the operator allows", async () => {
  const limited = Promise.withResolvers<void>();
  const loud = createLog({ level: "warn", clock: systemClock, write: () => limited.resolve() });
  let share = 0.1;
  const bounds = {
    lagMaxMs: 60_000,
    heapShareMax: 0.8,
    inFlightMax: 500,
    bodyBytesMax: 1_000,
    bodiesBytesMax: 1_000,
  };
  const gauge = { used: () => share, live: () => share, stop: () => {} };
  const overload = createOverload({
    bounds,
    clock: systemClock,
    log: loud,
    random: Math.random,
    heap: gauge,
    schedule,
  });
  after(() => overload.stop());
  assert.deepEqual([overload.readings().isLimiting, overload.readings().selfLimit], [false, null]);
  share = 0.873;
  await limited.promise;
  const { isLimiting, selfLimit } = overload.readings();
  assert.equal(isLimiting, true);
  assert.deepEqual(selfLimit, { reason: "heap", seen: 87, allowed: 80, inFlightLimit: 32, inFlightMax: 500 });
});

test("without calls the loop is looked at when the process wakes up anyway, closely from the first call on, and a delay is forgotten in seconds", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const started = context.mock.method(globalThis, "setTimeout");
  const bounds = { lagMaxMs: 60_000, heapShareMax: 0.8, inFlightMax: 8, bodyBytesMax: 1, bodiesBytesMax: 1 };
  const log = createLog({ level: "error", clock, write: () => {} });
  const schedule = createSchedule({ clock });
  const overload = createOverload({ bounds, clock, log, random: () => 0, heap, schedule });
  context.after(() => overload.stop());
  /** Number of timers started; each is one wake-up. */
  const pass = (ms: number) => {
    const before = started.mock.callCount();
    for (let passed = 0; passed < ms; passed += 10) {
      nowMs += 10;
      context.mock.timers.tick(10);
    }
    return started.mock.callCount() - before;
  };
  assert.equal(pass(10_000), 20, "none of its own");
  assert.ok(overload.isResting);
  overload.enter();
  assert.equal(overload.isResting, false);
  assert.equal(pass(1_000), 102);
  overload.leave();
  pass(1_000);
  assert.ok(overload.isResting);
  assert.equal(pass(10_000), 20);
  // The loop was blocked for 300 ms while idle.
  nowMs += 800;
  context.mock.timers.tick(500);
  assert.ok(overload.readings().lagMaxMs >= 300);
  pass(11_000);
  assert.equal(overload.readings().lagMaxMs, 0);
  // The loop was blocked until the first call arrived.
  nowMs += 800;
  overload.enter();
  assert.ok(overload.readings().lagMaxMs >= 300, `${overload.readings().lagMaxMs}`);
});

test("the first call after a rest is refused like any other when there are too many, and the loop is judged in the windows that follow", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const bounds = {
    lagMaxMs: 50,
    heapShareMax: 0.8,
    inFlightMax: 500,
    bodyBytesMax: 1_000,
    bodiesBytesMax: 1_000,
  };
  const log = createLog({ level: "silent", clock, write: () => {} });
  const schedule = createSchedule({ clock, isQuiet: () => overload.isResting });
  const round = () => 100;
  const overload: Overload = createOverload({ bounds, clock, log, random: () => 0, heap, schedule, round });
  context.after(() => overload.stop());
  for (let passed = 0; passed < 60_000; passed += 100) {
    nowMs += 100;
    context.mock.timers.tick(100);
  }
  assert.ok(overload.isResting);
  const gate = createGate(overload);
  for (let count = 0; count < 500; count += 1) gate.admit(0);
  assert.throws(() => gate.admit(0), isOverloaded);
  assert.equal(overload.readings().isLimiting, false);
  for (let passed = 0; passed < 310; passed += 10) {
    nowMs += 10;
    context.mock.timers.tick(10);
  }
  assert.equal(
    overload.readings().selfLimit?.reason,
    "lag",
    "after three windows, as in a process that never rests",
  );
});

test("rounds that cost too much by those in flight limit them, below the floor of a delay that may be others'", async () => {
  const limited = Promise.withResolvers<void>();
  const loud = createLog({ level: "warn", clock: systemClock, write: () => limited.resolve() });
  const bounds = {
    lagMaxMs: 50,
    heapShareMax: 0.8,
    inFlightMax: 500,
    bodyBytesMax: 1_000,
    bodiesBytesMax: 1_000,
  };
  const overload = createOverload({
    bounds,
    clock: systemClock,
    log: loud,
    random: Math.random,
    heap,
    schedule,
    round: () => 100,
  });
  after(() => overload.stop());
  const gate = createGate(overload);
  for (let count = 0; count < 250; count += 1) gate.admit(0);
  await limited.promise;
  const { selfLimit } = overload.readings();
  assert.deepEqual(
    { ...selfLimit, seen: Math.min(selfLimit?.seen ?? 0, 200) },
    { reason: "lag", seen: 200, allowed: 50, inFlightLimit: 208, inFlightMax: 500 },
  );
  assert.throws(() => gate.admit(0), isOverloaded);
});
