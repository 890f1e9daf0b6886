import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { parseOpening } from "../../lib/net/address-opening.ts";
import { createMedia, type Media } from "./media.ts";

const param = "messages[0].content[1].image_url.url";

function ask(media: Media, url: string) {
  return media.fetch({ url, param, mediaTypes: ["image/png"], signal: new AbortController().signal });
}

async function refused(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => assert.fail("it was fetched"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError, String(error));
  assert.equal(error.code, "invalid_request");
  assert.equal(error.detail.param, param);
  return error.message;
}

async function withServer(listener: RequestListener, work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function opened(port: number): Media {
  const opening = parseOpening(`127.0.0.1:${port}`) ?? assert.fail();
  return createMedia({ fetchMedia: "on", fetchMediaAllow: [opening] });
}

test("nothing is fetched unless the operator said so", async () => {
  let calls = 0;
  await withServer(
    (_req, res) => {
      calls++;
      res.setHeader("content-type", "image/png").end("x");
    },
    async (port) => {
      const url = `http://127.0.0.1:${port}/`;
      const opening = parseOpening(`127.0.0.1:${port}`) ?? assert.fail();
      const off = createMedia({ fetchMedia: "off", fetchMediaAllow: [opening] });
      assert.match(await refused(ask(off, url)), /data: URL/);
      assert.equal(calls, 0);
      assert.deepEqual(await ask(opened(port), url), { bytes: Buffer.from("x"), mediaType: "image/png" });
      assert.equal(calls, 1);
    },
  );
});

test("what cannot be reached, may not be reached and does not exist all read the same", async () => {
  const media = createMedia({ fetchMedia: "on", fetchMediaAllow: [] });
  await withServer(
    (_req, res) => res.writeHead(404).end(),
    async (port) => {
      const messages = await Promise.all([
        refused(ask(media, `https://127.0.0.1:${port}/`)),
        refused(ask(media, "https://10.0.0.1/")),
        refused(ask(media, "https://8.8.8.8:22/")),
        refused(ask(media, "https://[fe80::1]/")),
        refused(ask(opened(port), `http://127.0.0.1:${port}/`)),
        refused(ask(opened(port), `https://127.0.0.1:${port}/`)),
      ]);
      assert.equal(new Set(messages).size, 1);
      assert.doesNotMatch(messages.join(), /127|10\.0|port/);
    },
  );
});

test("a redirect, another kind of file and no address at all are told", async () => {
  await withServer(
    (req, res) => {
      if (req.url === "/moved") res.writeHead(302, { location: "/" }).end();
      else res.setHeader("content-type", "text/html").end("<p>");
    },
    async (port) => {
      const media = opened(port);
      assert.match(await refused(ask(media, `http://127.0.0.1:${port}/moved`)), /redirect/);
      assert.match(await refused(ask(media, `http://127.0.0.1:${port}/`)), /type/);
      assert.match(await refused(ask(media, "cat.png")), /https:\/\/host\/path/);
      assert.match(await refused(ask(media, "file:///etc/passwd")), /only https/);
    },
  );
});
