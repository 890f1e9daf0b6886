import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { systemClock } from "../../lib/time/clock.ts";
import { runPlaza } from "../testing/run-plaza.ts";
import { readyPlainly } from "./ready.ts";

/** Runs it as main.ts does: without the command library, where that is not needed. */
async function ready(words: readonly string[], env: Readonly<Record<string, string>>) {
  let out = "";
  let err = "";
  const io = {
    out(text: string) {
      out += text;
    },
    err(text: string) {
      err += text;
    },
    env,
    clock: systemClock,
  };
  const status = await readyPlainly(["ready", ...words], io);
  return status === undefined ? runPlaza(["ready", ...words], { env }) : { status, out, err };
}

suite("plaza ready", () => {
  let server: Server;
  let port = 0;
  const answers = new Map<string, { status: number; body: string }>();
  before(async () => {
    server = createServer(({ url = "" }, response) => {
      const { status, body } = answers.get(url) ?? { status: 404, body: "" };
      response.writeHead(status).end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  test("says what /readyz says, and with --alive what /healthz says", async () => {
    const env = { PLAZA_HOST: "0.0.0.0", PLAZA_PORT: String(port) };
    answers.set("/readyz", { status: 200, body: '{"status":"ready"}' });
    answers.set("/healthz", { status: 200, body: '{"status":"ok"}' });
    assert.deepEqual(await ready([], env), { status: 0, out: "ready\n", err: "" });
    answers.set("/readyz", { status: 503, body: '{"status":"not_ready","reason":"the disk is full"}' });
    assert.deepEqual(await ready([], env), {
      status: 1,
      out: "",
      err: "error: not ready: the disk is full\n",
    });
    assert.deepEqual(await ready(["--alive"], env), { status: 0, out: "alive\n", err: "" });
    answers.set("/healthz", { status: 503, body: "<html>" });
    assert.match((await ready(["--alive"], env)).err, /not alive: status 503/);
  });

  test("asks the health listener where there is one, also as an option says", async () => {
    answers.set("/readyz", { status: 200, body: "" });
    const env = { PLAZA_PORT: "1", PLAZA_HEALTH_LISTEN: `0.0.0.0:${port}` };
    assert.equal((await ready([], env)).status, 0);
    assert.equal((await ready(["--port", String(port)], {})).status, 0);
  });

  test("fails when no server answers, the port is unknown, or the settings or words are wrong", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port: closedPort } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const refused = await ready([], { PLAZA_PORT: String(closedPort) });
    assert.equal(refused.status, 1);
    assert.equal(refused.err, `error: no answer from http://127.0.0.1:${closedPort} (ECONNREFUSED)\n`);
    const secured = await ready([], { PLAZA_PORT: String(port), PLAZA_TLS_CERT: "/a", PLAZA_TLS_KEY: "/b" });
    assert.match(secured.err, new RegExp(`no answer from https://127.0.0.1:${port}`));
    assert.match((await ready([], { PLAZA_PORT: "0" })).err, /leave the port to the system/);
    const unknown = await ready([], { PLAZA_PROT: "1" });
    assert.deepEqual([unknown.status, /PLAZA_PROT/.test(unknown.err)], [2, true]);
    assert.equal((await ready(["--quickly"], {})).status, 2);
  });
});
