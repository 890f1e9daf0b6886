/** The relay over real sockets: what a caller sends reaches the upstream, and what it answers comes back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { mediaTestCertificate, mediaTestKey } from "../../server/src/lib/net/testing/certificate.ts";
import { settle, startRig, type Wire } from "./testing.ts";

const get = "GET /v1/models HTTP/1.1\r\nhost: caller.test\r\naccept: */*\r\n\r\n";
const sized =
  "POST /v1/chat HTTP/1.1\r\nHost: caller.test\r\nConnection: keep-alive, X-Own\r\nX-Own: 1\r\nContent-Length: 11\r\nX-Kept: yes\r\nKeep-Alive: 5\r\n\r\nhello world";
const chunked =
  "POST /v1/chat HTTP/1.1\r\nhost: caller.test\r\ntransfer-encoding: chunked\r\nx-kept: yes\r\n\r\n5\r\nhello\r\n6;ext\r\n world\r\n0\r\nx-trailer: 1\r\n\r\n";
const answer =
  "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\nConnection: keep-alive\r\n\r\nfine";
const passedAnswer = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nfine";

/** Takes the framing off a chunked body. */
function unchunk(body: string): string {
  let text = "";
  for (let rest = body; ; ) {
    const size = /^([0-9a-f]+)\r\n/.exec(rest);
    assert.ok(size, JSON.stringify(rest));
    const length = Number.parseInt(size[1] ?? "", 16);
    const start = size[0].length;
    text += rest.slice(start, start + length);
    assert.equal(rest.slice(start + length, start + length + 2), "\r\n");
    rest = rest.slice(start + length + 2);
    if (length === 0) {
      assert.equal(rest, "");
      return text;
    }
  }
}

const headOf = (message: string) => message.slice(0, message.indexOf("\r\n\r\n") + 4);
const bodyOf = (message: string) => message.slice(message.indexOf("\r\n\r\n") + 4);

/** Sends in two reads: the second part goes when the first has arrived. */
async function sendCut(wire: Wire, text: string, at: number): Promise<void> {
  if (at > 0) {
    wire.send(text.slice(0, at));
    await settle();
  }
  wire.send(text.slice(at));
}

test("a sized request passes at every cut, without what concerns its connection, on one kept connection", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (let at = 0; at < sized.length; at++) {
    await sendCut(caller, sized, at);
    const upstream = rig.upstream[0] ?? (await rig.accepted());
    const request = await upstream.take("hello world");
    assert.equal(
      request.replace(/127\.0\.0\.1:\d+/, "upstream"),
      "POST /v1/chat HTTP/1.1\r\nhost: upstream\r\nContent-Length: 11\r\nX-Kept: yes\r\n\r\nhello world",
      `cut at ${at}`,
    );
    upstream.send(answer);
    assert.equal(await caller.take("fine"), passedAnswer);
  }
  assert.equal(rig.upstream.length, 1);
  assert.equal(rig.relay.connections.size, 1);
  assert.equal(rig.relay.pool.idleCount, 1);
});

test("a chunked request passes at every cut, as chunks, without extensions and trailers", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (let at = 0; at < chunked.length; at++) {
    await sendCut(caller, chunked, at);
    const upstream = rig.upstream[0] ?? (await rig.accepted());
    const request = await upstream.take("0\r\n\r\n");
    assert.match(headOf(request), /\r\nx-kept: yes\r\ntransfer-encoding: chunked\r\n\r\n$/);
    assert.equal(unchunk(bodyOf(request)), "hello world", `cut at ${at}`);
    upstream.send(answer);
    assert.equal(await caller.take("fine"), passedAnswer);
  }
  assert.equal(rig.upstream.length, 1);
});

const streamed =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" +
  "9\r\ndata: 1\n\n\r\n12\r\ndata: 2\n\ndata: 3\n\n\r\n0\r\n\r\n";

test("answers pass at every cut: sized, chunked, after an interim one, without a body", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  const interim = `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${answer}`;
  const empty = "HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n";
  for (const text of [answer, interim, streamed, empty]) {
    for (let at = 0; at < text.length; at++) {
      caller.send(get);
      const upstream = rig.upstream[0] ?? (await rig.accepted());
      await upstream.take("\r\n\r\n");
      await sendCut(upstream, text, at);
      if (text === streamed) {
        const received = await caller.take("0\r\n\r\n");
        assert.equal(headOf(received), headOf(streamed));
        assert.equal(unchunk(bodyOf(received)), "data: 1\n\ndata: 2\n\ndata: 3\n\n", `cut at ${at}`);
      } else if (text === empty) {
        assert.equal(await caller.take("\r\n\r\n"), empty);
      } else {
        assert.equal(await caller.take("fine"), passedAnswer, `cut at ${at}`);
      }
    }
  }
  assert.equal(rig.upstream.length, 1);
});

