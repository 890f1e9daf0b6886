/**
 * Habits of real clients that are accepted, or refused with a helpful message: where the key is sent,
 * trailing slashes, HTTP/2 without negotiation, paths of other products.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { textOf } from "../../../contract/messages/message.ts";
import { missingPaths } from "../../../server/src/http/routes/missing-paths.ts";
import { assertErrorAnswer, assertErrorBody, send } from "../harness/caller.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { errorFormatOf, readError } from "../harness/error-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";

let product: Product;
let key: string;
let requestId: string;

before(async () => {
  product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] },
  });
  key = (await product.createKey(await product.createAccount())).key;
  const first = await chat({ authorization: `Bearer ${key}` });
  requestId = String(first.headers["x-request-id"]);
});
after(() => product?.stop());

const body = JSON.stringify({ model: "demo", messages: [{ role: "user", content: "hi" }] });
const chat = (headers: Readonly<Record<string, string>>, path = "/v1/chat/completions") =>
  send(product.origin, { path, headers: { "content-type": "application/json", ...headers }, body });
const look = (path: string, headers: Readonly<Record<string, string>>) =>
  send(product.origin, { method: "GET", path, headers });

describe("the key in the headers of Azure's, Anthropic's and Google's clients", () => {
  const lookPaths = () => ["/v1/models", "/v1/models/demo", "/v1/balance", `/v1/requests/${requestId}`];
  const ways: readonly (readonly [name: string, headers: () => Record<string, string>])[] = [
    ["x-api-key", () => ({ "x-api-key": key })],
    ["api-key", () => ({ "api-key": key })],
    ["x-goog-api-key", () => ({ "x-goog-api-key": key })],
    ["beside another service's key", () => ({ authorization: `Bearer ${key}`, "x-api-key": "sk-ant-1" })],
    ["x-api-key with Bearer before it", () => ({ "x-api-key": `Bearer ${key}` })],
    ["beside a proxy's own Authorization", () => ({ authorization: "Basic eDp5", "api-key": key })],
  ];
  for (const [name, headers] of ways) {
    test(`${name}, on every path, first seen and seen before`, async () => {
      for (const _ of ["first", "again", "from memory"]) {
        assert.equal((await chat(headers())).status, 200);
        for (const path of lookPaths()) assert.equal((await look(path, headers())).status, 200, path);
      }
    });
  }

  test("a wrong key there is refused there, and Authorization goes first", async () => {
    const message = /^Incorrect API key provided: /;
    for (const headers of [
      { "x-api-key": `${key}x` },
      { "api-key": "nope" },
      { authorization: "Bearer nope", "x-api-key": key },
      { authorization: "bearer nope", "api-key": key },
      // A bare key is not a valid Authorization header, even when the key is in the cache.
      { authorization: key },
    ]) {
      assertErrorAnswer(await chat(headers), 401, { code: "invalid_api_key", message });
      for (const path of lookPaths()) {
        assertErrorAnswer(await look(path, headers), 401, { code: "invalid_api_key", message });
      }
    }
  });

  test("a key of another service is named, with the settings of its clients", async () => {
    const rows: readonly (readonly [header: string, sent: string, what: RegExp])[] = [
      ["authorization", "Bearer sk-ant-oat01-abcdef", /key of Anthropic, .*ANTHROPIC_AUTH_TOKEN/],
      ["x-api-key", "sk-ant-api03-abcdef", /key of Anthropic, .*ANTHROPIC_API_KEY/],
      ["authorization", "Bearer sk-proj-abcdef", /key of OpenAI, .*OPENAI_API_KEY/],
      ["x-goog-api-key", "AIzaSyA-123456789", /key of Google, .*GEMINI_API_KEY/],
      ["authorization", "Bearer eyJhbGciOi.J9", /key of OAuth, .*env_key/],
      ["authorization", "Bearer sk-something", /not a valid Plaza API key/],
      ["authorization", `Bearer ${key}x`, /not a valid Plaza API key/],
    ];
    for (const [header, sent, what] of rows) {
      const answer = await chat({ [header]: sent });
      assertErrorAnswer(answer, 401, { code: "invalid_api_key", message: what });
      assert.match(answer.text, /Incorrect API key provided: /);
    }
  });

  test("two keys that differ are refused, on every path, and the refusal names where they stand", async () => {
    const other = (await product.createKey(await product.createAccount())).key;
    const message = /^Incorrect API key provided: Authorization and x-goog-api-key hold different keys\./;
    const headers = { authorization: `Bearer ${key}`, "x-goog-api-key": other };
    assertErrorAnswer(await chat(headers), 401, { code: "invalid_api_key", message });
    for (const path of lookPaths()) {
      // Google's clients are known there by that header.
      const format = path.startsWith("/v1/models") ? "gemini" : "openai-chat";
      assertErrorAnswer(await look(path, headers), 401, { code: "invalid_api_key", message, format });
    }
  });

  test("a key in the query is no key where clients do not send it so, and is never logged", async () => {
    for (const path of ["/v1/chat/completions", "/v1beta/models/x", "/v1/nope"]) {
      const answer = await chat({}, `${path}?key=${key}`);
      assert.ok(answer.status === 401 || answer.status === 404, path);
      assert.ok(!answer.text.includes(key), path);
    }
    assert.ok(!product.logs().includes(key));
  });

  test("a page's preflight may ask for both headers, and gets them by default", async () => {
    const answer = await send(product.origin, {
      method: "OPTIONS",
      path: "/v1/chat/completions",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    assert.match(String(answer.headers["access-control-allow-headers"]), /x-api-key, api-key/);
  });
});

test("a slash at the end is ignored", async () => {
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await chat(headers, "/v1/chat/completions/")).status, 200);
  assert.equal((await chat(headers, "/v1/chat/completions/?api-version=1")).status, 200);
  for (const path of [
    "/v1/models",
    "/v1/models/demo",
    "/v1/balance",
    `/v1/requests/${requestId}`,
    "/healthz",
    "/readyz",
  ]) {
    const [plain, slashed] = [await look(path, headers), await look(`${path}/`, headers)];
    assert.equal(slashed.status, 200, path);
    if (!path.startsWith("/v1/balance")) assert.equal(slashed.text, plain.text);
  }
  assertErrorAnswer(await look("/v1/chat/completions/", headers), 405, { code: "method_not_allowed" });
  assertErrorAnswer(await chat(headers, "/v1/chat/completions//"), 404, { code: "not_found" });
});

/** All response bytes to these bytes, until the connection closes. */
async function answerTo(...pieces: readonly string[]): Promise<string> {
  const socket = connect(product.port, "127.0.0.1");
  socket.setNoDelay(true);
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString("utf8");
  });
  await once(socket, "connect");
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, "latin1", resolve));
  await once(socket, "close");
  return answer;
}

