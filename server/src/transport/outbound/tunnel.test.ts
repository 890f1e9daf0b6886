/** Through the operator's proxy: what is asked of it, what it may answer, and the same for both clients. */
import assert from "node:assert/strict";
import { connect as connectTcp } from "node:net";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type CreateHttpClient, createHttpClientThrough } from "../../lib/net/http-client.ts";
import { localhostTestCertificate } from "../../lib/net/testing/certificate.ts";
import { createOutbound } from "./client.ts";
import { deadlines, llhttp, openClient, post } from "./testing/clients.ts";
import { settle, startUpstream, type Wire } from "./testing/upstream.ts";
import { createTunnelConnect, createTunnels, type EgressProxy } from "./tunnel.ts";

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

const serve = async (wire: Wire): Promise<void> => {
  for (;;) {
    await wire.request();
    wire.send(answer);
  }
};

/** Both clients, all of whose connections go through this proxy. */
function through(proxy: EgressProxy): { readonly [name: string]: CreateHttpClient } {
  const tunnels = createTunnels(proxy, llhttp);
  return {
    node: (origin, connectMs) => createHttpClientThrough(origin, createTunnelConnect(tunnels, connectMs)),
    own: createOutbound({ llhttp, deadlines, tunnelsFor: () => tunnels }),
  };
}

const proxyAt = (port: number, more: Partial<EgressProxy> = {}): EgressProxy => ({
  isTls: false,
  host: "127.0.0.1",
  port,
  userinfo: undefined,
  ...more,
});

/** A proxy that reaches every name on this machine, at the port asked for. */
async function pass(wire: Wire): Promise<string> {
  const request = await wire.request();
  const port = Number(/:(\d+) HTTP/.exec(request)?.[1]);
  const onward = connectTcp({ port, host: "127.0.0.1" });
  onward.on("error", () => wire.socket.destroy());
  wire.socket.on("close", () => onward.destroy());
  onward.on("connect", () => {
    wire.send("HTTP/1.1 200 Connection established\r\n\r\n");
    wire.socket.removeAllListeners("data");
    onward.pipe(wire.socket).pipe(onward);
  });
  return request;
}

async function trusted(then: () => Promise<void>): Promise<void> {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, localhostTestCertificate]);
  try {
    await then();
  } finally {
    setDefaultCACertificates(before);
  }
}

