/** Texts written past a socket's stream: the same bytes in the same order as through it, slow readers too. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createDirectWriter } from "./direct.ts";

const direct = createDirectWriter();

/** Both ends of a connection. */
async function pairOf(context: TestContext): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [near] = (await once(server, "connection")) as [Socket];
  for (const socket of [near, far]) socket.on("error", () => {});
  context.after(() => {
    for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  return { near, far };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a text is sent at once, as latin1, and in order with what the stream writes", async (context) => {
  const { near, far } = await pairOf(context);
  let text = "";
  far.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  let wanted = "";
  for (let index = 0; index < 100; index += 1) {
    const piece = `${index}\u00fc${".".repeat(index)}`;
    wanted += piece;
    if (index % 3 === 0) near.write(piece, "latin1");
    else assert.equal(direct.write(near, piece), true);
  }
  while (text.length < wanted.length) await once(far, "data");
  assert.equal(text, wanted);
  assert.equal(near.writableLength, 0);
});

test("what the system does not take at once is sent later; `drain` tells when", async (context) => {
  const { near, far } = await pairOf(context);
  far.pause();
  const piece = "0123456789".repeat(1_000);
  let sentBytes = 0;
  let isSent: boolean | undefined;
  do {
    isSent = direct.write(near, piece);
    sentBytes += piece.length;
  } while (isSent === true);
  assert.equal(isSent, false);
  let drains = 0;
  near.on("drain", () => {
    drains += 1;
  });
  for (let turns = 0; turns < 10; turns += 1) await turn();
  assert.equal(drains, 0, "nobody has read");
  near.write("behind");
  assert.equal(direct.write(near, "no"), undefined, "the stream holds bytes");
  let text = "";
  far.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  far.resume();
  while (text.length < sentBytes + 6) await once(far, "data");
  assert.ok(text === `${piece.repeat(sentBytes / piece.length)}behind`);
  while (drains === 0) await turn();
});

test("a write that fails ends the socket, at once or later", async (context) => {
  for (const isFull of [false, true]) {
    const { near, far } = await pairOf(context);
    if (isFull) {
      far.pause();
      while (direct.write(near, ".".repeat(10_000)) === true);
    }
    const closed = new Promise((resolve) => near.once("close", resolve));
    far.resetAndDestroy();
    await once(far, "close");
    while (!near.destroyed) {
      direct.write(near, "anybody?");
      await turn();
    }
    await closed;
    assert.equal(direct.write(near, "late"), undefined);
  }
});

test("a socket that is not connected is left to its stream", () => {
  const socket = connect(1, "127.0.0.1").on("error", () => {});
  assert.equal(direct.write(socket, "early"), undefined);
  socket.destroy();
  assert.equal(direct.write(socket, "late"), undefined);
});
