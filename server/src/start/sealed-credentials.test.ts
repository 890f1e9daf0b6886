import assert from "node:assert/strict";
import { test } from "node:test";
import { type Catalog, defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { isSealed, openSealedCredentials, sealCredential } from "./sealed-credentials.ts";

const key = Buffer.alloc(32, 7);
const place = { provider: "openai", baseUrl: "https://api.example.com/v1" };

function catalogOf(change: Partial<Upstream>): Catalog {
  const upstream = { id: "main", ...place, credentials: [], timeouts: defaultTimeouts, ...change };
  return { upstreams: [upstream], models: [], limits: {} };
}

test("what was sealed opens at its place, other credentials stay as they are", () => {
  const sealed = sealCredential("sk-secret", place, key);
  assert.ok(isSealed(sealed));
  assert.ok(!sealed.includes("sk-secret"));
  assert.match(sealed, /^[!-~]+$/, "fit for one line of a file");
  const opened = openSealedCredentials(catalogOf({ credentials: ["plain", sealed] }), () => key);
  assert.deepEqual(opened.upstreams[0]?.credentials, ["plain", "sk-secret"]);
  const renamed = catalogOf({ id: "other", baseUrl: "https://api.example.com/v2", credentials: [sealed] });
  assert.deepEqual(openSealedCredentials(renamed, () => key).upstreams[0]?.credentials, ["sk-secret"]);
});

test("it opens with no other key, for no other host, no other provider, and not when it was changed", () => {
  const sealed = sealCredential("sk-secret", place, key);
  const refused: readonly [Partial<Upstream>, Buffer, RegExp][] = [
    [{ credentials: [sealed] }, Buffer.alloc(32, 8), /upstream main: .* sealed with another key/],
    [{ credentials: [sealed], baseUrl: "https://evil.example.com/v1" }, key, /damaged or was moved/],
    [{ credentials: [sealed], baseUrl: "http://api.example.com/v1" }, key, /damaged or was moved/],
    [{ credentials: [sealed], provider: "anthropic" }, key, /damaged or was moved/],
    [{ credentials: [`${sealed.slice(0, -3)}AAA`] }, key, /damaged or was moved/],
    [{ credentials: ["sealed:"] }, key, /not a sealed text/],
  ];
  for (const [change, otherKey, message] of refused) {
    assert.throws(
      () => openSealedCredentials(catalogOf(change), () => otherKey),
      (error: Error) => message.test(error.message) && !error.message.includes("sk-secret"),
    );
  }
});

test("the key is not asked for where nothing is sealed", () => {
  const catalog = catalogOf({ credentials: ["plain"] });
  const opened = openSealedCredentials(catalog, () => assert.fail("asked for"));
  assert.equal(opened, catalog);
});
