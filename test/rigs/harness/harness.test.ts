/** Tests of the rigs' harness. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import OpenAI from "openai";
import { countFigure, percentile, printFigure } from "./figure.ts";
import {
  cpuTicks,
  heldConnections,
  openDescriptors,
  proportionalBytes,
  residentBytes,
} from "./processes/proc.ts";
import { seededRandom } from "./random.ts";
import { readAnswers, sendRaw } from "./raw-client.ts";
import { finishReasons, isComment, isDone, isUsageOnly, splitEvents } from "./sse.ts";
import { recordedStreams } from "./streams/streams.ts";

test("the same seed draws the same, another seed does not", () => {
  const draw = (seed: number): number[] => Array.from({ length: 5 }, seededRandom(seed).next);
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
  assert.notEqual(seededRandom(7).fork("a").next(), seededRandom(7).fork("b").next());
});

test("percentile is the nearest rank", () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(percentile(samples, 99), 99);
  assert.equal(percentile(samples, 50), 50);
  assert.equal(percentile([3], 99), 3);
});

test("a figure without cases is missed, and one miss shows", () => {
  assert.equal(countFigure("P00", "none", 0, []).ok, false);
  const figure = countFigure("P00", "some", 3, ["third"]);
  assert.equal(figure.ok, false);
  assert.match(printFigure(figure, 5), /MISS.*66\.66 % of 3.*seed 5\)\n.*third/);
});

test("events split at every kind of blank line and join to the input", () => {
  const bytes = Buffer.from(": c\n\ndata: a\r\n\r\ndata: b\ndata: c\r\rdata: [DONE]\n\nrest");
  const pieces = splitEvents(bytes);
  assert.equal(pieces.length, 5);
  assert.ok(Buffer.concat(pieces).equals(bytes));
  assert.ok(isComment(pieces[0] ?? Buffer.alloc(0)));
  assert.ok(isDone(pieces[3] ?? Buffer.alloc(0)));
});

test("every recorded stream is a whole stream, and the official SDK reads it", async () => {
  for (const stream of recordedStreams) {
    assert.ok(isDone(stream.events.at(-1) ?? Buffer.alloc(0)), stream.name);
    assert.ok(
      stream.events.some((piece) => finishReasons(piece).length > 0),
      stream.name,
    );
    assert.ok(
      stream.usageOnly.every((index) => isUsageOnly(stream.events[index] ?? Buffer.alloc(0))),
      stream.name,
    );
    assert.equal(stream.bytes.includes("\ufffd"), false, stream.name);
    const client = new OpenAI({
      apiKey: "k",
      logLevel: "off",
      maxRetries: 0,
      fetch: async () =>
        new Response(new Uint8Array(stream.bytes), { headers: { "content-type": "text/event-stream" } }),
    });
    const chunks = await client.chat.completions.create({ model: "m", messages: [], stream: true });
    let count = 0;
    for await (const _chunk of chunks) count++;
    assert.ok(count >= 6, stream.name);
  }
});

test("raw answers are found one after another, chunked or counted", () => {
  const bytes = Buffer.from(
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  );
  const answers = readAnswers(bytes);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [100, 200, 400],
  );
  assert.equal(answers[2]?.body.toString(), "abc");
});

test("the raw client reports a close by the peer", async () => {
  const server = createServer((socket) =>
    socket.resume().end("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const seen = await sendRaw({
    port: (server.address() as AddressInfo).port,
    pieces: [{ bytes: Buffer.from("x"), afterMs: 0 }],
  });
  assert.equal(seen.answers[0]?.status, 400);
  assert.ok(seen.closedAfterMs >= 0);
  await new Promise((resolve) => server.close(resolve));
});

test("/proc readers see this process", () => {
  assert.ok(residentBytes(process.pid) > 10_000_000);
  assert.ok(openDescriptors(process.pid) > 3);
  assert.ok(proportionalBytes(process.pid) <= residentBytes(process.pid));
  assert.ok(cpuTicks(process.pid) > 0);
});

test("a connection is held until the process has closed its end", async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection");
  const caller = connect({ port, host: "127.0.0.1" });
  t.after(() => caller.destroy());
  const [socket] = (await accepted) as [Socket];
  assert.deepEqual([...heldConnections(process.pid, port)], [caller.localPort]);
  const closed = once(socket, "close");
  socket.destroy();
  await closed;
  assert.deepEqual([...heldConnections(process.pid, port)], []);
});
