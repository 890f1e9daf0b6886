/**
 * Refusals before an endpoint is known use the error format of that path's clients: unknown paths, invalid
 * headers, wrong keys. Browsers may read them (CORS).
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, assertCors, assertErrorAnswer, send } from "../harness/caller.ts";
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

/**
 * Paths that serve no POST without a key. Some may serve another method; which check refuses first may
 * change, the format does not.
 */
const unserved = [
  "/v1/chat/completions/x/y",
  "/v1/messages/x/y",
  "/v1/v1/messages",
  "/anthropic/v1/messages",
  "/v1/responses/x/y/z",
  "/openai/v1/responses/x/y/z",
  "/v1beta/x/y/z",
  "/openai/x",
] as const;

const codes: Readonly<Record<number, string>> = {
  // Claude Code does not show what a 404 says.
  400: "invalid_request",
  401: "invalid_api_key",
  404: "not_found",
  405: "method_not_allowed",
};

function assertRefused(path: string, answer: Answer): void {
  const code = codes[answer.status];
  assert.ok(code !== undefined, `${path}: ${answer.status}`);
  assertErrorAnswer(answer, answer.status, { code, format: errorFormatOf(path) });
}

describe("before an endpoint is known", () => {
  for (const path of unserved) {
    const format = errorFormatOf(path);
    test(`${path} is refused as ${format}, and a page may read it`, async () => {
      const headers = { "content-type": "application/json", origin: "https://app.example" };
      const answer = await send(product.origin, { path: `${path}?a=b`, headers, body: "{}" });
      assertRefused(path, answer);
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
    for (const path of unserved) {
      const answer = await send(product.origin, { method: "GET", path, headers: { accept: "text/html" } });
      assertRefused(path, answer);
    }
  });
});

test("HEAD / is 200 and empty, as Claude Code asks before its first call", async () => {
  for (const headers of [{}, { accept: "*/*" }, { accept: "application/json", "x-api-key": "sk-x" }]) {
    const answer = await send(product.origin, { method: "HEAD", path: "/", headers });
    assert.deepEqual([answer.status, answer.text], [200, ""]);
  }
});
