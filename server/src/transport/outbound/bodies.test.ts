/** Bytes both ways: requests as they leave, answers at every cut, back-pressure, early answers. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { clients, Keeper, openClient, post } from "./testing/clients.ts";
import { settle, startUpstream } from "./testing/upstream.ts";

const own = clients["own"] as (typeof clients)[string];
const digest = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

test("both clients send the same bytes", async (t) => {
  const sent: Record<string, string[]> = {};
  for (const [name, create] of Object.entries(clients)) {
    const upstream = await startUpstream(t, {
      async script(wire) {
        for (;;) {
          const request = await wire.request();
          sent[name] = [...(sent[name] ?? []), request.replaceAll(String(upstream.port), "PORT")];
          wire.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
      },
    });
    const client = openClient(t, create, upstream.origin);
    await post(client, '{"a":"\xe9\xff"}').over;
    await post(client, "").over;
    await post(client, "x".repeat(100_000)).over;
    await post(client, "{}", { headers: ["Host", "other.test", "X-Value", "caf\xe9"] }).over;
    await post(client, "{}", { path: "/v1/models?a=b&c=%20", headers: ["content-length", "2"] }).over;
    const got = new Keeper();
    client.get({ path: "/v1/models", headers: ["accept", "application/json"] }, got);
    await got.over;
  }
  assert.equal(sent["own"]?.length, 6);
  assert.deepEqual(sent["own"], sent["node"]);
});

test("both clients show the same header fields", async (t) => {
  const lines =
    "Content-Type: text/plain\r\nX-Repeated: a\r\nx-repeated: b\r\nX-Empty:\r\nSet-Cookie: c\r\n__proto__: x\r\n" +
    "constructor: y\r\nX-Latin: caf\xe9\r\nRetry-After: 3\r\nCONTENT-LENGTH: 0";
  const shown: Record<string, unknown> = {};
  for (const [name, create] of Object.entries(clients)) {
    const upstream = await startUpstream(t, {
      async script(wire) {
        await wire.request();
        wire.send(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`);
      },
    });
    const { headers } = await post(openClient(t, create, upstream.origin)).over;
    shown[name] = Object.fromEntries(Object.entries(headers).filter(([field]) => field !== "__proto__"));
  }
  assert.deepEqual(shown["own"], shown["node"]);
});

const answers = [
  ["HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\nhello", 200, "hello"],
  ["HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, "hello"],
  [
    "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n2\r\nab\r\n0\r\n\r\n",
    200,
    "data: 1\n\nab",
  ],
  ["HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n", 204, ""],
  ["HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3\r\n\r\nbad", 500, "bad"],
] as const;

test("answers are the same at every cut, on one kept connection", async (t) => {
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  for (const [text, status, body] of answers) {
    for (let at = 1; at < text.length; at++) {
      const keeper = post(client);
      const wire = upstream.wires[0] ?? (await upstream.accepted());
      await wire.request();
      wire.send(text.slice(0, at));
      await settle();
      wire.send(text.slice(at));
      const seen = await keeper.over;
      assert.deepEqual([seen.status, seen.body, seen.ending], [status, body, "end"], `${text} at ${at}`);
    }
  }
  assert.equal(upstream.wires.length, 1);
});

for (const [how, finish] of [
  ["ends", false],
  ["resets", true],
] as const) {
  test(`an upstream that ${how} at any byte of an answer fails the call there, and the bytes before it count`, async (t) => {
    for (const [text, status, body] of answers.slice(0, 3)) {
      for (let at = 0; at < text.length; at++) {
        const upstream = await startUpstream(t, {
          async script(wire) {
            await wire.request();
            if (at > 0) wire.send(text.slice(0, at));
            await settle();
            if (finish) wire.socket.resetAndDestroy();
            else wire.socket.end();
          },
        });
        const seen = await post(openClient(t, own, upstream.origin)).over;
        assert.equal(seen.ending, "network", `${text} at ${at}`);
        assert.ok(seen.status === 0 || seen.status === status);
        assert.ok(body.startsWith(seen.body));
      }
    }
  });
}

test("large bodies arrive whole, whatever the reader's pace", async (t) => {
  const body = "0123456789abcdef".repeat(200_000);
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  const keeper = post(client, body);
  const wire = await upstream.accepted();
  wire.socket.pause();
  await settle();
  wire.socket.resume();
  const request = await wire.request();
  assert.equal(digest(request.slice(request.indexOf("\r\n\r\n") + 4)), digest(body));
  wire.send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
  wire.send(body);
  assert.equal(digest((await keeper.over).body), digest(body));
  const again = post(client);
  await wire.request();
  wire.send(answers[0][0]);
  assert.equal((await again.over).body, "hello");
  assert.equal(upstream.wires.length, 1);
});

test("an answer that nobody takes waits at the upstream, and goes on when it is taken", async (t) => {
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  const piece = "x".repeat(64 * 1024);
  const pieces = 400;
  const keeper = new Keeper();
  const take = keeper.onResponseData.bind(keeper);
  let chunks = 0;
  keeper.onResponseData = (controller, chunk) => {
    take(controller, chunk);
    chunks++;
    if (chunks === 1) controller.pause();
  };
  client.post({ path: "/", headers: [], body: Buffer.from("{}") }, keeper);
  const wire = await upstream.accepted();
  await wire.request();
  wire.send(`HTTP/1.1 200 OK\r\ncontent-length: ${piece.length * pieces}\r\n\r\n`);
  for (let count = 0; count < pieces; count++) wire.send(piece);
  for (let count = 0; count < 20; count++) await settle();
  assert.ok(chunks <= 3, `${chunks} chunks after a pause`);
  assert.ok(wire.socket.writableLength > 0);
  keeper.controller?.resume();
  assert.equal((await keeper.over).body.length, piece.length * pieces);
});

test("a refusal before the whole request was sent stops the sending", async (t) => {
  const body = "x".repeat(64 * 1024 * 1024);
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  const keeper = post(client, body);
  const wire = await upstream.accepted();
  await wire.until(() => wire.received.includes("\r\n\r\n"));
  wire.socket.pause();
  wire.send("HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\n");
  while (keeper.seen.status === 0) await settle();
  // Reads all that comes: what was on its way, and no more.
  wire.socket.resume();
  for (let bytes = -1; bytes < wire.received.length; ) {
    bytes = wire.received.length;
    await settle();
  }
  wire.send("big");
  const seen = await keeper.over;
  assert.deepEqual([seen.status, seen.body, seen.ending], [413, "big", "end"]);
  await wire.over();
  assert.ok(wire.received.length < body.length);
});

test("an answer before the whole request was sent is the last on its connection", async (t) => {
  const upstream = await startUpstream(t, {
    async script(wire, index) {
      if (index > 0) await wire.request();
      else await wire.until(() => wire.received.includes("\r\n\r\n"));
      wire.socket.pause();
      wire.send(answers[0][0]);
    },
  });
  const client = openClient(t, own, upstream.origin);
  for (const body of ["x".repeat(64 * 1024 * 1024), "{}"]) {
    assert.equal((await post(client, body).over).body, "hello");
    await settle();
  }
  assert.equal(upstream.wires.length, 2);
});

test("an answer that begins early and goes well gets the rest of its request", async (t) => {
  const body = "x".repeat(4 * 1024 * 1024);
  const upstream = await startUpstream(t, {
    async script(wire) {
      await wire.until(() => wire.received.includes("\r\n\r\n"));
      wire.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n");
      const request = await wire.request();
      assert.ok(request.endsWith(`\r\n\r\n${body}`));
      wire.send("4\r\n all\r\n0\r\n\r\n");
    },
  });
  const seen = await post(openClient(t, own, upstream.origin), body).over;
  assert.deepEqual([seen.body, seen.ending], ["hi all", "end"]);
});
