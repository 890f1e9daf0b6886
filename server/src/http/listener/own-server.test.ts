/**
 * Connections of our own against those of node:http, on real sockets: the same bytes, however what a caller
 * sends is cut, wherever the connection is handed over, and in whatever phase the caller leaves or stalls.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { GatewayError } from "@plaza/contract/errors.ts";
import { localhostTestCertificate, localhostTestKey } from "../../lib/net/testing/certificate.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { SecureServer } from "../tls/secure-server.ts";
import { ServedCertificate } from "../tls/served-certificate.ts";
import { Connections } from "./connections.ts";
import { createOwnServer } from "./own-server.ts";
import { createHttpServer, type Route } from "./server.ts";

/** How connections are served; those over TLS are checked against the same expectations. */
const ownKinds = ["own", "own by copies", "own over TLS"] as const;
const kinds = ["node", "node over TLS", ...ownKinds] as const;
type Kind = (typeof kinds)[number];
const isOverTls = (kind: Kind): boolean => kind.endsWith("TLS");

interface Scene {
  readonly connections: Connections;
  /** Starts draining, as a process that stops does. */
  drain(): Promise<boolean>;
  readonly open: () => Caller;
  count(): Promise<number>;
}

/** One turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const undated = (text: string): string => text.replace(/\r\nDate: [^\r]*/g, "");

const servername = "localhost";

/** The caller's end of a connection. */
class Caller {
  readonly socket: Socket;
  /** Below TLS; the same without. */
  readonly raw: Socket;
  readonly ready: Promise<unknown>;
  text = "";
  readonly closed: Promise<unknown>;

  constructor(port: number, isSecure: boolean) {
    const raw = connect({ port, host: "127.0.0.1", noDelay: true });
    const socket = isSecure ? connectTls({ socket: raw, ca: localhostTestCertificate, servername }) : raw;
    this.socket = socket;
    this.raw = raw;
    this.ready = new Promise((resolve) => socket.once(isSecure ? "secureConnect" : "connect", resolve));
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      this.text += bytes.toString("latin1");
    });
  }

  /** Writes the pieces so that each is a read of its own. */
  async send(...pieces: readonly string[]): Promise<this> {
    for (const piece of pieces) {
      this.socket.write(piece, "latin1");
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
    return this;
  }

  /** Reads until the text ends so. */
  async until(end: string): Promise<string> {
    while (!undated(this.text).endsWith(end)) {
      if (this.socket.destroyed) throw new Error(`closed before ${JSON.stringify(end)}: ${this.text}`);
      await Promise.race([once(this.socket, "data"), this.closed]);
    }
    return this.take();
  }

  async untilClosed(): Promise<string> {
    await this.closed;
    return this.take();
  }

  take(): string {
    const { text } = this;
    this.text = "";
    return undated(text);
  }
}

const certificate = new ServedCertificate(
  {
    chain: localhostTestCertificate,
    key: localhostTestKey,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    isFor: () => true,
  },
  {
    files: { tlsCert: undefined, tlsKey: undefined },
    clock: systemClock,
    log: createLog({ level: "silent", clock: systemClock, write() {} }),
  },
);

const settings = {
  headersTimeoutMs: 400,
  keepAliveTimeoutMs: 2_000,
  connectionsMax: 1_000,
  corsOrigins: "https://a.test",
};

