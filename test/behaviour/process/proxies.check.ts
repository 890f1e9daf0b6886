/**
 * Two Plazas behind each proxy with its configuration of packaging/proxies, restarted one after the other
 * under calls and streams: no call fails. `npm run release:check -- proxies`; it takes half a minute a proxy.
 */
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { post } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { closedPort } from "../../rigs/harness/processes/ports.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type CertificateFilePair, makePair } from "../harness/certificates.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";
import { proxyKinds, startProxy, whyNoProxy } from "../harness/proxies.ts";

const lanes = 4;
const folder = temporaryFolder();
const data = join(folder, "data");
let upstream: Upstream;
let pair: CertificateFilePair;
let key: string;
const ports: number[] = [];
const plazas: Product[] = [];

/** With the lame-duck time of the product, which the configurations are made for. */
const start = (index: number): Promise<Product> =>
  startProduct({
    folder: data,
    catalog: {
      upstreams: [openaiUpstream("counting", upstream.baseUrl)],
      models: [model("counting", ["counting", "upstream-model"])],
    },
    serve: ["--port", String(ports[index])],
    env: { PLAZA_TRUSTED_PROXIES: "127.0.0.1", PLAZA_LAME_DUCK_MS: "5s", PLAZA_LOOP_LAG_MAX_MS: "60s" },
  });

before(async () => {
  pair = await makePair(folder, "localhost");
  upstream = await startUpstream();
  mkdirSync(data);
  for (const index of [0, 1]) {
    ports.push(await closedPort());
    plazas.push(await start(index));
  }
  key = plazas[0]?.firstKey ?? "";
});
after(async () => {
  for (const plaza of plazas) await plaza.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Calls without a pause until stopped: every second call streams, half of the lanes keep connections. */
function startCalling(port: number) {
  const failures: string[] = [];
  let [calls, isOver] = [0, false];
  const lane = async (number: number) => {
    const options = { ca: pair.chain, servername: "localhost", family: 4 };
    const agent = new Agent({ ...options, keepAlive: number % 2 === 0, maxSockets: 1 });
    for (; !isOver; calls += 1) {
      const stream = calls % 2 === 0;
      const messages = [{ role: "user", content: "hi" }];
      const x_rig = { tokens: stream ? 30 : 3, gapMs: stream ? 10 : 0 };
      const body = JSON.stringify({ model: "counting", messages, stream, x_rig });
      const url = `https://localhost:${port}/v1/chat/completions`;
      const seen = await post({ url, key, body, agent, withinMs: 20_000 });
      const text = seen.body.toString("utf8");
      if (seen.status !== 200 || !seen.isWhole || (stream && !text.includes("[DONE]")))
        failures.push(`${seen.status} ${seen.problem} ${text.slice(0, 200)}`);
    }
    agent.destroy();
  };
  const running = Array.from({ length: lanes }, (_, number) => lane(number));
  return {
    failures,
    calls: () => calls,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

for (const kind of proxyKinds)
  test(`behind ${kind}, restarts one after the other fail no call`, {
    skip: whyNoProxy(kind),
  }, async (context) => {
    const [plazaPort = 0, secondPort = 0] = ports;
    const proxy = await startProxy(kind, { plazaPort, secondPort, pair, folder: join(folder, kind) });
    const probe = () =>
      post({
        url: `https://localhost:${proxy.port}/v1/chat/completions`,
        key,
        body: JSON.stringify({ model: "counting", messages: [{ role: "user", content: "hi" }] }),
        agent: new Agent({ ca: pair.chain, servername: "localhost", family: 4 }),
      });
    assert.ok(await eventually(async () => (await probe()).status === 200, 20_000), "it passes no calls");
    const calling = startCalling(proxy.port);
    try {
      for (const index of [0, 1]) {
        const stopping = plazas[index] ?? assert.fail();
        assert.equal(await stopping.stop(), 0);
        plazas[index] = await start(index);
        const reached = calling.calls() + 40;
        assert.ok(await eventually(() => calling.calls() >= reached, 20_000), "calls go on");
      }
    } finally {
      await calling.stop();
      await proxy.running.stop();
    }
    context.diagnostic(`${kind}: ${calling.failures.length} failed of ${calling.calls()} calls`);
    assert.deepEqual(calling.failures, []);
  });
