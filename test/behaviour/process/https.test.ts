/**
 * Plaza with a certificate of its own: calls over HTTPS, another certificate while it runs, and everything a
 * listener promises without one. What the console makes of it: cookies, links, its own address.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import type { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { get, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { nodeBinary, startProcess } from "../../rigs/harness/processes/processes.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { isFinished } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type CertificateFilePair, InstalledPair, makePair } from "../harness/certificates.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";

const hello = [{ role: "user", content: "hi" }];
const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

let upstream: Upstream;
let first: CertificateFilePair;
let second: CertificateFilePair;
before(async () => {
  upstream = await startUpstream();
  first = await makePair(folder, "first");
  second = await makePair(folder, "second");
});
after(() => upstream?.stop());

interface Served {
  readonly product: Product;
  readonly files: InstalledPair;
}

interface StartOptions {
  readonly serve?: readonly string[];
  readonly env?: Record<string, string>;
}

async function start(options: StartOptions = {}): Promise<Served> {
  const own = temporaryFolder();
  const files = new InstalledPair(own);
  await files.install(first);
  const catalog = {
    upstreams: [openaiUpstream("counting", upstream.baseUrl)],
    models: [model("counting", ["counting", "upstream-model"])],
  };
  const serve = [...files.serve, ...(options.serve ?? [])];
  const product = await startProduct({ catalog, serve, env: { ...options.env } });
  after(async () => {
    await product.stop();
    rmSync(own, { recursive: true, force: true });
  });
  return { product, files };
}

const agentFor = (pair: CertificateFilePair, isKept = false): PlainAgent =>
  new Agent({ ca: pair.chain, keepAlive: isKept, maxSockets: isKept ? 1 : Number.POSITIVE_INFINITY });

interface Call {
  readonly agent: PlainAgent;
  readonly x_rig?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly onArrival?: () => void;
}

const ask = (product: Product, { agent, x_rig, stream, onArrival }: Call): Promise<Seen> =>
  post({
    url: product.chatUrl,
    key: product.firstKey,
    body: JSON.stringify({ model: "counting", messages: hello, stream, x_rig }),
    agent,
    onArrival,
  });

/** A stream that goes on for some seconds, once its first bytes are here. */
async function beginStream(product: Product, agent: PlainAgent): Promise<{ ended: Promise<Seen> }> {
  const begun = Promise.withResolvers<void>();
  const x_rig = { tokens: 90, gapMs: 50 };
  const ended = ask(product, { agent, stream: true, x_rig, onArrival: () => begun.resolve() });
  await begun.promise;
  return { ended };
}

function assertWhole(seen: Seen): void {
  assert.equal(seen.status, 200, seen.problem || seen.body.toString("utf8"));
  assert.ok(seen.isWhole);
}

/** The subject that a new connection sees. */
async function subjectOf({ port }: Product): Promise<string | undefined> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject?.CN as string | undefined;
}

const eventsOf = ({ running }: Product, event: string): number =>
  running.stderr().split(`"event":"${event}"`).length - 1;

/** Ends with the first bytes that match, or with the connection. */
async function textOf(socket: TLSSocket | ReturnType<typeof connect>): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

const sdkScript = `
import OpenAI from "openai";
const client = new OpenAI({ maxRetries: 0 });
const messages = [{ role: "user", content: "hi" }];
const whole = await client.chat.completions.create({ model: "counting", messages });
let streamed = "";
for await (const chunk of await client.chat.completions.create({ model: "counting", messages, stream: true }))
  streamed += chunk.choices[0]?.delta.content ?? "";
console.log(JSON.stringify({ whole: whole.choices[0].message.content, streamed }));
`;

