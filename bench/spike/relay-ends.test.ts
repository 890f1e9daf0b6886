/** How requests end that do not end well: either side slow, gone, stale, dying or full. */
import assert from "node:assert/strict";
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { settle, startRig, type Wire } from "./testing.ts";

const get = "GET /v1/models HTTP/1.1\r\nhost: caller.test\r\n\r\n";
const answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine";
const streamHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
/** Nothing in it comes twice, so that bytes of another read in its place are noticed. */
const mebibyte = Array.from({ length: 131_072 }, (_, index) => String(index).padStart(8, "0")).join("");
const mebibytes = 96;
const total = mebibytes * mebibyte.length;

/** A kernel's buffers on both ways, and what a relay may hold. */
const heldMost = 24 * 1024 * 1024;

/** Writes until nothing more is taken; returns how many bytes were. */
async function pour(wire: Wire, bytesMax: number): Promise<number> {
  let bytes = 0;
  while (bytes < bytesMax) {
    const isTaken = wire.socket.write(mebibyte, "latin1");
    bytes += mebibyte.length;
    if (isTaken) continue;
    const signal = AbortSignal.timeout(300);
    const hasDrained = await once(wire.socket, "drain", { signal }).then(
      () => true,
      () => false,
    );
    if (!hasDrained) break;
  }
  return bytes;
}

interface Tally {
  bytes: number;
  readonly hash: Hash;
}

/** Counts what comes, after the head if there is one. */
function tally(wire: Wire, hasHead = false): Tally {
  const sum: Tally = { bytes: 0, hash: createHash("sha1") };
  let isHead = hasHead;
  wire.socket.removeAllListeners("data");
  wire.socket.on("data", (piece) => {
    const body = isHead ? piece.subarray(piece.indexOf("\r\n\r\n") + 4) : piece;
    isHead = false;
    sum.bytes += body.length;
    sum.hash.update(body);
  });
  return sum;
}

function digestOfAll(): string {
  const hash = createHash("sha1");
  for (let count = 0; count < mebibytes; count++) hash.update(mebibyte);
  return hash.digest("hex");
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await settle();
}

test("a caller who does not read holds the upstream back, and gets all of it once it does", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  caller.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  caller.socket.pause();
  upstream.send(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
  const poured = await pour(upstream, total);
  assert.ok(poured < heldMost, `${poured} bytes were taken`);
  const sum = tally(caller, true);
  caller.socket.resume();
  for (let bytes = poured; bytes < total; bytes += mebibyte.length) upstream.send(mebibyte);
  await until(() => sum.bytes >= total);
  assert.equal(sum.hash.digest("hex"), digestOfAll());
});

test("two slow callers at once get each its own answer", async (t) => {
  const rig = await startRig(t);
  const answers = await Promise.all(
    ["a", "b"].map(async (letter) => {
      const caller = await rig.call();
      caller.send(get);
      const upstream = await rig.accepted();
      await upstream.take("\r\n\r\n");
      caller.socket.pause();
      upstream.send(`HTTP/1.1 200 OK\r\ncontent-length: ${16 * mebibyte.length}\r\n\r\n`);
      return { letter, caller, upstream, sum: tally(caller, true), body: letter.repeat(mebibyte.length) };
    }),
  );
  for (let count = 0; count < 16; count++) {
    for (const { upstream, body } of answers) upstream.send(body);
    await settle();
  }
  const all = answers.map(({ letter, sum }) => {
    const hash = createHash("sha1")
      .update(letter.repeat(16 * mebibyte.length))
      .digest("hex");
    return { sum, hash };
  });
  for (const { caller } of answers) caller.socket.resume();
  await until(() => all.every(({ sum }) => sum.bytes >= 16 * mebibyte.length));
  for (const { sum, hash } of all) assert.equal(sum.hash.digest("hex"), hash);
});

