/**
 * What is special about a listener over TLS: handshakes that stall or are none, their place among the
 * connections, and another certificate for new ones. What it serves: `listener/own-server.test.ts`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import {
  localhostTestCertificate,
  localhostTestKey,
  mediaTestCertificate,
  mediaTestKey,
} from "../../lib/net/testing/certificate.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { Connections } from "../listener/connections.ts";
import { createOwnServer } from "../listener/own-server.ts";
import { createHttpServer, type Route } from "../listener/server.ts";
import { checkPair } from "./certificate.ts";
import { SecureServer } from "./secure-server.ts";
import { ServedCertificate } from "./served-certificate.ts";

const named = { tlsCert: "tls.crt", tlsKey: "tls.key" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const log = createLog({ level: "silent", clock: systemClock, write() {} });
const answer: Route = (_exchange, reply) => reply.send(200, "text/plain", Buffer.from("served"));
const request = "GET /v1/x HTTP/1.1\r\nhost: plaza\r\n\r\n";
/** The first bytes of a handshake: the head of a record that says it is longer. */
const handshakeBegin = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);

async function setUp(
  context: TestContext,
  more: { connectionsMax?: number; transport?: "own" | "node"; headersTimeoutMs?: number } = {},
) {
  const { connectionsMax = 100, transport = "own", headersTimeoutMs = 400 } = more;
  const connections = new Connections(systemClock);
  const options = {
    settings: { headersTimeoutMs, keepAliveTimeoutMs: 5_000, connectionsMax, corsOrigins: "" },
    connections,
    newRequestId: () => "req_1",
    route: answer,
    clock: systemClock,
  };
  const pair = { chain: localhostTestCertificate, key: localhostTestKey };
  const certificates = [
    new ServedCertificate(checkPair(pair, named), { files: named, clock: systemClock, log }),
  ] as const;
  const inner = transport === "own" ? createOwnServer(options) : createHttpServer(options);
  const server = new SecureServer({ ...options, inner, certificates });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const track = <S extends Socket>(socket: S): S => {
    sockets.push(socket);
    socket.on("error", () => {});
    return socket;
  };
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  });
  return {
    server,
    connections,
    plain: () => track(connect({ port, host: "127.0.0.1", noDelay: true })),
    async secure(ca = localhostTestCertificate, servername = "localhost"): Promise<TLSSocket> {
      const socket = track(connectTls({ port, host: "127.0.0.1", ca, servername }));
      await once(socket, "secureConnect");
      return socket;
    },
  };
}

/** Resolves when the connection is over, however it ends. */
const closed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.resume().once("close", resolve));

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  await closed(socket);
  return text;
}

async function ask(socket: Socket): Promise<string> {
  socket.write(request);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes.toString("latin1");
}

test("plain HTTP is told to use HTTPS, and its connection closes", async (context) => {
  const { plain, connections } = await setUp(context);
  const socket = plain();
  socket.write(request);
  const text = await textOf(socket);
  assert.match(text, /^HTTP\/1\.1 400 .*connection: close\r\n.*This port speaks HTTPS/s);
  while (connections.open > 0) await turn();
});

test("what is neither is closed, and nothing of it stays", async (context) => {
  const { plain, secure, connections } = await setUp(context);
  for (const bytes of ["HELO plaza\r\n", "\0".repeat(2_000), "\x16\x03\x01\0\x02zz"]) {
    const socket = plain();
    socket.write(bytes, "latin1");
    socket.end();
    await textOf(socket);
  }
  for (const way of ["end", "resetAndDestroy"] as const) {
    const socket = plain();
    await once(socket, "connect");
    socket.write(handshakeBegin);
    while (connections.open === 0) await turn();
    socket[way]();
    await closed(socket);
  }
  while (connections.open > 0) await turn();
  assert.match(await ask(await secure()), /^HTTP\/1\.1 200 /);
});

