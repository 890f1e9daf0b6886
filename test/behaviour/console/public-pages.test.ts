/**
 * Pages without sign-in over real HTTP: closed until the operator opens the plaza; then a head for search
 * engines whose prices are the catalog's, and a status that follows the upstream.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { buildConsole } from "../../../tools/build/console.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";

const token = `operator-${"t".repeat(40)}`;
/** The configured public address; set before the product starts. */
let site: string;
const hostile = `Large </title><script>alert(1)</script> $& "quoted"`;

let upstream: Upstream;
let product: Product;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

before(async () => {
  buildConsole();
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  upstream = await startUpstream();
  const main = openaiUpstream("main-upstream", upstream.baseUrl);
  const large = { ...model("maker/large", ["main-upstream", "x"]), name: hostile };
  product = await startProduct({
    catalog: { upstreams: [main], models: [large, model("plain", ["main-upstream", "x"])] },
    env: { PLAZA_OPERATOR_TOKEN: token, PLAZA_PUBLIC_URL: `${site}/v1` },
    serve: ["--port", String(port)],
  });
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request as it is, also with another Host header. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(`${product.origin}${path}`, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const { statusCode = 0, headers: answered } = answer;
        resolve({ status: statusCode, headers: answered, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const html = { accept: "text/html" };
const page = (path: string, headers: Record<string, string> = {}) => get(path, { ...html, ...headers });

async function operate(method: string, path: string, body?: unknown) {
  const response = await fetch(`${product.origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
  return (await response.json()) as any;
}

async function open(isOpen: boolean): Promise<void> {
  const { auditKeptMs: _, ...settings } = await operate("GET", "/operator/settings");
  await operate("PUT", "/operator/settings", { ...settings, name: "Acme <b>&", plazaIsPublic: isOpen });
  const isSo = async () => (await get("/robots.txt")).text.includes("Sitemap:") === isOpen;
  assert.ok(await eventually(isSo, 10_000));
}

function dataOf({ text }: Got) {
  const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? [];
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
  return JSON.parse(json) as any;
}

const paths = ["/models", "/models/maker%2Flarge", "/status"];

test("until the operator opens the plaza, crawlers are kept out and pages say nothing", async () => {
  assert.equal((await get("/robots.txt")).text, "User-agent: *\nDisallow: /\n");
  assert.equal((await get("/sitemap.xml")).status, 404);
  for (const path of paths) {
    const { status, text } = await page(path);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /ld\+json|canonical|noscript|maker|plain/, path);
  }
  for (const path of ["/api/status", "/api/status/plain"]) assert.equal((await get(path)).status, 401);
});

test("open: every page has a head of its own, and its prices are the catalog's", async () => {
  await open(true);
  const { models } = JSON.parse((await get("/api/plaza")).text);
  const list = await page("/models");
  assert.equal(list.status, 200);
  const data = dataOf(list);
  assert.deepEqual(
    [data["@context"], data["@type"], data.numberOfItems],
    ["https://schema.org", "ItemList", 2],
  );
  for (const [index, { item }] of data.itemListElement.entries()) {
    const { id, name, price } = models[index];
    assert.deepEqual([item.productID, item.name], [id, name]);
    assert.equal(item.url, `${site}/models/${encodeURIComponent(id)}`);
    assert.deepEqual(
      item.offers.map((offer: { price: string; priceCurrency: string }) => [
        offer.price,
        offer.priceCurrency,
      ]),
      [price.input, price.output, price.cachedInput].map((amount) => [amount, "USD"]),
    );
    assert.equal(item.offers[0].priceSpecification.referenceQuantity.value, 1_000_000);
    assert.ok(list.text.includes(`<td>${price.input}</td><td>${price.output}</td>`), "also without scripts");
  }
  assert.ok(list.text.includes(`<link rel="canonical" href="${site}/models" />`));
  const one = await page("/models/maker%2Flarge");
  assert.deepEqual([dataOf(one)["@type"], dataOf(one).name], ["Product", hostile]);
  assert.ok(one.text.includes(`<link rel="canonical" href="${site}/models/maker%2Flarge" />`));
  assert.ok(
    one.text.includes(
      "<title>Large &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; $&amp; &quot;quoted&quot;: ",
    ),
  );
  const status = await page("/status");
  assert.match(status.text, /<title>Status · Acme &lt;b&gt;&amp;<\/title>/);
  assert.match(status.text, /<noscript>.*All models are available\./s);
  for (const { text, headers } of [list, one, status]) {
    assert.match(text, /<meta name="description" content="[^"<>]+" \/>/);
    for (const name of ["title", "description", "url", "type"])
      assert.match(text, new RegExp(`<meta property="og:${name}" content="[^"<>]+" />`));
    assert.doesNotMatch(text, /<script>alert|<b>&|main-upstream/);
    assert.match(String(headers["content-security-policy"]), /script-src 'self'; /);
    assert.equal(text.match(/<div id="root"><\/div>/g)?.length, 1);
  }
});

test("the sitemap and robots.txt name every page at the public address, whatever the Host header says", async () => {
  const { headers, text } = await get("/sitemap.xml");
  assert.equal(headers["content-type"], "application/xml; charset=utf-8");
  const addresses = [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
  assert.deepEqual(addresses, [
    `${site}/models`,
    `${site}/status`,
    `${site}/models/maker%2Flarge`,
    `${site}/models/plain`,
  ]);
  assert.match(
    (await get("/robots.txt")).text,
    new RegExp(`\nDisallow: /\n\nSitemap: ${site}/sitemap.xml\n$`),
  );
  const evil = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  for (const path of [...paths, "/sitemap.xml", "/robots.txt"]) {
    const got = await page(path, evil);
    assert.equal(got.status, 200, path);
    assert.doesNotMatch(got.text + JSON.stringify(got.headers), /evil/, path);
  }
});

test("bodies are revalidated, compressed, in the visitor's language, and unknown models are not found", async () => {
  const first = await page("/models");
  const { etag = "" } = first.headers;
  assert.equal((await page("/models", { "if-none-match": etag })).status, 304);
  assert.equal((await page("/status", { "if-none-match": etag })).status, 200);
  const head = await get("/models", html, "HEAD");
  assert.deepEqual(
    [head.status, head.text, head.headers["content-length"]],
    [200, "", String(Buffer.byteLength(first.text))],
  );
  for (const coding of ["br", "gzip"]) {
    assert.equal((await page("/models", { "accept-encoding": coding })).headers["content-encoding"], coding);
    const headers = { ...html, "accept-encoding": coding };
    assert.equal(await (await fetch(`${product.origin}/models`, { headers })).text(), first.text);
  }
  const chinese = await page("/models", { "accept-language": "zh-CN,zh;q=0.9,en;q=0.8" });
  assert.match(chinese.text, /<html lang="zh".*<title>AI 模型与价格/s);
  assert.equal(chinese.headers["content-language"], "zh");
  const japanese = await page("/status", { "accept-language": "fr, ja;q=0.9, zh;q=0.8" });
  assert.match(japanese.text, /<html lang="ja".*<title>ステータス/s);
  assert.equal(japanese.headers["content-language"], "ja");
  for (const path of ["/models/absent", "/models/%E0%A4%A", "/models/maker%252Flarge"]) {
    const { status, headers, text } = await page(path);
    assert.deepEqual([status, headers["x-robots-tag"]], [404, "noindex"], path);
    assert.match(text, /<div id="root"><\/div>/);
  }
  const reader = { "user-agent": "facebookexternalhit/1.1", accept: "*/*" };
  assert.match((await get("/models", reader)).text, /og:title/);
  const client = await get("/models", { accept: "*/*", "user-agent": "OpenAI/Python 2.0" });
  assert.equal(client.status, 404);
  assert.match(client.text, /\/v1/, "a client without /v1 is still told so");
});

test("the status of a model follows its upstream, in public without its name, and an operator can test it", async () => {
  const { key } = await product.createKey(await product.createAccount());
  const body = JSON.stringify({ model: "plain", messages: [{ role: "user", content: "hi" }], max_tokens: 5 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async () => (await fetch(product.chatUrl, { method: "POST", headers, body })).status;
  const statusNow = async () => JSON.parse((await get("/api/status")).text);
  const becomes = async (state: string) =>
    assert.ok(await eventually(async () => (await statusNow()).state === state, 20_000), state);
  await becomes("operational");
  upstream.setPlan({ fault: "status_500_body" });
  for (let count = 0; count < 6; count += 1) assert.equal(await call(), 502);
  await becomes("outage");
  assert.ok(await eventually(async () => (await statusNow()).incidents.length === 1, 10_000));
  const down = await statusNow();
  assert.deepEqual(
    down.models.map(({ id, status, strip }: { id: string; status: string; strip: string }) => [
      id,
      status,
      strip.at(-1),
    ]),
    [
      ["maker/large", "down", "x"],
      ["plain", "down", "x"],
    ],
  );
  const { startedAt, ...incident } = down.incidents[0];
  assert.ok(Date.parse(startedAt) > 0);
  assert.deepEqual(incident, {
    state: "down",
    models: ["maker/large", "plain"],
    modelsCount: 2,
    endedAt: null,
  });
  assert.doesNotMatch(JSON.stringify(down), /main-upstream|server|500/);
  const [seen] = (await operate("GET", "/operator/incidents")).incidents;
  assert.deepEqual(
    [seen.upstream, seen.cause, seen.state, seen.models, seen.fault.kind],
    ["main-upstream", "failing", "down", ["maker/large", "plain"], "server"],
  );
  assert.ok(Date.parse(seen.nextTryAt) > 0);
  upstream.setPlan({ fault: "" });
  const tested = await operate("POST", "/operator/upstreams/main-upstream/test");
  assert.deepEqual([tested.isWorking, tested.reason], [true, null]);
  await becomes("operational");
  const isCounted = async () => {
    const { models } = await statusNow();
    const plain = models.find(({ id }: { id: string }) => id === "plain");
    return plain.counted >= 6 && plain.uptime < 1;
  };
  assert.ok(await eventually(isCounted, 20_000));
  assert.ok(await eventually(async () => (await statusNow()).incidents[0]?.endedAt !== null, 15_000));
});

test("closed again, visitors see nothing any more", async () => {
  await open(false);
  assert.equal((await get("/sitemap.xml")).status, 404);
  assert.doesNotMatch((await page("/models")).text, /ld\+json/);
  assert.equal((await get("/api/status")).status, 401);
});
