/**
 * Clients that read a kilobyte per second. What fits into the system's buffers is delivered completely;
 * beyond that Plaza holds almost no memory, and other callers are not affected.
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { eventually, pause } from "../../rigs/harness/measure/clock.ts";
import { queuedBytes, residentBytes } from "../../rigs/harness/processes/proc.ts";
import { startUpstreamProcess, type UpstreamProcess } from "../../rigs/harness/processes/upstream-process.ts";
import { isFinished, sendChat } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const hello = [{ role: "user", content: "hi" }];
/** Content bytes per event of the long streams, and their number of events. */
const padBytes = 64 * kilobyte;
const longEvents = 400;

let upstream: UpstreamProcess;
let product: Product;
before(async () => {
  upstream = await startUpstreamProcess();
  product = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("counting", upstream.baseUrl)],
      models: [model("counting", ["counting", "upstream-model"])],
    },
    // Expires while an answer is still being read.
    env: { PLAZA_KEEP_ALIVE_TIMEOUT_MS: "1s" },
  });
});
const open = new Set<Socket>();
after(async () => {
  for (const socket of open) socket.destroy();
  await product?.stop();
  await upstream?.stop();
});

interface SlowReader {
  readonly socket: Socket;
  text(): string;
  isClosed(): boolean;
}

/** Reads a kilobyte per second of an answer, also from the system's buffers, not only from Node's. */
function readSlowly(more: object): SlowReader {
  const body = JSON.stringify({ model: "counting", messages: hello, ...more });
  let text = "";
  let isClosed = false;
  const timer = setInterval(() => socket.resume(), 1_000);
  const socket = connect({
    port: product.port,
    host: "127.0.0.1",
    onread: {
      buffer: Buffer.alloc(kilobyte),
      callback(bytes, buffer) {
        text += Buffer.from(buffer.subarray(0, bytes)).toString("latin1");
        return false;
      },
    },
  });
  open.add(socket);
  socket.on("error", () => {});
  socket.once("close", () => {
    open.delete(socket);
    clearInterval(timer);
    isClosed = true;
  });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: plaza\r\nauthorization: Bearer ${product.firstKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return { socket, text: () => text, isClosed: () => isClosed };
}

test("an ordinary stream and a whole answer arrive to their ends", async () => {
  const stream = readSlowly({ stream: true, x_rig: { tokens: 20 } });
  const whole = readSlowly({ x_rig: { tokens: 400 } });
  assert.ok(await eventually(() => stream.isClosed() && whole.isClosed(), 20_000));
  assert.ok(stream.text().length > 4 * kilobyte, "longer than the time a kept connection is idle");
  assert.match(stream.text(), /\ndata: \[DONE\]\n\n\r\n0\r\n\r\n$/);
  const [head = "", body = ""] = whole.text().split("\r\n\r\n");
  assert.match(head, /^HTTP\/1.1 200 OK\r\n/);
  assert.equal(body.length, Number(/content-length: (\d+)/i.exec(head)?.[1]));
});

test("of long streams little is held, callers beside them are served, and they go on", async () => {
  const readers = Array.from({ length: 20 }, (_, index) =>
    readSlowly({ stream: true, x_rig: { id: `slow-${index}`, tokens: longEvents, padBytes } }),
  );
  let written = -1;
  const isStill = async (): Promise<boolean> => {
    const { writtenBytes } = await upstream.state();
    const isSame = writtenBytes === written && writtenBytes > megabyte;
    written = writtenBytes;
    return isSame;
  };
  assert.ok(await eventually(isStill, 20_000, 500), "the upstream is made to wait");
  const held = written - queuedBytes(upstream.port) - queuedBytes(product.port);
  assert.ok(written < readers.length * longEvents * padBytes, "not everything was sent");
  assert.ok(held < 16 * megabyte, `${held} bytes are held beyond the system's buffers`);
  const resident = residentBytes(product.pid);
  for (const stream of [true, false]) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        sendChat(product.origin, product.firstKey, { model: "counting", messages: hello, stream }),
      ),
    );
    assert.ok(answers.every(({ status, text }) => status === 200 && (!stream || isFinished(text))));
  }
  const lengths = readers.map((reader) => reader.text().length);
  await pause(2_500);
  for (const [index, reader] of readers.entries()) {
    assert.equal(reader.isClosed(), false);
    assert.ok(reader.text().length > (lengths[index] ?? 0), "each has got more of it");
    reader.socket.destroy();
  }
  assert.ok(residentBytes(product.pid) - resident < 32 * megabyte);
  const areStopped = async (): Promise<boolean> => {
    const calls = (await upstream.calls()).filter(({ id }) => id.startsWith("slow-"));
    return calls.length === readers.length && calls.every(({ end }) => end !== undefined);
  };
  assert.ok(await eventually(areStopped, 10_000, 100), "what nobody reads any more ends upstream");
});
