/** What an exchange on node:http sends and receives, on real connections, byte by byte. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Reply } from "../gateway/request/reply.ts";
import { FakeExchange } from "../gateway/request/testing/fake-exchange.ts";
import type { Exchange, ExchangeListener } from "../lib/net/exchange.ts";
import { systemClock } from "../lib/time/clock.ts";
import { Connections } from "./listener/connections.ts";
import { createHttpServer, type Route } from "./listener/server.ts";
import { NodeExchange, takeOver } from "./node-exchange.ts";

/** A listener that records its calls and can be awaited. */
class Listener implements ExchangeListener {
  readonly over = Promise.withResolvers<boolean>();
  #drain = Promise.withResolvers<void>();

  closed(isComplete: boolean): void {
    this.over.resolve(isComplete);
  }

  drained(): void {
    this.#drain.resolve();
    this.#drain = Promise.withResolvers<void>();
  }

  nextDrain(): Promise<void> {
    return this.#drain.promise;
  }
}

interface Scene {
  readonly connections: Connections;
  readonly open: () => Socket;
  /** Writes to a connection since the last call: in one piece, and gathered from several. */
  readonly writes: () => { one: number; gathered: number };
}

async function setUp(context: TestContext, route: Route): Promise<Scene> {
  const connections = new Connections(systemClock);
  let counted = { one: 0, gathered: 0 };
  const server = createHttpServer({
    settings: { headersTimeoutMs: 5_000, keepAliveTimeoutMs: 60_000, connectionsMax: 10, corsOrigins: "" },
    connections,
    newRequestId: () => "req_1",
    route,
  });
  server.on("connection", (socket: Socket) => {
    const { _write, _writev } = socket;
    socket._write = (...given) => {
      counted.one += 1;
      _write.apply(socket, given);
    };
    socket._writev = (...given) => {
      counted.gathered += 1;
      _writev?.apply(socket, given);
    };
  });
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    connections,
    open() {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => {});
      context.after(() => socket.destroy());
      return socket;
    },
    writes() {
      const before = counted;
      counted = { one: 0, gathered: 0 };
      return before;
    },
  };
}

/** One turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads until these bytes have arrived. Returns everything except the date. */
async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = "";
  const take = (bytes: Buffer): void => {
    text += bytes.toString("latin1");
  };
  socket.on("data", take);
  while (!text.includes(end)) await once(socket, "data");
  socket.off("data", take);
  return text.replace(/\r\nDate: [^\r]*/, "");
}

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, "host: plaza", ...headers, "", ""].join("\r\n");

const post = (...headers: string[]): string => head("POST /v1/things", ...headers);

const kept = "Connection: keep-alive\r\nKeep-Alive: timeout=60\r\n";

test("it tells what the request says", async (context) => {
  const told: unknown[] = [];
  const { open } = await setUp(context, (exchange) => {
    const tell = (): void => {
      const { method, path, query, headers, peerAddress, isReceived } = exchange;
      told.push([method, path, query, headers["x-some"], headers.host, peerAddress, isReceived]);
    };
    tell();
    exchange.receive({
      piece() {},
      ended() {
        tell();
        exchange.writeHead(200, ["content-length", "0"]);
        exchange.end();
      },
    });
  });
  const socket = open();
  socket.write(`${head("PUT /v1/a%20b?c=/d?e", "X-Some: 1", "x-some: 2", "content-length: 2")}{`);
  while (told.length === 0) await turn();
  socket.write("}");
  await readUntil(socket, "\r\n\r\n");
  const said = ["PUT", "/v1/a%20b", "c=/d?e", "1, 2", "plaza", "127.0.0.1"];
  assert.deepEqual(told, [
    [...said, false],
    [...said, true],
  ]);
});

