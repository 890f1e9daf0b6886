/**
 * Upstreams behind the operator's proxies, on both transports: a name that only a proxy knows is reached
 * through it, also to list its models and to exchange a credential; upstreams of this machine are reached
 * directly unless they have a proxy of their own; and a proxy's password is seen by nobody else.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { machineIdentity, openOutbound } from "../../../server/src/app/outbound.ts";
import { runCommand } from "../../../server/src/cli/run.ts";
import { readConfig } from "../../../server/src/config/config.ts";
import { createTokens } from "../../../server/src/gateway/upstreams/tokens.ts";
import { systemClock } from "../../../server/src/lib/time/clock.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { basic, startProxy } from "../harness/egress-proxy.ts";
import { temporaryFolder } from "../harness/product.ts";

async function listen(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const answered = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "upstream-model",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

for (const transport of ["node", "own"]) {
  test(`${transport}: through the proxy, but for this machine, and through an upstream's own`, async (t) => {
    const port = await listen(t, (req, res) => {
      req.resume();
      res.writeHead(200, { "content-type": "application/json" }).end(answered);
    });
    const [ofAll, own] = [await startProxy(t), await startProxy(t, "you:correct-horse")];
    const ids = ["far", "refused", "near", "own", "direct"];
    const app = await startApp({
      env: {
        PLAZA_TRANSPORT: transport,
        PLAZA_EGRESS_PROXY: ofAll.url,
        PLAZA_UPSTREAM_PROXIES: `own=${own.url} direct=direct gone=direct`,
      },
      catalog: {
        upstreams: [
          upstreamAt("far", `http://only-the-proxy-knows.test:${port}/v1`),
          upstreamAt("refused", `http://refused.test:${port}/v1`),
          upstreamAt("near", `http://127.0.0.1:${port}/v1`),
          upstreamAt("own", `http://127.0.0.1:${port}/v1`),
          upstreamAt("direct", `http://nobody-knows.invalid:${port}/v1`),
        ],
        models: ids.map((id) => modelOn(id, [id])),
        limits: {},
      },
    });
    t.after(() => app.stop());
    const { key } = await app.newAccount("10");
    const ask = async (model: string) => {
      const response = await fetch(app.chatUrl, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
      });
      return { status: response.status, text: await response.text() };
    };
    assert.equal((await ask("near")).status, 200);
    assert.equal((await ask("direct")).status, 502);
    assert.deepEqual([...ofAll.asked, ...own.asked], []);
    assert.equal((await ask("far")).status, 200);
    assert.deepEqual(ofAll.asked, [`only-the-proxy-knows.test:${port} ${basic("me:hunter2")}`]);
    assert.equal((await ask("own")).status, 200);
    assert.deepEqual(own.asked, [`127.0.0.1:${port} ${basic("you:correct-horse")}`]);
    ofAll.isRefusing = true;
    const { status, text } = await ask("refused");
    assert.equal(status, 502);
    for (const told of [text, ...app.log]) {
      assert.doesNotMatch(told, /hunter2|correct-horse/);
      for (const userinfo of ["me:hunter2", "you:correct-horse"])
        assert.ok(!told.includes(basic(userinfo).slice("Basic ".length, -4)), told);
    }
  });

  test(`${transport}: a credential is exchanged through the proxy of its upstream`, async (t) => {
    const port = await listen(t, (req, res) => {
      req.resume();
      res.end(req.headers.host);
    });
    const proxy = await startProxy(t);
    const env = { PLAZA_TRANSPORT: transport, PLAZA_UPSTREAM_PROXIES: `own=${proxy.url}` };
    const read = readConfig({ env, flags: {} });
    assert.ok(read.ok);
    const outbound = await openOutbound(read.config, systemClock);
    t.after(() => outbound.stop());
    const tokens = createTokens({
      ...{ clock: systemClock, createClient: outbound.createClient },
      ...{ identity: machineIdentity(systemClock), log: { warn() {} } },
    });
    const upstream: Upstream = { ...upstreamAt("own", "http://upstream.test/v1"), timeouts: defaultTimeouts };
    const scheme = {
      call: () => ({
        origin: `http://issuer.test:${port}`,
        path: "/",
        headers: [],
        body: Buffer.from("secret"),
      }),
      read: (token: string) => ({ token, expiresInSeconds: 3_600 }),
    };
    assert.equal(await tokens.get(scheme, upstream, "secret"), `issuer.test:${port}`);
    assert.equal(proxy.asked.length, 1);
  });
}

test("plaza connect lists models through the proxy, and says what the proxy answered", async (t) => {
  const port = await listen(t, (_req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ object: "list", data: [{ id: "vendor/mine", object: "model" }] }));
  });
  const proxy = await startProxy(t);
  const folder = temporaryFolder();
  const connect = async () => {
    const told: string[] = [];
    const io = {
      out: (text: string) => void told.push(text),
      err: (text: string) => void told.push(text),
      env: { PLAZA_EGRESS_PROXY: proxy.url, KEY: "sk-1" },
      clock: systemClock,
    };
    const words = ["connect", `http://vendor.test:${port}/v1`, "--credential-env", "KEY", "--models", "all"];
    const files = ["--data", folder, "--catalog", join(folder, "plaza.yaml"), "--yes"];
    const code = await runCommand([...words, ...files, "--price", "1/2"], io, "1.0.0");
    return { code, told: told.join("") };
  };
  proxy.isRefusing = true;
  const refused = await connect();
  assert.notEqual(refused.code, 0);
  assert.match(
    refused.told,
    /cannot reach http:\/\/vendor\.test:\d+\/v1\/models: the proxy to it answered 407/,
  );
  proxy.isRefusing = false;
  const { code, told } = await connect();
  assert.equal(code, 0, told);
  assert.match(told, /vendor\/mine/);
  assert.doesNotMatch(refused.told + told, /hunter2/);
});