test("an answer that ends with the connection becomes a chunked one, and the caller's connection stays", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (let round = 0; round < 3; round++) {
    caller.send(get);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.send("HTTP/1.1 200 OK\r\nx: y\r\n\r\nfirst ");
    await settle();
    upstream.socket.end("last");
    const received = await caller.take("0\r\n\r\n");
    assert.equal(headOf(received), "HTTP/1.1 200 OK\r\nx: y\r\ntransfer-encoding: chunked\r\n\r\n");
    assert.equal(unchunk(bodyOf(received)), "first last");
  }
});

test("each event leaves in one write, as one chunk, when it arrives in one read", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  caller.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  const pieces: string[] = [];
  caller.socket.on("data", (bytes) => pieces.push(bytes.toString()));
  const event = `data: ${"x".repeat(200)}\n\n`;
  const chunk = `${event.length.toString(16)}\r\n${event}\r\n`;
  upstream.send(headOf(streamed) + chunk);
  await caller.take("\n\n\r\n");
  for (let count = 0; count < 20; count++) {
    upstream.send(chunk);
    await caller.take("\n\n\r\n");
  }
  // Two events in one read are one chunk.
  upstream.send(chunk + chunk);
  await caller.take("\n\n\r\n");
  const two = event + event;
  assert.deepEqual(pieces, [
    headOf(streamed) + chunk,
    ...Array(20).fill(chunk),
    `${two.length.toString(16)}\r\n${two}\r\n`,
  ]);
});

test("requests sent ahead are served in order, at every cut, whatever their bodies", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  const all = sized + chunked + get + sized;
  for (let at = 0; at < all.length; at += 3) {
    await sendCut(caller, all, at);
    const upstream = rig.upstream[0] ?? (await rig.accepted());
    for (const ending of ["hello world", "0\r\n\r\n", "accept: */*\r\n\r\n", "hello world"]) {
      await upstream.take(ending);
      assert.equal(caller.received, "");
      upstream.send(answer);
      assert.equal(await caller.take("fine"), passedAnswer);
    }
  }
  assert.equal(rig.upstream.length, 1);
});

test("many requests sent ahead by a caller who does not read: held back, then all served", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  const count = 4_000;
  caller.socket.pause();
  let sent = 0;
  const body = "z".repeat(16_000);
  const reply = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  caller.send(get.repeat(count));
  const upstream = await rig.accepted();
  upstream.socket.removeAllListeners("data");
  let left = "";
  upstream.socket.on("data", (bytes) => {
    left += bytes.toString("latin1");
    for (let end = left.indexOf("\r\n\r\n"); end >= 0; end = left.indexOf("\r\n\r\n")) {
      left = left.slice(end + 4);
      sent++;
      upstream.send(reply);
    }
  });
  for (let before = -1; before !== sent; ) {
    before = sent;
    for (let turns = 0; turns < 50; turns++) await settle();
  }
  assert.ok(sent < count, `${sent} answers for a caller who reads none`);
  let bytes = 0;
  caller.socket.removeAllListeners("data");
  const done = new Promise<void>((resolve) => {
    caller.socket.on("data", (piece) => {
      bytes += piece.length;
      if (bytes === count * reply.length) resolve();
    });
  });
  caller.socket.resume();
  await done;
  assert.equal(sent, count);
});

test("HEAD has no body, and the next answer is not taken for one", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (let round = 0; round < 2; round++) {
    caller.send("HEAD /v1/x HTTP/1.1\r\nhost: a\r\n\r\n");
    const upstream = rig.upstream[0] ?? (await rig.accepted());
    await upstream.take("\r\n\r\n");
    upstream.send("HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n");
    assert.equal(await caller.take("\r\n\r\n"), "HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n");
    caller.send(get);
    await upstream.take("\r\n\r\n");
    upstream.send(answer);
    assert.equal(await caller.take("fine"), passedAnswer);
  }
});

