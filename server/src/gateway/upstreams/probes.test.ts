import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { Choice } from "./health.ts";
import { createProbes } from "./probes.ts";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  type TestUpstreamHealth,
  testUpstreamHealth,
} from "./testing/test-upstream-health.ts";

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_req, res) => {
    res.writeHead(code, headers).end("{}");
  };

/** An upstream that records paths and authorization, and answers as the test says. */
async function upstreamServer(context: TestContext) {
  const seen: string[] = [];
  const upstream = { answer: status(200) as Answer, seen, origin: "" };
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers.authorization ?? "-"}`);
    upstream.answer(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  upstream.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return upstream;
}

async function rigWith(context: TestContext, credentials: string[]) {
  const upstream = await upstreamServer(context);
  const client = createHttpClient(upstream.origin, 1_000);
  context.after(() => client.close());
  const live = liveUpstream("a", { baseUrl: `${upstream.origin}/v1`, credentials }, client);
  const spare = liveUpstream("b");
  const model = liveModel("gpt", [deploymentOn(live), deploymentOn(spare, { priority: 2 })]);
  const rig = testUpstreamHealth();
  const clock = { elapsedMs: () => rig.nowMs, wallMs: () => rig.nowMs };
  const probes = createProbes({ slots: rig.upstreamHealth.slots, clock, report: rig.upstreamHealth.report });
  return { upstream, model, rig, probes };
}

const stateOf = (rig: TestUpstreamHealth) => rig.upstreamHealth.slots.list()[0];

test("a refused credential is looked at after a minute with itself, and is back when it is accepted", async (context) => {
  const { upstream, model, rig, probes } = await rigWith(context, ["s1", "s2"]);
  const first = rig.choose(model) as Choice;
  rig.call(first, { kind: "upstream_auth", status: 401 });
  rig.nowMs = 59_999;
  await probes.turn();
  assert.deepEqual(upstream.seen, []);
  upstream.answer = status(401);
  rig.nowMs = 60_000;
  await probes.turn();
  await probes.turn();
  assert.deepEqual(upstream.seen, ["GET /v1/models Bearer s1"]);
  assert.equal(stateOf(rig)?.credentials[0]?.health.out, "auth");
  upstream.answer = status(200);
  rig.nowMs = 60_000 + 120_000;
  await probes.turn();
  assert.equal(stateOf(rig)?.credentials[0]?.health.out, undefined);
  assert.deepEqual(
    rig.events.map(({ name, credential }) => [name, credential]),
    [
      ["credential_out", 1],
      ["credential_back", 1],
    ],
  );
});

test("an ejected deployment is looked at until it answers; the look never follows a redirect", async (context) => {
  const { upstream, model, rig, probes } = await rigWith(context, []);
  const trap = await upstreamServer(context);
  for (let call = 0; call < 5; call += 1) rig.call(rig.choose(model) as Choice, { kind: "network" });
  upstream.answer = status(302, { location: `${trap.origin}/v1/models` });
  rig.nowMs = 4_000;
  await probes.turn();
  rig.nowMs = 6_000;
  assert.equal(rig.choose(model)?.live.live.upstream.id, "b", "a redirect is no sign of life");
  rig.nowMs = 14_000;
  upstream.answer = (req) => req.socket.destroy();
  await probes.turn();
  assert.equal(rig.choose(model)?.live.live.upstream.id, "b", "no caller tries what a look found dead");
  rig.nowMs = 24_000;
  upstream.answer = status(404);
  await probes.turn();
  assert.equal(rig.choose(model)?.live.live.upstream.id, "a", "it answers, whatever it says");
  assert.deepEqual(upstream.seen, Array(3).fill("GET /v1/models -"));
  assert.deepEqual(trap.seen, []);
});

test("an operator's test is a look at once, and refusals found by it do not delay those of its own", async (context) => {
  const { upstream, model, rig, probes } = await rigWith(context, ["s1"]);
  for (let call = 0; call < 5; call += 1) rig.call(rig.choose(model) as Choice, { kind: "network" });
  rig.nowMs = 100;
  await probes.turn();
  await probes.probeNow("b");
  assert.deepEqual(upstream.seen, []);
  upstream.answer = status(200);
  await probes.probeNow("a");
  assert.deepEqual(upstream.seen, ["GET /v1/models Bearer s1"]);
  rig.nowMs = 5_000;
  assert.equal(rig.choose(model)?.live.live.upstream.id, "a", "found alive, so its shortest ejection counts");
  rig.call(rig.choose(model) as Choice, { kind: "upstream_auth", status: 401 });
  upstream.answer = status(401);
  for (let time = 0; time < 5; time += 1) await probes.probeNow("a");
  assert.equal(upstream.seen.length, 6);
  const { untilMs = 0 } = stateOf(rig)?.credentials[0]?.health ?? {};
  assert.equal(untilMs, 5_000 + 60_000);
});

test("one look at a time per upstream, a few at once altogether, and those under way are cut at the end", async (context) => {
  const upstream = await upstreamServer(context);
  const arrived = Promise.withResolvers<void>();
  upstream.answer = () => {
    if (upstream.seen.length === 2) arrived.resolve();
  };
  const client = createHttpClient(upstream.origin, 1_000);
  context.after(() => client.close());
  const rig = testUpstreamHealth();
  for (let index = 0; index < 5; index += 1) {
    const live = liveUpstream(`up${index}`, { baseUrl: `${upstream.origin}/v1` }, client);
    const model = liveModel(`m${index}`, [deploymentOn(live)]);
    rig.call(rig.choose(model) as Choice, { kind: "upstream_auth", status: 401 });
  }
  rig.nowMs = 60_000;
  const clock = { elapsedMs: () => rig.nowMs, wallMs: () => rig.nowMs };
  const probes = createProbes({
    slots: rig.upstreamHealth.slots,
    clock,
    report: rig.upstreamHealth.report,
    atOnceMax: 2,
  });
  const turn = probes.turn();
  await probes.turn();
  await arrived.promise;
  probes.stop();
  await turn;
  await probes.turn();
  assert.equal(upstream.seen.length, 2);
  assert.equal(
    rig.upstreamHealth.slots.list().filter(({ credentials }) => credentials[0]?.health.out === "auth").length,
    5,
  );
});