test("a short whole answer leaves in one write with its head, a long one as it is", async (context) => {
  const { open, writes } = await setUp(context, (exchange) => {
    const body = Buffer.alloc(exchange.path === "/v1/long" ? 64 * 1024 + 1 : 5, "ä");
    exchange.writeHead(200, ["x-a", "1", "content-length", String(body.length)]);
    exchange.end(body);
  });
  const socket = open();
  socket.write(head("GET /v1/short"));
  const answer = await readUntil(socket, "\r\n\r\nÃ¤Ã¤Ã");
  assert.equal(answer, `HTTP/1.1 200 OK\r\nx-a: 1\r\ncontent-length: 5\r\n${kept}\r\nÃ¤Ã¤Ã`);
  assert.deepEqual(writes(), { one: 1, gathered: 0 });
  socket.write(head("GET /v1/long"));
  assert.equal((await readUntil(socket, "Ã¤".repeat(32 * 1024))).split("\r\n\r\n")[1]?.length, 64 * 1024 + 1);
});

test("a stream's pieces are chunks in their order, small ones in one write; an empty one is none", async (context) => {
  const large = Buffer.alloc(5_000, "x");
  let next = (): void => {};
  const { open, writes } = await setUp(context, (exchange) => {
    exchange.writeHead(200, ["x-a", "1"]);
    exchange.write(Buffer.from("one"));
    next = () => {
      for (const piece of ["ä", "", "three"]) assert.equal(exchange.write(Buffer.from(piece)), true);
      exchange.write(large);
      exchange.write(Buffer.from("four"));
      exchange.end(Buffer.from("five"));
    };
  });
  const socket = open();
  socket.write(post());
  const first = await readUntil(socket, "one\r\n");
  assert.equal(first, `HTTP/1.1 200 OK\r\nx-a: 1\r\n${kept}Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n`);
  writes();
  next();
  const rest = await readUntil(socket, "0\r\n\r\n");
  assert.equal(rest, `2\r\nÃ¤\r\n5\r\nthree\r\n1388\r\n${large}\r\n4\r\nfour\r\n4\r\nfive\r\n0\r\n\r\n`);
  assert.equal(writes().one, 2, "one each for the two small pieces");
});

test("a slow caller is told of, and that it caught up, for small pieces and for large", async (context) => {
  for (const bytes of [4_000, 400_000]) {
    let exchange: Exchange | undefined;
    const listener = new Listener();
    const { open } = await setUp(context, (given) => {
      exchange = given;
      given.listener = listener;
      given.writeHead(200, []);
    });
    const socket = open();
    socket.pause();
    socket.write(post());
    while (exchange === undefined) await turn();
    let written = 0;
    const fill = (): void => {
      do written += bytes;
      while (exchange?.write(Buffer.alloc(bytes, "x")) === true);
    };
    for (let turns = 0; turns < 3; turns += 1) {
      fill();
      const drained = listener.nextDrain();
      socket.resume();
      await drained;
      socket.pause();
    }
    exchange.end();
    socket.resume();
    assert.equal(await listener.over.promise, true);
    socket.on("data", () => {});
    while (socket.bytesRead < written) await once(socket, "data");
  }
});