async function setUp(context: TestContext, kind: Kind, route: Route, more: Partial<typeof settings> = {}) {
  const connections = new Connections(systemClock);
  const options = {
    settings: { ...settings, ...more },
    connections,
    newRequestId: () => "req_1",
    route,
    clock: systemClock,
  };
  const own = kind.startsWith("node") ? undefined : createOwnServer(options);
  if (kind === "own") await own?.prepare();
  const inner = own ?? createHttpServer(options);
  const server = isOverTls(kind)
    ? new SecureServer({ ...options, inner, certificates: [certificate] })
    : inner;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const callers: Caller[] = [];
  context.after(async () => {
    for (const { socket } of callers) socket.destroy();
    server.closeAllConnections();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  });
  const scene: Scene = {
    connections,
    open() {
      const caller = new Caller(port, isOverTls(kind));
      callers.push(caller);
      return caller;
    },
    async drain() {
      await connections.stopAccepting(server);
      return connections.closeIdle(server, 10_000);
    },
    count: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
  return scene;
}

/** Answers with what it saw, once the body is there. */
const echo: Route = (exchange, reply) => {
  let body = "";
  const { method, path, query, headers, peerAddress } = exchange;
  exchange.receive({
    piece(bytes) {
      body += bytes.toString("latin1");
    },
    ended() {
      const seen = [method, path, query, JSON.stringify(headers), peerAddress, body].join(" ");
      reply.send(200, "text/plain", Buffer.from(`${seen}.`, "latin1"));
    },
  });
};

const plain = [
  "GET /v1/models?a=b HTTP/1.1\r\nHost: plaza\r\nOrigin: https://a.test\r\nX-Some:  one \t\r\n\r\n",
  "POST /v1/chat HTTP/1.1\r\nhost: plaza\r\nContent-Length: 5\r\n\r\nhello",
  "POST /v1/chat HTTP/1.1\r\nhost: plaza\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
];

/** What is served by node:http, with the end of its answer. */
const strange: Readonly<Record<string, string>> = {
  "another method": "PUT /v1/chat HTTP/1.1\r\nhost: plaza\r\nContent-Length: 2\r\n\r\nhi",
  "another path": "GET /console HTTP/1.1\r\nhost: plaza\r\n\r\n",
  "a doubled header": "GET /v1/x HTTP/1.1\r\nhost: plaza\r\naccept: a\r\naccept: b\r\n\r\n",
  "HTTP/1.0": "GET /v1/x HTTP/1.0\r\nhost: plaza\r\n\r\n",
  "an upgrade": "GET /v1/x HTTP/1.1\r\nhost: plaza\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
  "a host with a path": "GET /v1/x HTTP/1.1\r\nhost: a/b\r\n\r\n",
  "two hosts": "GET /v1/x HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
  "a whole address": "GET http://plaza/v1/x HTTP/1.1\r\nhost: plaza\r\n\r\n",
  "a GET with a body": "GET /v1/x HTTP/1.1\r\nhost: plaza\r\nContent-Length: 2\r\n\r\nhi",
  "chunks of a strange request":
    "PUT /v1/x HTTP/1.1\r\nhost: plaza\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n1\r\nl\r\n2\r\nlo\r\n0\r\n\r\n",
  "no HTTP": "HELO plaza\r\n\r\n",
};

const endOf = (text: string): string => text.slice(-8);

test("plain requests are answered as by node:http, however they are cut", async (context) => {
  const scenes = { node: await setUp(context, "node", echo), own: await setUp(context, "own", echo) };
  const copying = await setUp(context, "own by copies", echo);
  for (const request of plain) {
    const wanted = await (await scenes.node.open().send(request)).until(".");
    const kept = scenes.own.open();
    const copied = copying.open();
    for (let at = 0; at < request.length; at += 1) {
      const pieces = [request.slice(0, at), request.slice(at, at + 1), request.slice(at + 1)];
      assert.equal(
        await (await kept.send(...pieces.filter((piece) => piece !== ""))).until("."),
        wanted,
        `${at}`,
      );
      if (at % 7 !== 0) continue;
      assert.equal(
        await (await copied.send(request.slice(0, at), request.slice(at))).until("."),
        wanted,
        `${at}`,
      );
    }
  }
});

test("a connection is handed over at any place, and goes on with node:http", async (context) => {
  const node = await setUp(context, "node", echo);
  const [get, post] = plain as [string, string, string];
  for (const kind of ownKinds) {
    const own = await setUp(context, kind, echo);
    for (const [name, request] of Object.entries(strange)) {
      const reference = node.open();
      const end = endOf(await answersOf(reference, request));
      const wanted = await (await node.open().send(request)).until(end);
      const cuts = [0, 3, Math.floor(request.length / 2), request.length - 1];
      for (const cut of kind === "own" ? cuts : [0]) {
        for (const before of [0, 1, 2]) {
          const caller = own.open();
          for (let asked = 0; asked < before; asked += 1) await (await caller.send(post)).until(".");
          await caller.send(...[request.slice(0, cut), request.slice(cut)].filter((piece) => piece !== ""));
          assert.equal(await caller.until(end), wanted, `${name}, cut at ${cut}, after ${before}`);
          caller.socket.destroy();
        }
      }
      const first = await (await node.open().send(get)).until(".");
      const ahead = own.open();
      await ahead.send(get + request);
      assert.equal(await ahead.until(wanted.slice(-100)), first + wanted, `${name}, sent ahead`);
    }
  }
});

/** What node:http answers, all of it: read until nothing comes for some turns. */
async function answersOf(caller: Caller, request: string): Promise<string> {
  await caller.send(request);
  while (caller.text === "" && !caller.socket.destroyed)
    await Promise.race([once(caller.socket, "data"), caller.closed]);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return caller.take();
}

test("heads that stop, connections without one and idle ones end as with node:http", async (context) => {
  for (const kind of kinds) {
    const { open, count } = await setUp(context, kind, echo, { keepAliveTimeoutMs: 1_000 });
    const [silent, slow, later, idle] = [open(), open(), open(), open()];
    await slow.send("GET /v1/x HTTP/1.1\r\nho");
    await (await later.send(plain[0] as string)).until(".");
    await later.send("POST /v1/x HT");
    await (await idle.send(plain[0] as string)).until(".");
    for (const caller of [silent, slow, later])
      assert.match(await caller.untilClosed(), /^HTTP\/1\.1 408 .*"request_timeout"/s, kind);
    assert.equal(await idle.untilClosed(), "", kind);
    assert.equal(await count(), 0, kind);
  }
});

test("a caller that leaves in any phase is told of, and nothing of its connection stays", async (context) => {
  for (const kind of kinds) {
    const over: boolean[] = [];
    let begun = Promise.withResolvers<void>();
    const { open, connections, count } = await setUp(context, kind, (exchange) => {
      exchange.listener = { closed: (isComplete) => void over.push(isComplete), drained() {} };
      exchange.receive({ piece() {}, ended() {} });
      if (exchange.path === "/v1/half") {
        exchange.writeHead(200, []);
        exchange.write(Buffer.from("half"));
      }
      begun.resolve();
    });
    const phases = {
      "nothing sent": "",
      "in the head": "POST /v1/x HTTP/1.1\r\nho",
      "in the body": "POST /v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nhalf",
      "waiting for the answer": "POST /v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nfull",
      "in the answer": "GET /v1/half HTTP/1.1\r\nhost: a\r\n\r\n",
    };
    for (const [name, bytes] of Object.entries(phases)) {
      for (const way of ["reset", "end"] as const) {
        begun = Promise.withResolvers();
        over.length = 0;
        const caller = open();
        await caller.ready;
        await caller.send(bytes);
        const isServed = bytes.includes("\r\n\r\n");
        if (isServed) await begun.promise;
        if (way === "reset") caller.raw.resetAndDestroy();
        else caller.socket.end();
        await caller.closed;
        while ((await count()) > 0 || connections.open > 0) await turn();
        assert.deepEqual(over, isServed ? [false] : [], `${kind}, ${name}, ${way}`);
      }
    }
  }
});

/** A piece of an answer that tells its place in it. */
const numbered = (index: number, bytes: number): string => String(index).padEnd(bytes, ".");

test("a caller that reads slowly is told of, and gets all of it in order", async (context) => {
  const forms = [
    { pieceBytes: 100_000, isChunked: false },
    { pieceBytes: 1_000, isChunked: true },
  ];
  for (const kind of ownKinds) {
    for (const { pieceBytes, isChunked } of forms) {
      const count = 20_000_000 / pieceBytes;
      const states: string[] = [];
      const { open } = await setUp(context, kind, (exchange) => {
        let next = 0;
        const fill = (): void => {
          while (next < count) {
            if (exchange.write(Buffer.from(numbered(next++, pieceBytes)))) continue;
            states.push("full");
            return;
          }
          exchange.end();
        };
        exchange.listener = {
          closed: (isComplete) => void states.push(`closed ${isComplete}`),
          drained: fill,
        };
        exchange.writeHead(200, isChunked ? [] : ["content-length", "20000000"]);
        fill();
      });
      const caller = open();
      caller.socket.pause();
      await caller.send("GET /v1/x HTTP/1.1\r\nhost: a\r\n\r\n");
      while (states.length === 0) await turn();
      // TLS takes every write later, so that it is told of more often.
      assert.deepEqual([...new Set(states)], ["full"]);
      caller.socket.resume();
      const pieces = Array.from({ length: count }, (_, index) => numbered(index, pieceBytes));
      const wanted = isChunked
        ? `${pieces.map((piece) => `${pieceBytes.toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`
        : pieces.join("");
      await once(caller.socket, "data");
      const headBytes = caller.text.indexOf("\r\n\r\n") + 4;
      while (caller.text.length < headBytes + wanted.length) {
        await Promise.race([once(caller.socket, "data"), caller.closed]);
        assert.equal(caller.socket.destroyed, false, `${kind}: ${states.slice(-3)}`);
      }
      assert.ok(caller.text.slice(headBytes) === wanted, kind);
      while (!states.includes("closed true")) await turn();
      assert.ok(states.length > 2);
    }
  }
});

test("an answer is over when the system has all of it, not before", async (context) => {
  for (const kind of ownKinds) {
    // Without a last chunk the end is no write of its own; that less is sent than was said does not matter.
    for (const headers of [[], ["content-length", "1000000000"]]) {
      const states: string[] = [];
      let sentBytes = 0;
      // TLS takes every write later; so much no system takes.
      const leastBytes = isOverTls(kind) ? 20_000_000 : 0;
      const { open } = await setUp(context, kind, (exchange) => {
        exchange.listener = {
          closed: (isComplete) => void states.push(`closed ${isComplete}`),
          drained() {},
        };
        exchange.writeHead(200, headers);
        do sentBytes += 1_000;
        while (exchange.write(Buffer.alloc(1_000, "x")) || sentBytes < leastBytes);
        exchange.end();
        states.push("ended");
      });
      const caller = open();
      caller.socket.pause();
      await caller.send("GET /v1/x HTTP/1.1\r\nhost: a\r\n\r\n");
      while (states.length === 0) await turn();
      for (let turns = 0; turns < 20; turns += 1) await turn();
      assert.deepEqual(states, ["ended"], "nobody reads");
      caller.socket.resume();
      while (caller.text.length < sentBytes) await once(caller.socket, "data");
      while (states.length < 2) await turn();
      assert.deepEqual(states, ["ended", "closed true"]);
    }
  }
});

test("a body refused early is read past, and the connection stays; who goes on for too long is cut", async (context) => {
  for (const kind of ownKinds) {
    const over: boolean[] = [];
    const { open } = await setUp(context, kind, (_exchange, reply) => {
      reply.whenOver(() => queueMicrotask(() => over.push(reply.isGone)));
      reply.refuse(new GatewayError("request_too_large"));
    });
    const caller = open();
    for (let times = 0; times < 2; times += 1) {
      await caller.send("POST /v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nr");
      assert.match(await caller.until("}}"), /^HTTP\/1\.1 413 /);
      await caller.send("est");
    }
    assert.deepEqual(over, [false, false]);
    await caller.send("POST /v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nr");
    await caller.untilClosed();
    while (over.length < 3) await turn();
    assert.deepEqual(over, [false, false, true]);
  }
});

test("while it drains, a running request is answered, its connection is closed, and so are idle ones", async (context) => {
  for (const kind of ownKinds) {
    let answer = (): void => {};
    const { open, drain, count } = await setUp(context, kind, (exchange, reply) => {
      if (exchange.path === "/v1/now") reply.send(200, "text/plain", Buffer.from("now"));
      else answer = () => reply.send(200, "text/plain", Buffer.from("done"));
    });
    const [idle, running, handed] = [open(), open(), open()];
    assert.match(
      await (await idle.send("GET /v1/now HTTP/1.1\r\nhost: a\r\n\r\n")).until("now"),
      /keep-alive/,
    );
    await (await handed.send("PUT /v1/now HTTP/1.1\r\nhost: a\r\n\r\n")).until("now");
    await running.send("GET /v1/later HTTP/1.1\r\nhost: a\r\n\r\n");
    const drained = drain();
    await idle.closed;
    await handed.closed;
    assert.equal(running.socket.closed, false);
    answer();
    assert.match(await running.untilClosed(), /Connection: close\r\n.*done$/s);
    assert.equal(await drained, true);
    assert.equal(await count(), 0);
  }
});

test("a header that would split the answer is not sent", async (context) => {
  let thrown: unknown;
  const { open } = await setUp(context, "own", (exchange) => {
    try {
      exchange.writeHead(200, ["x-a", "one\r\nx-b: two"]);
    } catch (error) {
      thrown = error;
    }
    exchange.destroy();
  });
  await (await open().send("GET /v1/x HTTP/1.1\r\nhost: a\r\n\r\n")).closed;
  assert.ok(thrown instanceof TypeError);
});

test("more connections than allowed are dropped and counted", async (context) => {
  for (const kind of ownKinds) {
    const { open, connections } = await setUp(context, kind, echo, { connectionsMax: 2 });
    const kept = [open(), open()];
    for (const caller of kept) await (await caller.send(plain[0] as string)).until(".");
    await open().closed;
    assert.equal(connections.readings().refused, 1);
    for (const caller of kept) await (await caller.send(strange["another path"] as string)).until(".");
    await open().closed;
    assert.equal(connections.readings().refused, 2, "handed over, they still count");
  }
});

test("the answer to a broken body arrives, though more is sent behind it", async (context) => {
  for (const kind of ownKinds) {
    const { open, count } = await setUp(context, kind, echo);
    const caller = open();
    await caller.send("POST /v1/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n", "no size\r\n");
    for (let times = 0; times < 20; times += 1) caller.socket.write("x".repeat(100_000));
    assert.match(await caller.untilClosed(), /^HTTP\/1\.1 400 .*"invalid_request"/s);
    while ((await count()) > 0) await turn();
  }
});

test("chunk extensions of 32 KB are refused, in the read with the head and behind it", async (context) => {
  const head = "POST /v1/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
  const body = `5;${"e".repeat(32 * 1024)}\r\nhello\r\n`;
  for (const kind of kinds) {
    const { open } = await setUp(context, kind, echo);
    for (const pieces of [[head + body], [head, body]]) {
      assert.match(
        await (await open().send(...pieces)).untilClosed(),
        /^HTTP\/1\.1 400 .*"invalid_request"/s,
      );
    }
  }
});
