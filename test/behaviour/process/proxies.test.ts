/**
 * The configurations of packaging/proxies before the product: streams pass event by event, large bodies pass,
 * a caller that leaves is noticed, and Plaza learns where a call came from.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { connect, constants } from "node:http2";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { get } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type CertificateFilePair, makePair } from "../harness/certificates.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";
import { type ProxyKind, proxyKinds, startProxy, whyNoProxy } from "../harness/proxies.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

/** The caller has an address of its own, which no proxy has. */
const callerAddress = "127.0.0.2";

const folder = temporaryFolder();
let upstream: ScriptedUpstream;
let product: Product;
let pair: CertificateFilePair;
before(async () => {
  pair = await makePair(folder, "localhost");
  upstream = await startScriptedUpstream();
  product = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("scripted", upstream.baseUrl)],
      models: [model("m", ["scripted", "m"])],
    },
    env: { PLAZA_TRUSTED_PROXIES: "127.0.0.1", PLAZA_LOG_REQUESTS: "on" },
  });
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const chunk = (content: string | undefined, more: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: content === undefined ? {} : { content }, finish_reason: null, ...more }],
});

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}

/** The caller's side of one proxy. */
class Caller {
  readonly #port: number;
  readonly #agent: Agent;

  constructor(port: number, isKept = false) {
    this.#port = port;
    const options = { ca: pair.chain, servername: "localhost", localAddress: callerAddress };
    this.#agent = new Agent({ ...options, keepAlive: isKept });
  }

  close(): void {
    this.#agent.destroy();
  }

  open(path: string, options: RequestOptions = {}) {
    return request({
      host: "127.0.0.1",
      port: this.#port,
      agent: this.#agent,
      path,
      ...options,
      headers: { host: `localhost:${this.#port}`, ...options.headers },
    });
  }

  async ask(path: string, options: RequestOptions = {}, body?: string): Promise<Reply> {
    const call = this.open(path, options);
    const answered = new Promise<Reply>((resolve, reject) => {
      call.once("error", reject);
      call.once("response", async (response) => {
        let text = "";
        for await (const part of response.setEncoding("utf8")) text += part;
        const requestId = String(response.headers["x-request-id"]);
        resolve({ status: response.statusCode ?? 0, text, requestId });
      });
    });
    call.end(body);
    return answered;
  }

  chatOptions(headers: Record<string, string> = {}): RequestOptions {
    const authorization = `Bearer ${product.firstKey}`;
    return { method: "POST", headers: { authorization, "content-type": "application/json", ...headers } };
  }

  chat(body: object, headers: Record<string, string> = {}): Promise<Reply> {
    return this.ask(
      "/v1/chat/completions",
      this.chatOptions(headers),
      JSON.stringify({ model: "m", ...body }),
    );
  }
}

const messages = [{ role: "user", content: "hi" }];

/** The log line of a request. */
async function lineOf(requestId: string): Promise<Record<string, unknown>> {
  let found: Record<string, unknown> | undefined;
  await eventually(() => {
    const lines = product.running
      .stderr()
      .split("\n")
      .filter((line) => line.includes(requestId));
    const line = lines.find((one) => one.includes('"event":"request"'));
    found = line === undefined ? undefined : JSON.parse(line);
    return found !== undefined;
  }, 15_000);
  assert.ok(found !== undefined, `no line of ${requestId}`);
  return found;
}

