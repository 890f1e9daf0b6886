import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Connections } from "./connections.ts";

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers at once, with a clock that stands still until the test moves it. */
async function setUp() {
  let nowMs = 10_000;
  /** How far the clock advances with each reading. */
  let step = (): number => 0;
  const elapsedMs = (): number => {
    nowMs += step();
    return nowMs;
  };
  const clock = { wallMs: () => nowMs, elapsedMs };
  const connections = new Connections(clock);
  const server = createServer((req, res) => {
    connections.begin(req.socket);
    res.once("close", () => connections.end(req.socket));
    res.end("ok");
  });
  server.on("connection", (socket: Socket) => connections.add(socket));
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const open = (): Socket => connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => {});
  return {
    connections,
    server,
    open,
    pass: (ms: number) => {
      nowMs += ms;
    },
    step: (next: () => number) => {
      step = next;
    },
  };
}

const request = "GET / HTTP/1.1\r\nhost: plaza\r\n\r\n";

async function ask(socket: Socket): Promise<string> {
  socket.write(request);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes.toString("latin1");
}

test("a connection is closed half a second after its last answer, not before", async () => {
  const { connections, server, open, pass } = await setUp();
  const socket = open();
  await ask(socket);
  pass(60_000);
  await ask(socket);
  await connections.stopAccepting(server);
  const gone = connections.closeIdle(server, 60_000);
  pass(499);
  await sleep(200);
  assert.equal(socket.closed, false);
  assert.match(await ask(socket), /^HTTP\/1.1 200/, "whoever asks again is served");
  pass(499);
  await sleep(200);
  assert.equal(socket.closed, false, "counted from the last answer");
  pass(1);
  assert.equal(await gone, true);
  await once(socket, "close");
});

test("one on which half a head has arrived is left alone until the time is over", async () => {
  const { connections, server, open, pass } = await setUp();
  const socket = open();
  await ask(socket);
  socket.write(request.slice(0, 9));
  await sleep(50);
  await connections.stopAccepting(server);
  const gone = connections.closeIdle(server, 120_000);
  pass(60_000);
  await sleep(200);
  assert.equal(socket.closed, false);
  socket.write(request.slice(9));
  assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1.1 200/);
  pass(60_000);
  await gone;
});

test("newcomers that wait in the system's queue are taken before it is closed", async () => {
  const { connections, server, open, pass } = await setUp();
  const sockets = Array.from({ length: 200 }, open);
  const answers = Promise.all(sockets.map(ask));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  await connections.stopAccepting(server);
  assert.ok((await answers).every((text) => text.startsWith("HTTP/1.1 200")));
  assert.equal(server.listening, false);
  pass(1_000);
  assert.equal(await connections.closeIdle(server, 60_000), true);
});

test("it is closed after a turn of the event loop that did nothing else, and at last without one", async () => {
  const { connections, server, step } = await setUp();
  let slowTurns = 0;
  step(() => {
    slowTurns += 1;
    assert.equal(server.listening, true);
    return slowTurns < 50 ? 1 : 0;
  });
  await connections.stopAccepting(server);
  assert.ok(slowTurns >= 50 && slowTurns < 60, `${slowTurns}`);
  assert.equal(server.listening, false);
  const busy = await setUp();
  busy.step(() => 1);
  await busy.connections.stopAccepting(busy.server);
  assert.equal(busy.server.listening, false);
});

test("it stays open while newcomers come, who are answered when it is closed", async () => {
  const { connections, server, open } = await setUp();
  const stopped = connections.stopAccepting(server);
  const answers: Promise<string>[] = [];
  for (let newcomers = 0; newcomers < 6; newcomers += 1) {
    answers.push(ask(open()));
    await once(server, "connection");
    await sleep(4);
    assert.equal(await Promise.race([...answers, "waiting"]), "waiting");
    assert.equal(server.listening, true);
  }
  await stopped;
  assert.equal(server.listening, false);
  assert.ok((await Promise.all(answers)).every((text) => text.startsWith("HTTP/1.1 200")));
});

test("where other processes accept from its queue it is closed at once", async () => {
  const { connections, server } = await setUp();
  const stopped = connections.stopAccepting(server, true);
  assert.equal(server.listening, false);
  await stopped;
});

test("it stays open while callers are answered, who may come back for more", async () => {
  const { connections, server, open } = await setUp();
  const socket = open();
  const [accepted] = (await once(server, "connection")) as [Socket];
  const stopped = connections.stopAccepting(server);
  for (let answers = 0; answers < 6; answers += 1) {
    connections.begin(accepted);
    await sleep(4);
    connections.end(accepted);
    assert.equal(server.listening, true);
  }
  await stopped;
  assert.equal(server.listening, false);
  socket.destroy();
});

test("what does not end in time is cut by closing all", async () => {
  const { connections, server, open, pass } = await setUp();
  const socket = open();
  socket.write("GET / HT");
  await once(server, "connection");
  await connections.stopAccepting(server);
  const gone = connections.closeIdle(server, 100);
  pass(100);
  assert.equal(await gone, false);
  await connections.closeAll(server);
  await once(socket, "close");
});
