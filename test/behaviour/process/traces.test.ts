/** Traces of a server that runs from its build, over gRPC: they arrive, and nothing waits for a collector. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  localhostTestCertificate,
  localhostTestKey,
} from "../../../server/src/lib/net/testing/certificate.ts";
import { startGrpcCollector } from "../../../server/src/lib/telemetry/testing/grpc-collector.ts";
import { decodeTraces } from "../../../server/src/lib/telemetry/testing/otlp-messages.ts";
import { inParallel } from "../../rigs/harness/http-client.ts";
import { sendChat } from "../harness/caller.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { startProduct } from "../harness/product.ts";

const messages = [{ role: "user", content: "hello" }];

async function start(context: TestContext, env: Record<string, string>) {
  const product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] },
    env: { PLAZA_OTLP_PROTOCOL: "grpc", ...env },
  });
  context.after(() => product.stop());
  const { key } = await product.createKey(await product.createAccount());
  return { product, call: () => sendChat(product.origin, key, { model: "demo", messages }) };
}

test("spans of calls arrive over gRPC, from a collector whose authority Node was told of", async (context) => {
  const collector = await startGrpcCollector({ chain: localhostTestCertificate, key: localhostTestKey });
  context.after(() => collector.stop());
  const folder = mkdtempSync(join(tmpdir(), "plaza-traces-"));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "ca.crt"), localhostTestCertificate);
  const { product, call } = await start(context, {
    PLAZA_OTLP_ENDPOINT: `https://localhost:${collector.port}`,
    NODE_EXTRA_CA_CERTS: join(folder, "ca.crt"),
  });
  const { status } = await call();
  assert.equal(status, 200);
  assert.equal(await product.stop(), 0);
  const spans = collector.batches.flatMap(({ message }) =>
    decodeTraces(message).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
  );
  assert.deepEqual(spans.map(({ name }) => name).sort(), ["chat demo", "chat demo"]);
  assert.equal(
    spans.filter(({ parentSpanId }) => parentSpanId !== undefined).length,
    1,
    "an attempt below it",
  );
});

test("calls do not wait for a collector that takes connections and says nothing, nor does a stop", async (context) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { product, call } = await start(context, {
    PLAZA_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as { port: number }).port}`,
  });
  const calls = Array.from({ length: 40 });
  const answers: number[] = [];
  await inParallel(calls, 8, async () => void answers.push((await call()).status));
  assert.deepEqual(answers, calls.fill(200));
  assert.equal(await product.stop(), 0);
});