test("a handshake has as long as a head, in all: saying nothing, stalling, or byte by byte", async (context) => {
  const { plain, connections } = await setUp(context);
  const startMs = systemClock.elapsedMs();
  const silent = plain();
  const stalled = plain();
  const dripping = plain();
  stalled.write(handshakeBegin);
  let sent = 0;
  const timer = setInterval(() => dripping.write(handshakeBegin.subarray(sent++ % 5, (sent % 5) + 1)), 50);
  dripping.write(handshakeBegin);
  context.after(() => clearInterval(timer));
  await Promise.all([silent, stalled, dripping].map(closed));
  const tookMs = systemClock.elapsedMs() - startMs;
  assert.ok(tookMs >= 390, `${tookMs}`);
  while (connections.open > 0) await turn();
});

test("handshakes count among the connections there may be", async (context) => {
  const { plain, secure, connections } = await setUp(context, {
    connectionsMax: 2,
    headersTimeoutMs: 60_000,
  });
  const stalled = plain();
  stalled.write(handshakeBegin);
  while (connections.open < 1) await turn();
  const served = await secure();
  assert.match(await ask(served), /^HTTP\/1\.1 200 /);
  const refused = plain();
  await closed(refused);
  const readings = connections.readings();
  assert.deepEqual([readings.open, readings.refused], [2, 1]);
  stalled.destroy();
  while (connections.open > 1) await turn();
  assert.match(await ask(await secure()), /^HTTP\/1\.1 200 /);
});

for (const transport of ["own", "node"] as const) {
  test(`new connections get a new certificate, old ones go on (${transport})`, async (context) => {
    const { secure, server } = await setUp(context, { transport });
    const old = await secure();
    assert.match(await ask(old), /^HTTP\/1\.1 200 /);
    server.setSecureContext({ cert: mediaTestCertificate, key: mediaTestKey });
    const fresh = await secure(mediaTestCertificate, "media.test");
    assert.equal(fresh.getPeerCertificate().subject.CN, "media.test");
    assert.match(await ask(fresh), /^HTTP\/1\.1 200 /);
    assert.match(await ask(old), /^HTTP\/1\.1 200 /);
    assert.equal(old.getPeerCertificate().subject.CN, "localhost");
  });

  test(`a handshake under way when a drain begins is served, silence is not waited for (${transport})`, async (context) => {
    const { plain, server, connections } = await setUp(context, { transport, headersTimeoutMs: 60_000 });
    const silent = plain();
    const late = plain();
    await Promise.all([silent, late].map((socket) => once(socket, "connect")));
    while (connections.open < 2) await turn();
    await connections.stopAccepting(server);
    const closing = connections.closeIdle(server, 20_000);
    const socket = connectTls({ socket: late, ca: localhostTestCertificate, servername: "localhost" });
    await once(socket, "secureConnect");
    assert.match(await ask(socket), /^HTTP\/1\.1 200 .*connection: close/is);
    await closed(silent);
    assert.equal(await closing, true);
  });
}

test("TLS before 1.2 and HTTP/2 alone are refused", async (context) => {
  const { server, secure } = await setUp(context);
  const { port } = server.address() as AddressInfo;
  const refused = async (options: object): Promise<string | undefined> => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    return error.code;
  };
  const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
  assert.match(String(await refused(old)), /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/);
  assert.match(String(await refused({ ALPNProtocols: ["h2"] })), /NO_APPLICATION_PROTOCOL/);
  assert.equal((await secure()).getProtocol(), "TLSv1.3");
});

test("a connection is not renegotiated", async (context) => {
  const { server } = await setUp(context);
  const { port } = server.address() as AddressInfo;
  const socket = connectTls({
    port,
    host: "127.0.0.1",
    ca: localhostTestCertificate,
    servername: "localhost",
    maxVersion: "TLSv1.2",
  });
  context.after(() => socket.destroy());
  await once(socket, "secureConnect");
  const failed = once(socket, "error");
  socket.renegotiate({}, () => {});
  const [error] = (await failed) as [NodeJS.ErrnoException];
  assert.match(String(error.code), /NO_RENEGOTIATION/);
});