test("an upstream that does not read holds the caller back, and gets all of it once it does", async (t) => {
  for (const framing of [`content-length: ${total}`, "transfer-encoding: chunked"]) {
    const rig = await startRig(t);
    const caller = await rig.call();
    caller.send(`POST / HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.socket.pause();
    const isChunked = framing.includes("chunked");
    if (isChunked) caller.send(`${total.toString(16)}\r\n`);
    const poured = await pour(caller, total);
    assert.ok(poured < heldMost, `${poured} bytes were taken`);
    const sum = tally(upstream);
    upstream.socket.resume();
    for (let bytes = poured; bytes < total; bytes += mebibyte.length) caller.send(mebibyte);
    if (isChunked) caller.send("\r\n0\r\n\r\n");
    await until(() => sum.bytes >= total);
    if (!isChunked) assert.equal(sum.hash.digest("hex"), digestOfAll());
    upstream.send(answer);
    await caller.take("fine");
  }
});

for (const [how, leave] of [
  ["ends", (wire: Wire) => wire.socket.destroy()],
  ["ends its side only", (wire: Wire) => wire.socket.end()],
  ["resets", (wire: Wire) => wire.socket.resetAndDestroy()],
] as const) {
  test(`a caller who ${how} aborts the upstream: before the answer, within it, and while sending`, async (t) => {
    const rig = await startRig(t);
    for (const moment of ["before", "within", "sending"]) {
      const caller = await rig.call();
      const isSending = moment === "sending";
      caller.send(isSending ? "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc" : get);
      const upstream = await rig.accepted();
      await upstream.take(isSending ? "abc" : "\r\n\r\n");
      if (moment === "within") {
        upstream.send(`${streamHead}1\r\na\r\n`);
        await caller.take("a\r\n");
      }
      leave(caller);
      await upstream.over();
      await until(() => rig.relay.connections.size === 0 && rig.relay.pool.count === 0);
    }
  });
}

for (const [how, die] of [
  ["ends", (wire: Wire) => wire.socket.end()],
  ["resets", (wire: Wire) => wire.socket.resetAndDestroy()],
] as const) {
  test(`an upstream that ${how}: 502 before the answer, a cut within it, never a whole one`, async (t) => {
    const rig = await startRig(t);
    for (const begun of ["", "HTTP/1.1 200 OK\r\ncontent-", `${streamHead}1\r\na\r\n`, answer.slice(0, -1)]) {
      const caller = await rig.call();
      caller.send(get);
      const upstream = await rig.accepted();
      await upstream.take("\r\n\r\n");
      if (begun !== "") upstream.send(begun);
      await settle();
      die(upstream);
      if (begun.includes("\r\n\r\n")) {
        await caller.over();
        assert.doesNotMatch(caller.received, /0\r\n\r\n$|fine$/);
        assert.match(caller.received, /^HTTP\/1.1 200 OK/);
      } else {
        assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 502 /);
        caller.send(get);
        await (await rig.accepted()).take("\r\n\r\n");
      }
      caller.socket.destroy();
      await until(() => rig.relay.pool.count === 0);
    }
  });
}

test("an upstream that refuses connections is a 502, and one connection too many a 503", async (t) => {
  const rig = await startRig(t, { connectionsMax: 1 });
  const [first, second] = [await rig.call(), await rig.call()];
  first.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  second.send(get);
  assert.match(await second.take("\r\n\r\n"), /^HTTP\/1.1 503 /);
  upstream.send(answer);
  await first.take("fine");
  const server = createServer();
  const gone = await startRig(t, {}, server);
  server.close();
  await once(server, "close");
  const caller = await gone.call();
  caller.send(get);
  assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 502 /);
  assert.equal(gone.relay.pool.count, 0);
});

test("a kept connection that the upstream closes is not used again; one that dies just then is a 502", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  const ask = async () => {
    caller.send(get);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.send(answer);
    await caller.take("fine");
    return upstream;
  };
  (await ask()).socket.end();
  await until(() => rig.relay.pool.idleCount === 0);
  const second = await ask();
  caller.send(get);
  await second.take("\r\n\r\n");
  second.socket.resetAndDestroy();
  assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 502 /);
  // Bytes that nobody asked for are not the next answer.
  const third = await ask();
  third.send(answer);
  await third.over();
  await ask();
});

test("an answer that says the connection closes, or comes from HTTP/1.0, is the last on it", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (const text of [
    answer.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"),
    answer.replace("1.1", "1.0"),
  ]) {
    caller.send(get);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.send(text);
    assert.equal(await caller.take("fine"), answer);
    await upstream.over();
  }
});

test("an answer without a body that speaks of one is the last on its connection", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  for (const head of [
    "HTTP/1.1 204 No Content\r\ncontent-length: 9\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n",
  ]) {
    caller.send(get);
    const upstream = await rig.accepted();
    await upstream.take("\r\n\r\n");
    upstream.send(head);
    await caller.take("\r\n\r\n");
    await upstream.over();
  }
});

test("a caller who asks for it has its connection closed after the answer", async (t) => {
  const rig = await startRig(t);
  const caller = await rig.call();
  caller.send(get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n") + get);
  const upstream = await rig.accepted();
  assert.doesNotMatch(await upstream.take("\r\n\r\n"), /connection/i);
  upstream.send(answer);
  await caller.over();
  assert.equal(caller.received, answer.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
  caller.socket.end();
  await until(() => rig.relay.connections.size === 0);
});

async function earlyAnswer(t: TestContext, rest: string) {
  const rig = await startRig(t, { inbound: { lingerMs: 300 } });
  const caller = await rig.call();
  caller.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc");
  const upstream = await rig.accepted();
  await upstream.take("abc");
  upstream.send("HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno");
  assert.match(await caller.take("no"), /^HTTP\/1.1 413 /);
  // Its request was never complete: whatever follows on that connection would be taken for its body.
  await upstream.over();
  caller.send(rest);
  return { rig, caller };
}

test("an answer before the end of the request: the rest is dropped, and the connection serves on", async (t) => {
  const { rig, caller } = await earlyAnswer(t, `defghij${get}`);
  const upstream = await rig.accepted();
  assert.match(await upstream.take("\r\n\r\n"), /^GET \/v1\/models /);
  upstream.send(answer);
  assert.equal(await caller.take("fine"), answer);
});

test("an answer before the end of a request that never ends: the connection is closed", async (t) => {
  const { rig, caller } = await earlyAnswer(t, "defghi");
  await caller.over();
  await until(() => rig.relay.connections.size === 0);
});

test("limits of the caller's side: a head, a body, and a rest without end", async (t) => {
  const inbound = { headMs: 200, bodyMs: 200, idleMs: 200 };
  const rig = await startRig(t, { inbound });
  for (const text of ["GET / HTT", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\na"]) {
    const caller = await rig.call();
    caller.send(text);
    await caller.over();
    assert.match(caller.received, /^HTTP\/1.1 408 /);
  }
  const [silent, idle] = [await rig.call(), await rig.call()];
  idle.send("GET / HTTP/1.0\r\n\r\n");
  await Promise.all([silent.over(), idle.over()]);
  assert.equal(silent.received, "");
  for (const { socket } of [silent, idle]) socket.destroy();
  await until(() => rig.relay.pool.count === 0);
});

test("limits of the upstream's side: 504 before an answer, a cut within it, and none while the caller is slow", async (t) => {
  const rig = await startRig(t, { outbound: { answerMs: 200, pieceMs: 200 } });
  const caller = await rig.call();
  caller.send(get);
  await (await rig.accepted()).over();
  assert.match(await caller.take("\r\n\r\n"), /^HTTP\/1.1 504 /);
  caller.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  upstream.send(`${streamHead}1\r\na\r\n`);
  await caller.over();
  assert.doesNotMatch(caller.received, /0\r\n\r\n$/);
});

test("a caller who takes nothing for too long is dropped, with the upstream's answer", async (t) => {
  const rig = await startRig(t, { inbound: { stalledMs: 300 } });
  const caller = await rig.call();
  caller.send(get);
  const upstream = await rig.accepted();
  await upstream.take("\r\n\r\n");
  caller.socket.pause();
  upstream.send(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
  await pour(upstream, total);
  await upstream.over();
  await until(() => rig.relay.connections.size === 0);
});

test("idle connections of the pool end by age of rest, and are replaced by age of life", async (t) => {
  const rig = await startRig(t, { outbound: { idleMs: 200, ageMs: 700 } });
  const caller = await rig.call();
  const ask = async (upstream: Wire | undefined) => {
    caller.send(get);
    const used = upstream ?? (await rig.accepted());
    await used.take("\r\n\r\n");
    used.send(answer);
    await caller.take("fine");
    return used;
  };
  const first = await ask(undefined);
  await first.over();
  const second = await ask(undefined);
  const bornMs = performance.now();
  while (!second.isOver && rig.upstream.length === 2) {
    await ask(second);
    await settle();
    assert.ok(performance.now() - bornMs < 5_000);
  }
});

test("after all that nothing is left: a thousand connections that come and go leave no parser and no socket", async (t) => {
  const rig = await startRig(t);
  for (let round = 0; round < 50; round++) {
    const callers = await Promise.all(Array.from({ length: 20 }, () => rig.call()));
    for (const caller of callers) caller.send(get);
    const upstreams = await Promise.all(callers.map(() => rig.accepted()));
    for (const [index, caller] of callers.entries()) {
      if (index % 2 === 0) caller.socket.resetAndDestroy();
      else upstreams[index]?.socket.resetAndDestroy();
    }
    for (const caller of callers) caller.socket.destroy();
    await until(() => rig.relay.connections.size === 0 && rig.relay.pool.count === 0);
  }
});