describe("calls", () => {
  test("OpenAI's SDK gets whole and streamed answers", async () => {
    const { product, files } = await start();
    assert.match(product.origin, /^https:/);
    const running = startProcess(nodeBinary, ["--input-type=module", "-e", sdkScript], {
      OPENAI_API_KEY: product.firstKey,
      OPENAI_BASE_URL: product.baseUrl,
      NODE_EXTRA_CA_CERTS: files.chainFile,
    });
    assert.equal(await running.ended, 0, running.stderr());
    const { whole, streamed } = JSON.parse(running.stdout()) as { whole: string; streamed: string };
    assert.ok(whole.length > 0 && streamed.length > 0);
  });

  for (const transport of ["own", "node"])
    test(`bodies of megabytes pass both ways, on one connection (${transport})`, async () => {
      const { product } = await start({ env: { PLAZA_TRANSPORT: transport } });
      const agent = agentFor(first, true);
      for (let times = 0; times < 3; times += 1) {
        const content = "x".repeat(5_000_000);
        const seen = await post({
          url: product.chatUrl,
          key: product.firstKey,
          body: JSON.stringify({ model: "counting", messages: [{ role: "user", content }] }),
          agent,
        });
        assert.notEqual(seen.status, 0, seen.problem);
        assert.ok(seen.isWhole);
        assertWhole(await ask(product, { agent, stream: true, x_rig: { tokens: 5_000 } }));
      }
    });

  test("plain HTTP gets a plain answer, a stalled handshake an end, and others are served meanwhile", async () => {
    const { product } = await start({ env: { PLAZA_HEADERS_TIMEOUT_MS: "1000" } });
    const { port } = product;
    const plain = connect({ port, host: "127.0.0.1" });
    plain.write("GET /v1/models HTTP/1.1\r\nhost: plaza\r\n\r\n");
    assert.match(await textOf(plain), /^HTTP\/1\.1 400 .*This port speaks HTTPS/s);
    const stalled = Array.from({ length: 20 }, () => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      return textOf(socket);
    });
    assertWhole(await ask(product, { agent: agentFor(first) }));
    const figures = await get(`${product.origin}/metrics`, {}, agentFor(first));
    assert.match(figures.text, /plaza_tls_certificate_expires_seconds\S* 2[56]\d{5}/, "thirty days");
    await Promise.all(stalled);
    assertWhole(await ask(product, { agent: agentFor(first) }));
  });
});

describe("another certificate", () => {
  test("new connections get it while a stream on an old one goes on to its end", async () => {
    const { product, files } = await start();
    const kept = agentFor(first, true);
    const stream = await beginStream(product, kept);
    await files.install(second);
    assert.ok(await eventually(async () => (await subjectOf(product)) === "second", 10_000));
    assertWhole(await ask(product, { agent: agentFor(second) }));
    assert.notEqual((await ask(product, { agent: agentFor(first) })).problem, "", "the old one is gone");
    const seen = await stream.ended;
    assertWhole(seen);
    assert.ok(isFinished(seen.body.toString("utf8")));
    assertWhole(await ask(product, { agent: kept }));
    assert.equal(eventsOf(product, "tls_certificate_changed"), 1);
    assert.equal(eventsOf(product, "tls_certificate_refused"), 0);
  });

  test("a key that does not match keeps the old one, with a warning, until it does", async () => {
    const { product, files } = await start();
    await files.install({ chain: first.chain, key: second.key });
    assert.ok(await eventually(() => eventsOf(product, "tls_certificate_refused") === 1, 15_000));
    assert.match(product.running.stderr(), /does not match/);
    assertWhole(await ask(product, { agent: agentFor(first) }));
    await files.install({ chain: second.chain.slice(0, 200), key: second.key });
    assert.ok(await eventually(() => eventsOf(product, "tls_certificate_refused") === 2, 15_000));
    assert.match(product.running.stderr(), /ends inside a certificate/);
    assertWhole(await ask(product, { agent: agentFor(first) }));
    await files.install(second);
    assert.ok(await eventually(() => eventsOf(product, "tls_certificate_changed") === 1, 15_000));
    assertWhole(await ask(product, { agent: agentFor(second) }));
  });

  test("every worker takes it", async () => {
    const { product, files } = await start({ serve: ["--workers", "2"] });
    assertWhole(await ask(product, { agent: agentFor(first) }));
    await files.install(second);
    assert.ok(await eventually(() => eventsOf(product, "tls_certificate_changed") === 2, 20_000));
    const seen = await Promise.all(Array.from({ length: 20 }, () => subjectOf(product)));
    assert.deepEqual([...new Set(seen)], ["second"]);
    assertWhole(await ask(product, { agent: agentFor(second), stream: true }));
  });
});

