/** What becomes of a batch that is sent over gRPC, against a server of the official library. */
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { localhostTestCertificate, localhostTestKey } from "../net/testing/certificate.ts";
import { createGrpcSender } from "./otlp-grpc.ts";
import { startGrpcCollector } from "./testing/grpc-collector.ts";

const message = Buffer.from("a batch");
const enoughMs = 30_000;

async function start(context: TestContext, headers: readonly string[] = []) {
  const collector = await startGrpcCollector();
  const sender = createGrpcSender({ host: `127.0.0.1:${collector.port}`, isTls: false, headers });
  context.after(() => {
    sender.close();
    collector.stop();
  });
  return { collector, sender };
}

test("a batch arrives with its metadata", async (context) => {
  const headers = ["authorization", "Bearer abc", "x-key-bin", "AAEC"];
  const { collector, sender } = await start(context, headers);
  assert.equal(await sender.send(message, enoughMs), "taken");
  assert.equal(await sender.send(message, enoughMs), "taken");
  const [first] = collector.batches;
  assert.deepEqual(first?.message, message);
  assert.deepEqual(first?.metadata.get("authorization"), ["Bearer abc"]);
  assert.deepEqual(first?.metadata.get("x-key-bin"), [Buffer.from([0, 1, 2])]);
  assert.equal(collector.batches.length, 2);
});

test("a name that gRPC does not allow is refused at once", () => {
  const make = () => createGrpcSender({ host: "127.0.0.1:1", isTls: false, headers: ["x!y", "z"] });
  assert.throws(make, /illegal characters/);
});

test("the code decides; an exhausted collector gets a batch again only if it says when", async (context) => {
  const { collector, sender } = await start(context);
  const retry = Buffer.from("\x1a\x28\x0a\x26type.googleapis.com/google.rpc.RetryInfo", "latin1");
  const cases = [
    [{ code: status.OK }, "taken"],
    [{ code: status.UNAVAILABLE }, "later"],
    [{ code: status.DATA_LOSS }, "later"],
    [{ code: status.ABORTED }, "later"],
    [{ code: status.UNAUTHENTICATED }, "never"],
    [{ code: status.INVALID_ARGUMENT }, "never"],
    [{ code: status.UNIMPLEMENTED }, "never"],
    [{ code: status.RESOURCE_EXHAUSTED }, "never"],
    [{ code: status.RESOURCE_EXHAUSTED, details: retry }, "later"],
  ] as const;
  for (const [answer, sent] of cases) {
    collector.answer = answer;
    assert.equal(await sender.send(message, enoughMs), sent, JSON.stringify(answer));
  }
});

test("a collector that never answers, and one that is no longer there, mean later", {
  timeout: 10_000,
}, async (context) => {
  const { collector, sender } = await start(context);
  collector.answer = "never";
  assert.equal(await sender.send(message, 200), "later");
  collector.stop();
  assert.equal(await sender.send(message, enoughMs), "later");
});

test("a port that takes connections and says nothing means later", { timeout: 10_000 }, async (context) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const sender = createGrpcSender({ host: `127.0.0.1:${port}`, isTls: false, headers: [] });
  context.after(() => {
    sender.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  assert.equal(await sender.send(message, 200), "later");
});

test("over TLS a certificate of an unknown authority is not taken", async (context) => {
  const collector = await startGrpcCollector({ chain: localhostTestCertificate, key: localhostTestKey });
  const sender = createGrpcSender({ host: `localhost:${collector.port}`, isTls: true, headers: [] });
  context.after(() => {
    sender.close();
    collector.stop();
  });
  assert.equal(await sender.send(message, enoughMs), "later");
  assert.equal(collector.batches.length, 0);
});