function behind(kind: ProxyKind): void {
  let caller: Caller;
  let port: number;
  let stop = async (): Promise<unknown> => undefined;
  before(async () => {
    const started = await startProxy(kind, { plazaPort: product.port, pair, folder: join(folder, kind) });
    stop = () => started.running.stop();
    port = started.port;
    caller = new Caller(port);
    // Traefik listens before it has read its routes and certificates.
    const isRouted = () =>
      caller.ask("/healthz").then(
        ({ status }) => status === 200,
        () => false,
      );
    assert.ok(await eventually(isRouted, 20_000), `${kind} does not pass calls`);
  });
  after(() => stop());

  test("every event of a stream arrives before the next one is sent", async () => {
    const turns = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const events = turns.flatMap(({ promise }, index) => [chunk(`<${index}>`), promise]);
    const ending = [chunk(undefined, { finish_reason: "stop" }), "[DONE]"];
    upstream.answerWith({ events: [...events, ...ending] });
    const call = caller.open("/v1/chat/completions", caller.chatOptions());
    call.end(JSON.stringify({ model: "m", messages, stream: true }));
    const text = await new Promise<string>((resolve, reject) => {
      call.once("error", reject);
      call.once("response", async (response) => {
        let seen = "";
        let next = 0;
        for await (const part of response.setEncoding("utf8")) {
          seen += part;
          // Only now the upstream sends the next one.
          while (seen.includes(`<${next}>`)) turns[next++]?.resolve();
        }
        resolve(seen);
      });
    });
    assert.match(text, /<4>[\s\S]*data: \[DONE\]\n\n$/);
  });

  test("a body of ten megabytes passes, and one that is too large is refused by Plaza", async () => {
    upstream.answerWith({ body: completion({ message: { role: "assistant", content: "fine" } }) });
    const content = "x".repeat(10 * 1024 * 1024);
    const answer = await caller.chat({ messages: [{ role: "user", content }] });
    assert.equal(answer.status, 200, answer.text.slice(0, 500));
    assert.ok((upstream.calls[0]?.text.length ?? 0) > content.length);
    const large = await caller.chat({
      messages: [{ role: "user", content: "x".repeat(32.5 * 1024 * 1024) }],
    });
    assert.equal(large.status, 413);
    assert.match(large.text, /"request_too_large"/);
  });

  test("a caller that leaves a stream is noticed upstream", async () => {
    upstream.answerWith({ events: [chunk("one"), new Promise(() => {})] });
    const call = caller.open("/v1/chat/completions", caller.chatOptions());
    call.on("error", () => {});
    call.end(JSON.stringify({ model: "m", messages, stream: true }));
    const { cancelled } = await upstream.called(1);
    await new Promise((resolve) => call.once("response", (response) => response.once("data", resolve)));
    call.destroy();
    await cancelled;
  });

  test("over HTTP/2, events pass as they come, and a caller that leaves is noticed", async () => {
    const second = Promise.withResolvers<void>();
    upstream.answerWith({ events: [chunk("<one>"), second.promise, chunk("<two>"), new Promise(() => {})] });
    const options = { ca: pair.chain, servername: "localhost", localAddress: callerAddress };
    const session = connect(`https://127.0.0.1:${port}`, options);
    const call = session.request({
      ":method": "POST",
      ":path": "/v1/chat/completions",
      ":authority": `localhost:${port}`,
      authorization: `Bearer ${product.firstKey}`,
      "content-type": "application/json",
    });
    call.end(JSON.stringify({ model: "m", messages, stream: true }));
    const { cancelled } = await upstream.called(1);
    let seen = "";
    for await (const part of call.setEncoding("utf8")) {
      seen += part;
      if (seen.includes("<one>")) second.resolve();
      if (seen.includes("<two>")) break;
    }
    call.close(constants.NGHTTP2_CANCEL);
    await cancelled;
    session.destroy();
  });

  test("Plaza knows the caller's address and the console's, whatever the caller says", async () => {
    upstream.answerWith({ body: completion({ message: { role: "assistant", content: "fine" } }) });
    const forged = {
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": "evil.test",
      "x-forwarded-proto": "http",
    };
    const plain = await caller.chat({ messages });
    assert.equal((await lineOf(plain.requestId))["ip"], callerAddress);
    const lying = await caller.chat({ messages }, forged);
    assert.equal((await lineOf(lying.requestId))["ip"], callerAddress);
    for (const headers of [{}, forged]) {
      const { text } = await caller.ask("/api/session", { headers });
      assert.match(JSON.parse(text).installation.baseUrl, /^https:\/\/localhost:\d+\/v1$/);
    }
  });

  test("a client that asks for a WebSocket is told 426, so that it goes on over HTTP", async () => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    };
    const answer = await caller.ask("/v1/responses", { headers });
    assert.equal(answer.status, 426, answer.text);
  });

  test("connections to Plaza are kept", async () => {
    upstream.answerWith({ body: completion({ message: { role: "assistant", content: "fine" } }) });
    const idle = async (): Promise<number> => {
      const { text } = await get(`${product.origin}/metrics`);
      return Number(/plaza_connections\{state="idle"[^}]*\} (\d+)/.exec(text)?.[1]);
    };
    // A proxy that checks health may keep a connection for it.
    assert.ok(await eventually(async () => (await idle()) <= 1, 20_000), "those before were closed");
    const kept = new Caller(port, true);
    for (let times = 0; times < 10; times += 1) assert.equal((await kept.chat({ messages })).status, 200);
    const open = await idle();
    assert.ok(open === 1 || open === 2, `${open}`);
    kept.close();
  });
}

for (const kind of proxyKinds) describe(`behind ${kind}`, { skip: whyNoProxy(kind) }, () => behind(kind));
