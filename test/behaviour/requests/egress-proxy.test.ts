/**
 * Upstreams behind the operator's proxy, on both transports: a name that only the proxy knows is reached
 * through it, upstreams of this machine are not asked of it, and its password is seen by nobody else.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";

async function listen(t: TestContext, server: Server): Promise<number> {
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
  test(`${transport}: through the proxy, but for this machine`, async (t) => {
    const upstream = createServer((req, res) => {
      req.resume();
      res.writeHead(200, { "content-type": "application/json" }).end(answered);
    });
    const port = await listen(t, upstream);
    const asked: string[] = [];
    let isRefusing = false;
    const proxy = createServer();
    proxy.on("connect", (req, socket) => {
      asked.push(`${req.url} ${req.headers["proxy-authorization"]}`);
      if (isRefusing) {
        socket.end("HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      const onward = connect({ port, host: "127.0.0.1" }, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const side of [onward, socket]) side.on("error", () => {});
      t.after(() => onward.destroy());
    });
    const proxyPort = await listen(t, proxy);
    const app = await startApp({
      env: { PLAZA_TRANSPORT: transport, PLAZA_EGRESS_PROXY: `http://me:hunter2@127.0.0.1:${proxyPort}` },
      catalog: {
        upstreams: [
          upstreamAt("far", `http://only-the-proxy-knows.test:${port}/v1`),
          upstreamAt("refused", `http://refused.test:${port}/v1`),
          upstreamAt("near", `http://127.0.0.1:${port}/v1`),
        ],
        models: [modelOn("far", ["far"]), modelOn("refused", ["refused"]), modelOn("near", ["near"])],
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
    assert.deepEqual(asked, []);
    assert.equal((await ask("far")).status, 200);
    const userinfo = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;
    assert.deepEqual(asked, [`only-the-proxy-knows.test:${port} ${userinfo}`]);
    isRefusing = true;
    const { status, text } = await ask("refused");
    assert.equal(status, 502);
    for (const told of [text, ...app.log]) assert.doesNotMatch(told, /hunter2|aHVudGVyMg|bWU6aHVudGVyMg/);
  });
}