describe("a stop", () => {
  for (const transport of ["own", "node"])
    test(`fails no call, on kept connections and on new ones (${transport})`, async () => {
      const { product } = await start({ env: { PLAZA_LAME_DUCK_MS: "1500", PLAZA_TRANSPORT: transport } });
      const kept = agentFor(first, true);
      assertWhole(await ask(product, { agent: kept }));
      const stream = await beginStream(product, agentFor(first, true));
      const seen: Seen[] = [];
      const isRefused = ({ problem }: Seen): boolean => problem.includes("ECONNREFUSED");
      // Calls one after the other, until no connection is accepted any more.
      const callUntilRefused = async (agent: () => PlainAgent): Promise<void> => {
        for (;;) {
          const one = await ask(product, { agent: agent() });
          if (isRefused(one)) return;
          seen.push(one);
        }
      };
      const lanes = [() => kept, () => agentFor(first), () => agentFor(first)].map(callUntilRefused);
      product.running.child.kill("SIGTERM");
      await Promise.all(lanes);
      assert.ok(seen.length >= lanes.length);
      for (const one of seen) assertWhole(one);
      const whole = await stream.ended;
      assert.ok(whole.status === 200 && isFinished(whole.body.toString("utf8")));
      assert.equal(await product.running.ended, 0);
    });
});

describe("the console", () => {
  test("its own address is served with the certificate; links are https, cookies Secure", async () => {
    const { product } = await start({ serve: ["--console-listen", "127.0.0.1:0"] });
    const [, site = "", token] =
      /console\s+(https:\/\/127\.0\.0\.1:\d+)\/link\/(\S+)/.exec(product.running.stdout()) ?? [];
    const agent = agentFor(first);
    const session = await get(`${site}/api/session`, {}, agent);
    assert.equal(JSON.parse(session.text).installation.baseUrl, product.baseUrl);
    const page = await get(`${site}/`, { accept: "text/html" }, agent);
    assert.ok(page.rawHeaders.some((header) => header.includes(`connect-src 'self' ${product.origin};`)));
    const signedIn = await post({
      url: `${site}/api/links/${token}`,
      key: "",
      body: JSON.stringify({ email: "operator@a.test", name: "O", password: "a long password of nobody" }),
      headers: { origin: site },
      agent,
    });
    assert.equal(signedIn.status, 200, signedIn.body.toString("utf8"));
    const cookies = signedIn.headers["set-cookie"] ?? [];
    assert.ok(cookies.length > 0);
    for (const cookie of cookies) assert.match(cookie, /; Secure/);
  });
});

describe("a start", () => {
  const startFailing = async (serve: readonly string[]): Promise<string> => {
    const own = temporaryFolder();
    const started = startProduct({ serve, folder: own });
    const error = await started.then(
      () => new Error("it started"),
      (thrown: Error) => thrown,
    );
    rmSync(own, { recursive: true, force: true });
    return error.message;
  };

  test("without a file, with an encrypted key, or with half of the settings says what is wrong", async () => {
    const files = new InstalledPair(temporaryFolder());
    const missing = await startFailing(files.serve);
    assert.match(missing, /ended with 1\b/);
    assert.match(missing, /tlsCert: the file ".*tls\.crt" does not exist/);
    assert.doesNotMatch(missing, /API key/);
    await files.install({ chain: first.chain, key: second.key });
    assert.match(
      await startFailing([...files.serve, "--workers", "2"]),
      /tlsKey: the key in .* does not match/,
    );
    assert.match(
      await startFailing(["--tls-cert", files.chainFile]),
      /set both PLAZA_TLS_CERT and PLAZA_TLS_KEY/,
    );
    const encrypted = join(folder, "encrypted.pem");
    writeFileSync(encrypted, first.key.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"));
    assert.match(
      await startFailing(["--tls-cert", files.chainFile, "--tls-key", encrypted]),
      /is encrypted; write/,
    );
  });

  test("with a certificate that ends soon warns", async () => {
    const { product, files } = await start();
    await files.install(await makePair(folder, "short", 5));
    assert.ok(await eventually(() => eventsOf(product, "tls_certificate_expires") === 1, 15_000));
  });
});
