import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Opening, parseOpening } from "./address-opening.ts";
import {
  createSafeFetch,
  type FetchAsk,
  FetchError,
  type Fetched,
  type SafeFetchOptions,
} from "./safe-fetch.ts";
import { mediaTestCertificate, mediaTestKey } from "./testing/certificate.ts";

const mediaTypes = ["image/png", "image/jpeg"];
const servers: Server[] = [];

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server);
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

const opening = (text: string): Opening => parseOpening(text) ?? assert.fail(`${text} opens nothing`);

/** A fetcher that may call this port of 127.0.0.1, the address of every name here. */
function fetcher(port: number, more: SafeFetchOptions = {}) {
  const fetch = createSafeFetch({
    openings: [opening(`127.0.0.1:${port}`)],
    resolve: async () => ["127.0.0.1"],
    ...more,
  });
  return (ask: Partial<FetchAsk> = {}): Promise<Fetched> =>
    fetch.fetch({ url: `http://127.0.0.1:${port}/cat.png`, mediaTypes, ...ask });
}

async function failure(fetching: Promise<unknown>): Promise<string> {
  const error = await fetching.then(
    () => assert.fail("it was fetched"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FetchError, String(error));
  return error.failure;
}

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const sendPng: RequestListener = (_req, res) => res.setHeader("content-type", "image/png").end(png);

describe("what is fetched", () => {
  test("the bytes and the media type, with a request that says nothing of us or of anybody", async () => {
    let head: string[] = [];
    let line = "";
    const port = await serve((req, res) => {
      head = req.rawHeaders;
      line = `${req.method} ${req.url}`;
      res.setHeader("content-type", "Image/PNG; x=1").setHeader("set-cookie", "a=b").end(png);
    });
    const get = fetcher(port);
    const fetched = await get({ url: `http://pictures.test:${port}/a/../cat.png?size=1#part` });
    assert.deepEqual(fetched, { mediaType: "image/png", bytes: png });
    await get({ url: `http://pictures.test:${port}/cat.png?size=1` });
    assert.equal(line, "GET /cat.png?size=1");
    assert.deepEqual(
      head.map((text) => text.toLowerCase()),
      [
        ["accept", "*/*"],
        ["accept-encoding", "identity"],
        ["user-agent", "plaza"],
        ["connection", "close"],
        ["host", `pictures.test:${port}`],
      ].flat(),
    );
  });

  test("exactly as many bytes as allowed", async () => {
    const port = await serve(sendPng);
    assert.equal((await fetcher(port)({ bytesMax: png.length })).bytes.length, png.length);
  });
});

describe("URLs that are refused before anything is looked up", () => {
  const cases: [string, string][] = [
    ["", "url"],
    ["cat.png", "url"],
    ["//127.0.0.1/cat.png", "url"],
    ["http://", "url"],
    ["http://[::1", "url"],
    ["http://1.2.3.4.5.6:99999/", "url"],
    ["https://ex ample.com/", "url"],
    ["https://example.com\\@127.0.0.1/", "url"],
    ["https://example.com/\r\nHost: x", "url"],
    ["ht\ttps://example.com/", "url"],
    ["https://user@example.com/", "url"],
    ["https://user:word@example.com/", "url"],
    [`https://example.com/${"a".repeat(9_000)}`, "url"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["gopher://example.com:70/_x", "scheme"],
    ["data:image/png;base64,AA==", "scheme"],
    ["ws://example.com/", "scheme"],
    ["unix:/var/run/docker.sock", "scheme"],
    ["javascript:1", "scheme"],
    ["https://example.com:22/", "port"],
    ["https://example.com:0/", "port"],
    ["https://8.8.8.8:8443/", "port"],
    ["http://8.8.8.8/", "scheme"],
    ["https://127.0.0.1/", "address"],
    ["https://2130706433/", "address"],
    ["https://0x7f000001/", "address"],
    ["https://0177.0.0.1/", "address"],
    ["https://127.1/", "address"],
    ["https://0/", "address"],
    ["https://１２７.0.0.1/", "address"],
    ["https://127.0.0.1./", "address"],
    ["https://[::1]/", "address"],
    ["https://[::ffff:127.0.0.1]/", "address"],
    ["https://[64:ff9b::169.254.169.254]/", "address"],
    ["https://169.254.169.254/latest/meta-data/", "address"],
  ];
  for (const [url, wanted] of cases) {
    test(JSON.stringify(url.slice(0, 60)), async () => {
      const { fetch } = createSafeFetch({
        resolve: async () => assert.fail("looked up"),
        ownAddresses: () => [],
      });
      assert.equal(await failure(fetch({ url, mediaTypes })), wanted);
    });
  }
});

describe("names", () => {
  const url = "https://pictures.test/cat.png";
  const withAddresses = (...addresses: string[]) =>
    failure(
      createSafeFetch({ resolve: async () => addresses, ownAddresses: () => ["93.184.215.14"] }).fetch({
        url,
        mediaTypes,
      }),
    );

  test("one address that is not public spoils the name", async () => {
    assert.equal(await withAddresses("127.0.0.1"), "address");
    assert.equal(await withAddresses("8.8.8.8", "10.0.0.1"), "address");
    assert.equal(await withAddresses("::1"), "address");
    assert.equal(await withAddresses("fe80::1%eth0"), "address");
    assert.equal(await withAddresses("not an address"), "address");
    assert.equal(await withAddresses(), "unresolved");
  });

  test("an address of this machine is not called though it is public", async () => {
    assert.equal(await withAddresses("93.184.215.14"), "address");
    assert.equal(await withAddresses("::ffff:93.184.215.14"), "address");
  });

  test("a name that cannot be resolved", async () => {
    const resolve = async () => {
      throw new Error("ENOTFOUND");
    };
    assert.equal(await failure(createSafeFetch({ resolve }).fetch({ url, mediaTypes })), "unresolved");
  });

  test("is looked up once, and the connection goes where that answer said", async () => {
    const port = await serve(sendPng);
    let lookups = 0;
    const get = fetcher(port, {
      resolve: async () => {
        lookups++;
        return lookups % 2 === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
      },
    });
    await get({ url: `http://rebind.test:${port}/cat.png` });
    assert.equal(lookups, 1);
    assert.equal(await failure(get({ url: `http://rebind.test:${port}/cat.png` })), "address");
  });

  test("another of its addresses is tried when the first does not answer", async () => {
    const port = await serve(sendPng);
    const get = fetcher(port, {
      openings: [opening(`127.0.0.0/8:${port}`)],
      resolve: async () => ["127.0.0.2", "127.0.0.1"],
    });
    assert.deepEqual((await get({ url: `http://two.test:${port}/` })).bytes, png);
  });

  test("an opening is for its port only, and opens no metadata address by the range around it", async () => {
    const port = await serve(sendPng);
    const { fetch } = createSafeFetch({ openings: [opening("127.0.0.0/8:1"), opening("0.0.0.0/0")] });
    assert.equal(await failure(fetch({ url: `http://127.0.0.1:${port}/`, mediaTypes })), "address");
    assert.equal(await failure(fetch({ url: "http://169.254.169.254/", mediaTypes })), "address");
  });
});

describe("answers that are refused", () => {
  const answers: [string, RequestListener, string][] = [
    ...[301, 302, 303, 304, 307, 308].map((status): [string, RequestListener, string] => [
      `status ${status}`,
      (req, res) => res.writeHead(status, { location: `http://${req.headers.host}/elsewhere` }).end(),
      "redirect",
    ]),
    ["status 404", (_req, res) => res.writeHead(404, { "content-type": "image/png" }).end(png), "status"],
    ["status 206", (_req, res) => res.writeHead(206, { "content-type": "image/png" }).end(png), "status"],
    ["status 204", (_req, res) => res.writeHead(204).end(), "status"],
    [
      "an upgrade",
      (req) => req.socket.end("HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
      "status",
    ],
    ["no media type", (_req, res) => res.end(png), "type"],
    ["a page", (_req, res) => res.setHeader("content-type", "text/html").end("<p>"), "type"],
    [
      "a media type that only begins well",
      (_req, res) => res.setHeader("content-type", "image/pngx").end(png),
      "type",
    ],
    [
      "compressed",
      (_req, res) => res.writeHead(200, { "content-type": "image/png", "content-encoding": "gzip" }).end(png),
      "encoding",
    ],
    [
      "too long by its head",
      (_req, res) =>
        res.writeHead(200, { "content-type": "image/png", "content-length": "101" }).flushHeaders(),
      "size",
    ],
    [
      "too long by its body",
      (_req, res) => res.writeHead(200, { "content-type": "image/png" }).write(Buffer.alloc(101)),
      "size",
    ],
    [
      "a head without end",
      (req) => req.socket.write(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}`),
      "unreachable",
    ],
    ["no HTTP", (req) => req.socket.end("SSH-2.0-x\r\n"), "unreachable"],
    ["closed at once", (req) => req.socket.destroy(), "unreachable"],
    [
      "cut",
      (req) => req.socket.end("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 9\r\n\r\nabc"),
      "unreachable",
    ],
  ];
  for (const [name, listener, wanted] of answers) {
    test(name, async () => {
      let calls = 0;
      let closed: Promise<unknown> | undefined;
      const port = await serve((req, res) => {
        calls++;
        closed = new Promise((resolve) => req.socket.once("close", resolve));
        listener(req, res);
      });
      assert.equal(await failure(fetcher(port)({ bytesMax: 100 })), wanted);
      assert.equal(calls, 1);
      await closed;
    });
  }

  test("nobody listens", async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await failure(fetcher(port)()), "unreachable");
  });
});

describe("bounds", () => {
  test("time: before the name is known, before the head, within the body", async () => {
    const never = () => new Promise<never>(() => {});
    assert.equal(
      await failure(fetcher(1, { resolve: never })({ url: "http://x.test:1/", totalMs: 30 })),
      "timeout",
    );
    const silent = await serve(() => {});
    assert.equal(await failure(fetcher(silent)({ totalMs: 30 })), "timeout");
    const endless = await serve((_req, res) => {
      res.writeHead(200, { "content-type": "image/png" });
      const timer = setInterval(() => res.write("x"), 5);
      res.on("close", () => clearInterval(timer));
    });
    assert.equal(await failure(fetcher(endless)({ totalMs: 60 })), "timeout");
  });

  test("the caller gives up, before or meanwhile", async () => {
    const asked = Promise.withResolvers<void>();
    const port = await serve(() => asked.resolve());
    assert.equal(await failure(fetcher(port)({ signal: AbortSignal.abort() })), "aborted");
    const controller = new AbortController();
    const fetching = failure(fetcher(port)({ signal: controller.signal }));
    await asked.promise;
    controller.abort();
    assert.equal(await fetching, "aborted");
  });

  test("number: some at once, some wait, the rest are refused; a place that is given up is used again", async () => {
    const held: (() => void)[] = [];
    const arrived = Promise.withResolvers<void>();
    let most = 0;
    let inside = 0;
    const port = await serve((req, res) => {
      inside++;
      most = Math.max(most, inside);
      held.push(() => {
        inside--;
        sendPng(req, res);
      });
      arrived.resolve();
      if (isFlowing) held.pop()?.();
    });
    let isFlowing = false;
    const get = fetcher(port, { fetchesMax: 1 });
    const first = get();
    await arrived.promise;
    const leaver = new AbortController();
    const left = failure(get({ signal: leaver.signal }));
    const waiting = Array.from({ length: 7 }, () => get());
    assert.equal(await failure(get()), "busy");
    leaver.abort();
    assert.equal(await left, "aborted");
    isFlowing = true;
    held.pop()?.();
    await Promise.all([first, ...waiting]);
    assert.equal(most, 1);
    assert.equal((await get()).bytes.length, png.length);
  });
});

describe("TLS", () => {
  const secure = (): Promise<number> => {
    const options = { cert: mediaTestCertificate, key: mediaTestKey };
    return listen(createTlsServer(options, sendPng) as unknown as Server);
  };

  test("the certificate must be trusted, and be for the name in the URL", async () => {
    const port = await secure();
    const get = fetcher(port);
    const url = `https://media.test:${port}/cat.png`;
    assert.equal(await failure(get({ url })), "tls");
    const trusted = getCACertificates("default");
    setDefaultCACertificates([...trusted, mediaTestCertificate]);
    try {
      assert.deepEqual((await get({ url })).bytes, png);
      assert.equal(await failure(get({ url: `https://other.test:${port}/cat.png` })), "tls");
      assert.equal(await failure(get({ url: `https://127.0.0.1:${port}/cat.png` })), "tls");
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      assert.equal(await failure(get({ url: `https://other.test:${port}/cat.png` })), "tls");
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      setDefaultCACertificates(trusted);
    }
  });

  test("plain HTTP where TLS was asked for", async () => {
    const port = await serve(sendPng);
    assert.equal(await failure(fetcher(port)({ url: `https://media.test:${port}/` })), "tls");
  });
});

test("openings are read, slips are not", () => {
  assert.deepEqual(opening("10.0.0.0/8"), { network: { bytes: Uint8Array.of(10, 0, 0, 0), bits: 8 } });
  assert.equal(opening("10.1.2.3:9000").port, 9000);
  assert.equal(opening("10.0.0.0/8:9000").network.bits, 8);
  assert.equal(opening("[fd00::5]:9000").port, 9000);
  assert.equal(opening("[fd00::]/8").network.bits, 8);
  assert.equal(opening("[fd00::]/8:81").port, 81);
  assert.equal(opening("fd00::/8").network.bits, 8);
  for (const text of [
    "",
    "*",
    "localhost",
    "10.0.0.1/8",
    "10.0.0.0:0",
    "10.0.0.0:70000",
    "[10.0.0.0]/8",
    "10.0.0.0/8:",
    "[fd00::",
    "http://10.0.0.1",
  ])
    assert.equal(parseOpening(text), undefined, text);
});