test("a caller who waits for 100 Continue gets it, and Expect ends here", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  caller.send("POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n");
  assert.equal(await caller.take("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  caller.send("abc");
  const request = await (await rig.accepted()).take("abc");
  assert.doesNotMatch(request, /expect/);
});

const notPlain: Readonly<Record<string, RegExp>> = {
  "GET / HTTP/1.0\r\nhost: a\r\n\r\n": /^HTTP\/1.1 505 /,
  "GET / HTTP/2.0\r\nhost: a\r\n\r\n": /^HTTP\/1.1 505 /,
  "GET / HTTP/1.1\r\n\r\n": /^HTTP\/1.1 400 /,
  "GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n": /^HTTP\/1.1 400 /,
  "GET http://b/ HTTP/1.1\r\nhost: a\r\n\r\n": /^HTTP\/1.1 400 /,
  "GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n": /^HTTP\/1.1 501 /,
  "CONNECT b:443 HTTP/1.1\r\nhost: a\r\n\r\n": /^HTTP\/1.1 501 /,
  "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n": /^HTTP\/1.1 501 /,
  "GET / HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\n\r\n": /^HTTP\/1.1 417 /,
  "GET / HTTP/1.1\nhost: a\n\n": /^HTTP\/1.1 400 /,
  "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n": /^HTTP\/1.1 400 /,
  [`GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`]: /^HTTP\/1.1 431 /,
};

test("what is not plain is answered at every cut, the connection closes, and nothing reaches the upstream", async (t) => {
  const rig = await startRig(t);
  for (const [text, expected] of Object.entries(notPlain)) {
    for (let at = 0; at < Math.min(text.length, 100); at += 7) {
      const caller = await rig.call();
      await sendCut(caller, text + get, at);
      await caller.over();
      assert.match(caller.received, expected, JSON.stringify(text.slice(0, 80)));
      assert.equal(caller.received.split("HTTP/1.1").length, 2);
      assert.match(caller.received, /\r\nconnection: close\r\n/);
    }
  }
  assert.equal(rig.upstream.length, 0);
});

test("an answer that is not HTTP/1.1, or not alone, is not passed on", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (const text of [
    "SSH-2.0-x\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  ]) {
    caller.send(get);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.send(text);
    assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 502 /, JSON.stringify(text));
  }
  caller.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  upstream.send(answer + answer);
  assert.equal(await caller.take("fine"), passedAnswer);
  await upstream.over();
  assert.equal(rig.relay.pool.idleCount, 0);
});

test("only known callers are let in, if there is a list", async (t) => {
  const rig = await startRig(t, { authorizations: new Set(["Bearer good"]) });
  const caller = await rig.call();
  caller.send("POST / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer bad\r\ncontent-length: 3\r\n\r\nabc");
  assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 401 /);
  assert.equal(rig.upstream.length, 0);
  caller.send("GET / HTTP/1.1\r\nhost: a\r\nAuthorization: Bearer good\r\n\r\n");
  await (await rig.accepted()).take("\r\n\r\n");
});

test("over TLS, and a second connection takes up the first one's session", async (t) => {
  const server = createTlsServer({ cert: mediaTestCertificate, key: mediaTestKey });
  const rig = await startRig(t, { tls: { servername: "media.test", ca: mediaTestCertificate } }, server);
  const [first, second] = [await rig.call(), await rig.call()];
  first.send(get);
  const one = await rig.accepted();
  await one.take("\r\n\r\n");
  one.send(streamed);
  await first.take("0\r\n\r\n");
  first.send(get);
  await one.take("\r\n\r\n");
  second.send(sized);
  const two = await rig.accepted();
  await two.take("hello world");
  two.send(answer);
  one.send(answer);
  assert.equal(await second.take("fine"), passedAnswer);
  assert.equal(await first.take("fine"), passedAnswer);
  assert.deepEqual(
    [one, two].map(({ socket }) => (socket as TLSSocket).isSessionReused()),
    [false, true],
  );
});

test("an upstream whose certificate is not its own is not spoken to", async (t) => {
  const server = createTlsServer({ cert: mediaTestCertificate, key: mediaTestKey });
  const rig = await startRig(t, { tls: { servername: "other.test", ca: mediaTestCertificate } }, server);
  const caller = await rig.call();
  caller.send(sized);
  assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 502 /);
  assert.equal(rig.upstream[0]?.received ?? "", "");
});
