/** Where console and API are served: with the endpoint, or at a separate address; and what pages may load. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { buildConsole } from "../../../tools/build/console.ts";
import { startProduct } from "../harness/product.ts";

const html = { headers: { accept: "text/html" } };

before(buildConsole);

test("beside the endpoint: pages under a strict policy, scripts for ever, other paths an error in the one shape", async (context) => {
  const product = await startProduct();
  after(() => product.stop());
  const page = await fetch(`${product.origin}/keys/some`, html);
  assert.equal(page.status, 200);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.match(policy, /connect-src 'self';/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(page.headers.get("cache-control"), "no-cache");
  const text = await page.text();
  assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)/, "no inline script");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1];
  assert.ok(script, "the page names its script");
  const loaded = await fetch(`${product.origin}${script}`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(loaded.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(loaded.headers.get("content-encoding"), "gzip");
  assert.ok((await loaded.text()).length > 10_000);
  assert.equal(
    (await fetch(`${product.origin}/assets/../package.json`, html)).status,
    200,
    "a page, no file",
  );
  const nothing = await fetch(`${product.origin}/assets/none.js`, html);
  assert.equal(nothing.status, 404);
  assert.equal(((await nothing.json()) as { error: { code: string } }).error.code, "not_found");
  const plain = await fetch(`${product.origin}/`);
  assert.match(await plain.text(), /Point an OpenAI client/, "a program is told where the endpoint is");
  context.diagnostic(`${policy}`);
});

test("on an address of its own: the endpoint's address has neither pages nor API but the operator's look at upstreams, and the pages may call the endpoint", async () => {
  const product = await startProduct({ serve: ["--console-listen", "127.0.0.1:0"] });
  after(() => product.stop());
  const site = /console\s+(http:\/\/127\.0\.0\.1:\d+)\//.exec(product.running.stdout())?.[1] ?? "";
  assert.notEqual(site, product.origin);
  assert.equal((await fetch(`${product.origin}/api/session`)).status, 404);
  assert.equal((await fetch(`${product.origin}/keys`, html)).status, 404);
  const session = (await (await fetch(`${site}/api/session`)).json()) as {
    installation: { baseUrl: string };
  };
  assert.equal(session.installation.baseUrl, product.baseUrl);
  const policy = (await fetch(`${site}/`, html)).headers.get("content-security-policy") ?? "";
  assert.ok(policy.includes(`connect-src 'self' ${product.origin};`), policy);
  assert.equal((await fetch(`${site}/v1/models`)).status, 404, "no endpoint beside the console");
  const { paths } = (await (await fetch(`${site}/api/openapi.json`)).json()) as { paths: object };
  assert.ok("/api/upstreams" in paths);
  for (const address of [site, product.origin])
    assert.equal((await fetch(`${address}/api/upstreams`)).status, 200, address);
});
