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

/** A server that answers at once, with a clock that stands still until it is told otherwise. */
async function setUp() {
  let nowMs = 10_000;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const connections = new Connections(clock);
  const server = createServer((req, res) => {
    connections.begin();
    res.once("close", () => connections.end(req.socket, true));
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
