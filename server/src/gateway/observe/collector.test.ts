/** Spans on their way to a collector, in each protocol: what arrives, and what is logged of a collector. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createLog } from "../../lib/telemetry/log.ts";
import type { Span } from "../../lib/telemetry/otlp.ts";
import { startGrpcCollector } from "../../lib/telemetry/testing/grpc-collector.ts";
import { decodeTraces } from "../../lib/telemetry/testing/otlp-messages.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { type CollectorOptions, createCollector } from "./collector.ts";

const span = (name: string): Span => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentId: undefined,
  name,
  kind: "server",
  startMs: 1_763_000_000_000,
  endMs: 1_763_000_000_001,
  attributes: { "plaza.request.id": "req_1" },
  hasFailed: false,
});

function watch(options: Pick<CollectorOptions, "endpoint" | "protocol"> & Partial<CollectorOptions>) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = createLog({ level: "info", clock: systemClock, write });
  const collector = createCollector({ headers: ["x-team", "ops"], version: "1.2.3", log, ...options });
  return { collector, lines };
}

/** Names of the spans, for a batch of this version of ours. */
function namesIn(traces: ReturnType<typeof decodeTraces>): string[] {
  const [{ resource, scopeSpans } = { resource: {}, scopeSpans: [] }] = traces.resourceSpans;
  assert.match(JSON.stringify(resource), /"service\.version","value":\{"stringValue":"1\.2\.3"\}/);
  return scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name));
}

async function startHttp(context: TestContext) {
  const bodies: {
    type: string | undefined;
    team: string | undefined;
    path: string | undefined;
    body: Buffer;
  }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { "content-type": type, "x-team": team } = request.headers;
    bodies.push({ type, team: String(team), path: request.url, body });
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

test("over HTTP, in JSON and in protobuf", async (context) => {
  const { endpoint, bodies } = await startHttp(context);
  for (const [protocol, type, decode] of [
    ["http/json", "application/json", (body: Buffer) => JSON.parse(body.toString())],
    ["http/protobuf", "application/x-protobuf", decodeTraces],
  ] as const) {
    const { collector, lines } = watch({ endpoint, protocol });
    collector.add(span("one"));
    collector.add(span("two"));
    await collector.close();
    const [got] = bodies.splice(0);
    assert.deepEqual([got?.type, got?.team, got?.path], [type, "ops", "/v1/traces"]);
    assert.deepEqual(namesIn(decode(got?.body ?? Buffer.alloc(0))), ["one", "two"]);
    assert.equal(collector.dropped, 0);
    assert.deepEqual(lines, []);
  }
});

test("over gRPC, whatever the path of the endpoint", async (context) => {
  const grpc = await startGrpcCollector();
  context.after(() => grpc.stop());
  const { collector } = watch({ endpoint: `http://127.0.0.1:${grpc.port}/ignored`, protocol: "grpc" });
  collector.add(span("one"));
  await grpc.came(1);
  collector.add(span("two"));
  await collector.close();
  assert.deepEqual(
    grpc.batches.map(({ message }) => namesIn(decodeTraces(message))),
    [["one"], ["two"]],
  );
  assert.deepEqual(grpc.batches[0]?.metadata.get("x-team"), ["ops"]);
  assert.equal(collector.dropped, 0);
});

test("a gRPC collector that is gone takes no memory, holds nothing, and is logged once", async () => {
  const gone = await startGrpcCollector();
  gone.stop();
  const { collector, lines } = watch({ endpoint: `http://127.0.0.1:${gone.port}`, protocol: "grpc" });
  for (let count = 0; count < 10_000; count += 1) collector.add(span("lost"));
  assert.equal(collector.dropped, 10_000 - 4_096, "what does not fit is dropped at once");
  await collector.close();
  assert.equal(collector.dropped, 10_000);
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["traces_not_taken"],
  );
});

test("headers that gRPC does not allow are said once, and spans are counted as dropped", async () => {
  const { collector, lines } = watch({
    endpoint: "http://127.0.0.1:1",
    protocol: "grpc",
    headers: ["x!y", "secret-value"],
  });
  collector.add(span("lost"));
  await collector.close();
  assert.equal(collector.dropped, 1);
  assert.equal(lines[0]?.["event"], "traces_not_sent");
  assert.match(String(lines[0]?.["fault"]), /x!y/);
  assert.ok(!JSON.stringify(lines).includes("secret-value"));
});

test("what speaks gRPC is loaded only where it is chosen", () => {
  const script = `
    const { createCollector } = await import(process.argv[1]);
    const options = { endpoint: "http://127.0.0.1:1", headers: [], version: "1", log: {} };
    const { _cache } = process.getBuiltinModule("node:module");
    const count = () => Object.keys(_cache).filter((file) => file.includes("grpc-js")).length;
    await createCollector({ ...options, protocol: "http/json" }).close();
    await createCollector({ ...options, protocol: "http/protobuf" }).close();
    const before = count();
    await createCollector({ ...options, protocol: "grpc" }).close();
    process.stdout.write(JSON.stringify([before, count() > 0]));`;
  const file = new URL("collector.ts", import.meta.url).href;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script, file], {
    encoding: "utf8",
  });
  assert.deepEqual(JSON.parse(out), [0, true]);
});