test("HTTP/2 without asking gets 505 in HTTP/1.1's words, whatever follows and however it is cut", async () => {
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const settings =
    "\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04\x00\x10\x00\x00\x00\x02\x00\x00\x00\x00";
  for (const pieces of [
    [preface],
    [preface + settings],
    [preface.slice(0, 16), preface.slice(16)],
    [preface, settings],
  ]) {
    const answer = await answerTo(...pieces);
    const [head = "", text = ""] = answer.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 505 HTTP Version Not Supported\r\n/);
    assert.match(head, /\r\ncontent-type: application\/json/);
    assert.match(head, /\r\nx-should-retry: false/);
    assertErrorBody(text, { code: "unsupported_http_version", message: /HTTP\/1\.1 only.*--http1\.1/ });
  }
  const inWords = `POST /v1/chat/completions HTTP/2.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
  assert.match(await answerTo(inWords), /^HTTP\/1\.1 505 /);
});

describe("a base URL that is wrong by one step, as users of each client set it", () => {
  const streamed = "models/demo:streamGenerateContent?alt=sse";
  const rows: readonly (readonly [client: string, path: string, status: number, what: RegExp])[] = [
    ["Claude Code with /v1", "/v1/v1/messages?beta=true", 400, /ANTHROPIC_BASE_URL.* without \/v1:/],
    [
      "Claude Code with all of it",
      "/v1/messages/v1/messages",
      400,
      /ANTHROPIC_BASE_URL.* without \/v1\/messages:/,
    ],
    [
      "Claude Code with /anthropic",
      "/anthropic/v1/messages",
      400,
      /ANTHROPIC_BASE_URL.* without \/anthropic/,
    ],
    ["opencode's anthropic without /v1", "/messages", 400, /ends in \/v1: this call lacks it/],
    ["Codex without /v1", "/responses", 404, /ends in \/v1.* base_url .*config\.toml/],
    ["Codex with all of it", "/v1/responses/responses", 404, /ends in \/v1, without \/responses/],
    [
      "Gemini CLI with /v1beta",
      `/v1beta/v1beta/${streamed}`,
      404,
      /GOOGLE_GEMINI_BASE_URL.* without \/v1beta:/,
    ],
    ["Gemini CLI with /v1", `/v1/v1beta/${streamed}`, 404, /GOOGLE_GEMINI_BASE_URL.* without \/v1:/],
    ["@google/genai with /v1", `/v1/v1/${streamed}`, 404, /httpOptions\.baseUrl.* without \/v1:/],
    ["@google/genai with /v1beta", `/v1beta/v1/${streamed}`, 404, /httpOptions\.baseUrl.* without \/v1beta:/],
    ["AI SDK google() without /v1beta", `/${streamed}`, 404, /ends in \/v1beta/],
    ["an OpenAI client without /v1", "/chat/completions", 404, /ends in \/v1: this call lacks it/],
    ["a slash too many", "//v1/messages", 400, /slash at the end/],
    ["a slash too many behind /v1", "/v1//chat/completions", 404, /slash at the end/],
  ];
  for (const [client, path, status, what] of rows)
    test(`${client}: ${path} says what to set, in the client's own shape`, async () => {
      const format = errorFormatOf(path.replace(/\?.*/, ""));
      const answer = await chat({ authorization: `Bearer ${key}` }, path);
      assertErrorAnswer(answer, status, {
        code: status === 400 ? "invalid_request" : "not_found",
        message: what,
        format,
      });
    });
});

describe("addresses of other products", () => {
  for (const { path, help } of missingPaths) {
    test(`${path} says what to set`, async () => {
      const asked = path.replace(/\{\w+\}/g, "x").replace("*", "x");
      const answer = await chat({ authorization: `Bearer ${key}` }, asked);
      const format = errorFormatOf(asked);
      // Claude Code shows the message of no 404.
      if (asked.endsWith("/messages")) assertErrorAnswer(answer, 400, { code: "invalid_request", format });
      else assertErrorAnswer(answer, 404, { code: "not_found", format });
      assert.equal(readError(answer.text, format).message, `Not found: POST ${asked}. ${textOf(help)}`);
    });
  }

  test("a browser still gets the console's pages, and other paths the plain words", async () => {
    const page = await look("/models", { accept: "text/html" });
    assert.doesNotMatch(page.text, /Set the client's base URL/);
    const plain = await chat({}, "/v1/nope");
    assertErrorAnswer(plain, 404, {
      code: "not_found",
      message:
        /Plaza serves POST \/v1\/chat\/completions, .*\/v1\/responses, .*\. Set the client's base URL so that it ends in \/v1\.$/,
    });
  });
});
