/**
 * How callers notice a process stop: calls on kept and new connections are served until the lame-duck time is
 * over, running calls are not cut off, and signals work as documented in docs/operate/operations.md.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { get, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually, pause } from "../../rigs/harness/measure/clock.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { isFinished } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { isReady, type Product, startProduct } from "../harness/product.ts";

const hello = [{ role: "user", content: "hi" }];

let upstream: Upstream;
before(async () => {
  upstream = await startUpstream();
});
after(() => upstream?.stop());

const start = (lameDuckMs: number, env: Record<string, string> = {}): Promise<Product> =>
  startProduct({
    catalog: {
      upstreams: [openaiUpstream("counting", upstream.baseUrl)],
      models: [model("counting", ["counting", "upstream-model"])],
    },
    env: { PLAZA_LAME_DUCK_MS: String(lameDuckMs), ...env },
  });

interface Call {
  readonly agent?: Agent;
  readonly x_rig?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly onArrival?: () => void;
}

const ask = (product: Product, { agent, x_rig, stream, onArrival }: Call = {}): Promise<Seen> =>
  post({
    url: product.chatUrl,
    key: product.firstKey,
    body: JSON.stringify({ model: "counting", messages: hello, stream, x_rig }),
    agent,
    onArrival,
  });

const keptAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

function assertServed(seen: Seen, connection: "close" | "keep-alive"): void {
  assert.equal(seen.status, 200, seen.problem || seen.body.toString("utf8"));
  assert.ok(seen.isWhole);
  assert.equal(seen.headers.connection, connection);
}

/** True when the product refuses a connection. */
async function isRefused({ port }: Product): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  return new Promise((resolve) => {
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}

/** Opens a connection and writes these bytes. */
async function openWith({ port }: Product, text: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  await once(socket, "close");
  return text;
}

describe("in the lame-duck time", () => {
  test("readiness is red and calls are served, on kept connections and on new ones, with `Connection: close`", async () => {
    const product = await start(2_000);
    const agent = keptAgent();
    assertServed(await ask(product, { agent }), "keep-alive");
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(async () => !(await isReady(product.origin)), 1_500, 5));
    assert.match((await get(`${product.origin}/readyz`)).text, /stopping/);
    assertServed(await ask(product, { agent }), "close");
    assertServed(await ask(product, { agent }), "close");
    assertServed(await ask(product, { stream: true }), "close");
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("an error says it too, and so does the console's page", async () => {
    const product = await start(2_000);
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(async () => !(await isReady(product.origin)), 1_500, 5));
    const refused = await post({
      url: product.chatUrl,
      key: "sk-plaza-wrong",
      body: "{}",
      agent: keptAgent(),
    });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.connection, "close");
    const page = await openWith(product, "GET / HTTP/1.1\r\nhost: plaza\r\n\r\n");
    assert.match(await textOf(page), /\r\nconnection: close\r\n/i);
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("a connection nobody uses is kept until its end and closed then, while streams go on", async () => {
    const product = await start(1_000);
    const idle = await openWith(product, "GET /healthz HTTP/1.1\r\nhost: plaza\r\n\r\n");
    await once(idle, "data");
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const stream = ask(product, {
      stream: true,
      x_rig: { tokens: 100, gapMs: 40 },
      onArrival: () => begin(),
    });
    await begun;
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(async () => !(await isReady(product.origin)), 800, 5));
    assert.equal(idle.closed, false);
    await once(idle, "close");
    assert.equal(await Promise.race([stream, "under way"]), "under way");
    assert.ok(await isRefused(product));
    const seen = await stream;
    assert.ok(seen.status === 200 && isFinished(seen.body.toString("utf8")));
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });
});

describe("when it is over", () => {
  test("a caller whose stream began before it, and who was told of no close, is served once more", async () => {
    const product = await start(200);
    const agent = keptAgent();
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const stream = ask(product, {
      agent,
      stream: true,
      x_rig: { tokens: 50, gapMs: 40 },
      onArrival: () => begin(),
    });
    await begun;
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(() => isRefused(product), 1_500, 10), "no newcomers");
    assertServed(await stream, "keep-alive");
    assertServed(await ask(product, { agent }), "close");
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("half a request that had arrived is served when the rest comes", async () => {
    const product = await start(100);
    const body = JSON.stringify({ model: "counting", messages: hello });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: plaza\r\nauthorization: Bearer ${product.firstKey}\r\n`;
    const inHead = await openWith(product, head.slice(0, 40));
    const inBody = await openWith(
      product,
      `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    assert.ok(await isReady(product.origin));
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(() => isRefused(product), 1_500, 10));
    // Longer than the idle timeout of connections.
    await pause(700);
    inHead.write(
      `${head.slice(40)}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    inBody.write(body.slice(10));
    for (const text of await Promise.all([inHead, inBody].map(textOf))) {
      assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
      assert.match(text, /\r\nconnection: close\r\n/i);
    }
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });
});

describe("signals", () => {
  test("SIGINT, from a person at a terminal, waits for no load balancer", async () => {
    const product = await start(3_600_000);
    product.running.child.kill("SIGINT");
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("SIGHUP ends a process that is alone, in the same way", async () => {
    const product = await start(3_600_000);
    product.running.child.kill("SIGHUP");
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("a second SIGTERM ends it at once, whatever is under way", async () => {
    const product = await start(3_600_000);
    const stream = ask(product, { stream: true, x_rig: { tokens: 10_000, gapMs: 20 } });
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(async () => !(await isReady(product.origin)), 5_000, 5));
    // Within a second the signal would count as the same one.
    await pause(1_100);
    product.running.child.kill("SIGTERM");
    assert.equal(await product.running.ended, 1);
    assert.equal((await stream).isWhole, false);
    assert.match(product.running.stderr(), /stopping_at_once/);
    await product.stop();
  });
});
