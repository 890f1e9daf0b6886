/**
 * Clients that first try a WebSocket, as Codex does for Responses, get the status upon which they go on over
 * HTTP; an offer to upgrade that is none of that changes nothing.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { assertErrorAnswer, assertErrorBody, send } from "../harness/caller.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { errorFormatOf } from "../harness/error-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";

let product: Product;
let key = "";

before(async () => {
  product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] },
  });
  ({ key } = await product.createKey(await product.createAccount()));
});
after(() => product?.stop());

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

const rawHead = (path: string, headers: Readonly<Record<string, string>>): string =>
  [`GET ${path} HTTP/1.1`, "host: a", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
    .join("\r\n")
    .concat("\r\n\r\n");

/** What comes until it looks so, or the connection ends. */
async function answerTo(text: string, isWhole: (answer: string) => boolean): Promise<string> {
  const socket = connect(product.port, "127.0.0.1");
  let answer = "";
  const whole = new Promise<void>((resolve) => {
    socket.on("data", (bytes) => {
      answer += bytes.toString("utf8");
      if (isWhole(answer)) resolve();
    });
    socket.once("close", () => resolve());
  });
  await once(socket, "connect");
  socket.write(text);
  await whole;
  socket.destroy();
  return answer;
}

function hasBody(answer: string): boolean {
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? Number.NaN);
  return Buffer.byteLength(answer) >= answer.indexOf("\r\n\r\n") + 4 + length;
}

for (const path of ["/v1/responses", "/v1/responses?model=demo", "/openai/v1/responses", "/v1/realtime"]) {
  test(`a WebSocket at ${path} is refused with 426, with a key and without`, async () => {
    for (const authorization of [`Bearer ${key}`, undefined]) {
      const headers = authorization === undefined ? handshake : { ...handshake, authorization };
      const answer = await answerTo(rawHead(path, headers), hasBody);
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      assert.match(head, /^HTTP\/1\.1 426 Upgrade Required\r\n/);
      assert.match(head, /\r\nupgrade: HTTP\/1\.1/i);
      assert.match(head, /\r\nx-should-retry: false/i);
      const format = errorFormatOf(path.split("?")[0] ?? "");
      assertErrorBody(body, { code: "websocket_not_supported", message: /over HTTP/, format });
    }
  });
}

test("the connection ends with the refusal, whatever is sent behind the handshake", async () => {
  const frame = "\x81\x85\x00\x00\x00\x00Hello";
  for (const behind of ["", frame, rawHead("/v1/models", {})]) {
    const answer = await answerTo(rawHead("/v1/responses", handshake) + behind, () => false);
    assert.match(answer, /^HTTP\/1\.1 426 [\s\S]*\r\nconnection: close\r\n/i);
    assert.equal(answer.split("HTTP/1.1 4").length, 2);
  }
});

test("an offer of HTTP/2 beside a plain call is ignored", async () => {
  const answer = await send(product.origin, {
    path: "/v1/responses",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "Upgrade, HTTP2-Settings",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
    },
    body: JSON.stringify({ model: "demo", input: "Hi" }),
  });
  assert.equal(answer.status, 200, answer.text);
});

test("without the offer it is a method that is not served", async () => {
  const answer = await send(product.origin, { method: "GET", path: "/v1/responses" });
  assertErrorAnswer(answer, 405, { code: "method_not_allowed", format: "openai-responses" });
});
