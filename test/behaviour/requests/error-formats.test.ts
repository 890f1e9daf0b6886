/**
 * What is refused before any endpoint is known is told in the format that the client of that path reads:
 * unknown paths, wrong heads, wrong keys; and pages may read it.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertCors, assertErrorAnswer, send } from "../harness/caller.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { errorFormatOf } from "../harness/error-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";

let product: Product;

before(async () => {
  product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] },
  });
});
after(() => product?.stop());

/** Paths below each family that will never be served. */
const unknown = [
  "/v1/chat/completions/x/y",
  "/v1/messages/x/y",
  "/v1/v1/messages",
  "/anthropic/v1/messages",
  "/v1/responses/x/y/z",
  "/openai/v1/responses/x/y/z",
  "/v1beta/x/y/z",
  "/openai/x",
] as const;

describe("before an endpoint is known", () => {
  for (const path of unknown) {
    const format = errorFormatOf(path);
    test(`${path} is refused as ${format}, and a page may read it`, async () => {
      const headers = { "content-type": "application/json", origin: "https://app.example" };
      const answer = await send(product.origin, { path: `${path}?a=b`, headers, body: "{}" });
      assertErrorAnswer(answer, 404, { code: "not_found", format });
      assertCors(answer);
      const preflight = await send(product.origin, { method: "OPTIONS", path, headers });
      assert.equal(preflight.status, 204);
      assertCors(preflight);
    });

    test(`a head that is refused under ${path} is told as ${format}`, async () => {
      const answer = await send(product.origin, { method: "GET", path, body: "{}" });
      assertErrorAnswer(answer, 400, { code: "invalid_request", format });
    });
  }

  test("a browser that opens such a path gets the error, not the console", async () => {
    for (const path of unknown) {
      const answer = await send(product.origin, { method: "GET", path, headers: { accept: "text/html" } });
      assertErrorAnswer(answer, 404, { code: "not_found", format: errorFormatOf(path) });
    }
  });
});

test("HEAD / is 200 and empty, as Claude Code asks before its first call", async () => {
  for (const headers of [{}, { accept: "*/*" }, { accept: "application/json", "x-api-key": "sk-x" }]) {
    const answer = await send(product.origin, { method: "HEAD", path: "/", headers });
    assert.deepEqual([answer.status, answer.text], [200, ""]);
  }
});