test("a caller that waits to be told to send its body is told when the body is wanted", async (context) => {
  const { open } = await setUp(context, (exchange) => {
    const answer = (text: string): void => {
      exchange.writeHead(200, ["content-length", String(text.length)]);
      exchange.end(Buffer.from(text));
    };
    if (exchange.path === "/v1/unread") {
      answer("unread");
      return;
    }
    let body = "";
    exchange.receive({
      piece(bytes) {
        body += bytes.toString();
      },
      ended: () => answer(body),
    });
  });
  const socket = open();
  socket.write(post("expect: 100-continue", "content-length: 4"));
  assert.equal(await readUntil(socket, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  socket.write("true");
  assert.match(await readUntil(socket, "true"), /^HTTP\/1\.1 200 OK\r\n/);
  const other = open();
  other.write(head("POST /v1/unread", "expect: 100-continue", "content-length: 4"));
  assert.match(await readUntil(other, "unread"), /^HTTP\/1\.1 200 OK\r\ncontent-length: 6\r\n/);
});

test("while the body is paused, no more of it comes", async (context) => {
  const body = Buffer.alloc(4 * 1024 * 1024, "x");
  let bytes = 0;
  let pieces = 0;
  const { open } = await setUp(context, (exchange) => {
    const rest = async (): Promise<void> => {
      exchange.pause();
      for (let turns = 0; turns < 20; turns += 1) await turn();
      assert.ok(pieces <= 2, "at most what was read already");
      exchange.resume();
    };
    exchange.receive({
      piece(piece) {
        bytes += piece.length;
        pieces += 1;
        if (pieces === 1) void rest();
      },
      ended() {
        exchange.writeHead(200, ["content-length", "0"]);
        exchange.end();
      },
    });
  });
  const socket = open();
  socket.write(post(`content-length: ${body.length}`));
  socket.write(body);
  await readUntil(socket, "\r\n\r\n");
  assert.equal(bytes, body.length);
});

test("an answer that waits for the rest of the body is there at once, and the connection stays", async (context) => {
  const { open } = await setUp(context, (exchange) => {
    exchange.writeHead(413, ["content-length", "3"]);
    exchange.write(Buffer.from("no\n"));
    exchange.endAfterBody();
  });
  const socket = open();
  for (let turns = 0; turns < 2; turns += 1) {
    socket.write(post("content-length: 4"));
    assert.match(
      await readUntil(socket, "no\n"),
      /^HTTP\/1\.1 413 Payload Too Large\r\ncontent-length: 3\r\n/,
    );
    socket.write("rest");
  }
});

test("a caller that goes on sending a body nobody wants is cut off", async (context) => {
  const listener = new Listener();
  const { open } = await setUp(context, (exchange) => {
    exchange.listener = listener;
    exchange.writeHead(413, ["content-length", "3"]);
    exchange.write(Buffer.from("no\n"));
    exchange.endAfterBody();
  });
  const socket = open();
  socket.write(post("content-length: 4"));
  socket.resume();
  await once(socket, "close");
  assert.equal(await listener.over.promise, false);
});

test("it is over once: complete, left by its caller, or cut", async (context) => {
  const listeners: Listener[] = [];
  const { open, connections } = await setUp(context, (exchange) => {
    const listener = new Listener();
    exchange.listener = listener;
    listeners.push(listener);
    if (exchange.path === "/v1/complete") {
      exchange.writeHead(200, ["content-length", "2"]);
      exchange.end(Buffer.from("ok"));
    } else if (exchange.path === "/v1/cut") exchange.destroy();
  });
  const overAt = async (index: number): Promise<boolean | undefined> => {
    while (listeners[index] === undefined) await turn();
    return listeners[index].over.promise;
  };
  const socket = open();
  socket.write(head("GET /v1/complete"));
  assert.equal(await overAt(0), true);
  assert.equal(connections.readings().idle, 1);
  socket.write(head("GET /v1/waiting"));
  while (listeners.length < 2) await turn();
  assert.equal(connections.readings().idle, 0);
  socket.destroy();
  assert.equal(await overAt(1), false);
  const other = open();
  other.write(head("GET /v1/cut"));
  assert.equal(await overAt(2), false);
  await once(other, "close");
});

test("an answer says that the connection closes, and it does", async (context) => {
  const { open } = await setUp(context, (exchange) => {
    exchange.closeAfter();
    exchange.writeHead(200, ["content-length", "2"]);
    exchange.end(Buffer.from("ok"));
  });
  const socket = open();
  socket.write(head("GET /v1/last"));
  const closed = once(socket, "close");
  assert.match(
    await readUntil(socket, "ok"),
    /^HTTP\/1\.1 200 OK\r\ncontent-length: 2\r\nConnection: close\r\n/,
  );
  await closed;
});

test("node's own sides are given away once the reply says no more, and only where there are such", async (context) => {
  const { open } = await setUp(context, (exchange, reply) => {
    const { req, res } = takeOver(exchange, reply);
    reply.send(500, "text/plain", Buffer.from("never"));
    assert.ok(exchange instanceof NodeExchange);
    res.end(req.url);
  });
  const socket = open();
  socket.write(head("GET /console?a=b"));
  assert.match(await readUntil(socket, "/console?a=b"), /^HTTP\/1\.1 200 OK\r\n/);
  const other = new FakeExchange();
  assert.throws(() => takeOver(other, new Reply(other, "req_1")), { code: "ERR_ASSERTION" });
});
