/** The benchmark's upstream with its load client: sizes, counts, framing, ends. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { StreamClient } from "./measure/stream-client.ts";
import { chatBody, streamBody } from "./payloads.ts";
import { jsonAnswerBytes, parseStreamModel, sseEventBytes, streamReply } from "./replies.ts";
import { createUpstream, type UpstreamCount } from "./upstream.ts";

const server = createUpstream();
const sockets = new Set<Socket>();
server.on("connection", (socket) => sockets.add(socket));
let port = 0;

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = address !== null && typeof address === "object" ? address.port : 0;
});
after(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

function client(model: string, chunks: number | undefined): StreamClient {
  return new StreamClient({ port, path: "/v1/chat/completions", key: "k", body: streamBody(model), chunks });
}

async function ask(path: string): Promise<UpstreamCount> {
  return (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as UpstreamCount;
}

test("a request in pieces is answered with a chat completion of the agreed size", async () => {
  const body = chatBody("bench-json", 1024, {});
  const request = Buffer.concat([
    Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  for (const at of [0, 10, 60, 200, 700]) {
    const next = { 0: 10, 10: 60, 60: 200, 200: 700 }[at] ?? request.length;
    await new Promise((resolve) => socket.write(request.subarray(at, next), resolve));
  }
  const [reply] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  const [head = "", answer = ""] = reply.toString().split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(answer.length, jsonAnswerBytes);
  assert.equal(JSON.parse(answer).usage.total_tokens, 240);
});

test("a body that a gateway wrote anew is understood, its model at the end and cut in two", async () => {
  const messages = [{ role: "user", content: "x".repeat(4000) }];
  const body = `{"messages": ${JSON.stringify(messages)}, "model": "bench-json"}`;
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
  const before = (await ask("/count")).json;
  for (const cut of [
    head.length,
    head.length + 2000,
    ...[2, 6, 12, 18].map((last) => head.length + body.length - last),
  ]) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const request = Buffer.from(head + body);
    await new Promise((resolve) => socket.write(request.subarray(0, cut), resolve));
    socket.write(request.subarray(cut));
    const [reply] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    assert.match(reply.toString(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*"model":"bench-json"/, `cut at ${cut}`);
  }
  assert.equal((await ask("/count")).json, before + 6);
});

test("a content event has the agreed size whatever the model is called", () => {
  for (const model of ["s-3-10", "s-20000-1000", "gpt-s-open-50", "openai/s-10-20"]) {
    assert.notEqual(parseStreamModel(model), undefined);
    const [size = "", event = ""] = streamReply(model).content.toString().split("\r\n");
    assert.equal(Number.parseInt(size, 16), sseEventBytes);
    assert.equal(event.length, sseEventBytes);
  }
});

test("streams deliver what their name says, and connections are used again", async () => {
  const streams = client("s-5-10", 5);
  for (let wave = 0; wave < 3; wave++) {
    for (let i = 0; i < 20; i++) streams.start();
    await streams.whenAllFinished(10_000);
  }
  streams.close();
  assert.deepEqual(
    [streams.tally.finished, streams.tally.contentChunks, streams.tally.firstTokenMs.length],
    [60, 300, 60],
  );
});

test("open streams end when told to, and not a chunk is lost", async () => {
  const before = await ask("/count");
  const streams = client("s-open-40", undefined);
  for (let i = 0; i < 300; i++) streams.start();
  await streams.whenEstablished(300, 10_000);
  await ask("/finish");
  await streams.whenAllFinished(10_000);
  streams.close();
  const count = await ask("/count");
  assert.equal(streams.tally.finished, 300);
  assert.equal(streams.tally.contentChunks, count.contentChunks - before.contentChunks);
  assert.equal(count.streamsFinished, count.streamsStarted);
});

test("a stream shorter than promised fails the wait", async () => {
  const streams = client("s-4-1", 5);
  streams.start();
  await assert.rejects(streams.whenAllFinished(10_000), /4 content chunks instead of 5/);
  streams.close();
});

test("an answer that is no stream fails the wait", async () => {
  const streams = client("bench-json", 5);
  streams.start();
  await assert.rejects(streams.whenAllFinished(10_000), /not a streamed 200/);
  streams.close();
});

test("bodies have exactly the size asked for and are the same every time", () => {
  for (const bytes of [512, 1024, 5000, 102_400]) {
    const body = chatBody("bench-json", bytes, { max_tokens: 256 });
    assert.equal(body.length, bytes);
    assert.equal(JSON.parse(body.toString()).model, "bench-json");
    assert.deepEqual(chatBody("bench-json", bytes, { max_tokens: 256 }), body);
  }
});