for (const name of ["node", "own"]) {
  for (const isTls of [false, true]) {
    test(`${name}: ${isTls ? "an encrypted" : "a plain"} upstream, by a name only the proxy knows`, async (t) => {
      const upstream = await startUpstream(t, { isTls, script: serve });
      const asked: string[] = [];
      const proxy = await startUpstream(t, {
        async script(wire) {
          asked.push(await pass(wire));
        },
      });
      const create = through(proxyAt(proxy.port, { userinfo: "me:p:\u00e4" }))[name] as CreateHttpClient;
      await trusted(async () => {
        const host = isTls ? "localhost" : "only-the-proxy-knows.test";
        const origin = `${isTls ? "https" : "http"}://${host}:${upstream.port}`;
        const client = openClient(t, create, origin);
        for (let count = 0; count < 3; count++) {
          assert.equal((await post(client).over).body, "hello");
          // undici uses a connection again one turn later.
          await settle();
        }
        const large = "x".repeat(300_000);
        assert.equal((await post(client, large).over).body, "hello");
        assert.deepEqual(asked, [
          `CONNECT ${host}:${upstream.port} HTTP/1.1\r\nhost: ${host}:${upstream.port}\r\n` +
            `proxy-authorization: Basic ${Buffer.from("me:p:\u00e4").toString("base64")}\r\n\r\n`,
        ]);
      });
      assert.equal(upstream.wires.length, 1);
    });

    test(`${name}: a proxy that is itself reached over TLS, before ${isTls ? "an encrypted" : "a plain"} upstream`, async (t) => {
      const upstream = await startUpstream(t, { isTls, script: serve });
      const proxy = await startUpstream(t, {
        isTls: true,
        async script(wire) {
          await pass(wire);
        },
      });
      const create = through(proxyAt(proxy.port, { isTls: true, host: "localhost" }))[
        name
      ] as CreateHttpClient;
      await trusted(async () => {
        const client = openClient(t, create, `${isTls ? "https" : "http"}://localhost:${upstream.port}`);
        for (let count = 0; count < 2; count++) {
          assert.equal((await post(client).over).body, "hello");
          await settle();
        }
      });
      assert.equal(upstream.wires.length, 1);
    });
  }

  const refusing: readonly (readonly [
    string,
    (wire: Wire) => Promise<void> | void,
    "network" | "timeout",
  ])[] = [
    ["refuses", (wire) => wire.send("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno"), "network"],
    [
      "wants to know who asks",
      (wire) => wire.send('HTTP/1.1 407 Who\r\nproxy-authenticate: Basic realm="x"\r\n\r\n'),
      "network",
    ],
    [
      "redirects",
      (wire) => wire.send("HTTP/1.1 302 There\r\nlocation: http://127.0.0.1/\r\n\r\n"),
      "network",
    ],
    ["hangs", () => {}, "timeout"],
    ["begins to answer, and hangs", (wire) => wire.send("HTTP/1.1 200 Conn"), "timeout"],
    ["closes", (wire) => void wire.socket.end(), "network"],
    ["resets", (wire) => void wire.socket.resetAndDestroy(), "network"],
    ["closes within its answer", (wire) => void wire.socket.end("HTTP/1.1 200 C"), "network"],
    ["speaks another protocol", (wire) => wire.send("SSH-2.0-x\r\n"), "network"],
    [
      "switches protocols",
      (wire) => wire.send("HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      "network",
    ],
    ["sends bytes early", (wire) => wire.send(`HTTP/1.1 200 OK\r\n\r\n${answer}`), "network"],
    ["has no end of interim answers", (wire) => wire.send("HTTP/1.1 103 E\r\n\r\n".repeat(50)), "network"],
    [
      "has an endless head",
      (wire) => wire.sendInPieces(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}`, 4_000),
      "network",
    ],
  ];
  for (const [what, say, ending] of refusing) {
    test(`${name}: a proxy that ${what}`, async (t) => {
      const proxy = await startUpstream(t, {
        async script(wire) {
          await wire.request();
          await say(wire);
        },
      });
      const create = through(proxyAt(proxy.port, { userinfo: "me:hunter2" }))[name] as CreateHttpClient;
      const connectMs = ending === "timeout" ? 100 : 10_000;
      const keeper = post(openClient(t, create, "https://upstream.test", connectMs));
      const seen = await keeper.over;
      assert.deepEqual([seen.ending, seen.status, keeper.starts], [ending, 0, 0]);
      assert.ok(!seen.code.includes("hunter2"));
      await (proxy.wires[0] as Wire).over();
    });
  }

  test(`${name}: no proxy at that address`, async (t) => {
    const create = through(proxyAt(9))[name] as CreateHttpClient;
    assert.equal((await post(openClient(t, create, "http://upstream.test")).over).code, "ECONNREFUSED");
  });

  test(`${name}: a client that is closed while the proxy is asked leaves nothing open`, async (t) => {
    const proxy = await startUpstream(t);
    const create = through(proxyAt(proxy.port))[name] as CreateHttpClient;
    const client = create("http://upstream.test", 10_000, "upstream");
    const keeper = post(client);
    const wire = await proxy.accepted();
    await wire.request();
    await client.close();
    assert.equal((await keeper.over).ending, "network");
    if (name === "own") await wire.over();
    else wire.send("HTTP/1.1 200 OK\r\n\r\n");
    await settle();
    await wire.over();
  });
}
