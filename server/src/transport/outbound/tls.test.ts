/** TLS and addresses: who is trusted, sessions, resets within the handshake, names with several addresses. */
import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { localhostTestCertificate, mediaTestCertificate } from "../../lib/net/testing/certificate.ts";
import { clients, openClient, post } from "./testing/clients.ts";
import { settle, startUpstream, type Wire } from "./testing/upstream.ts";

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

const serve = async (wire: Wire): Promise<void> => {
  for (;;) {
    await wire.request();
    wire.send(answer);
  }
};

async function trusting(certificate: string, then: () => Promise<void>): Promise<void> {
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, certificate]);
  try {
    await then();
  } finally {
    setDefaultCACertificates(trusted);
  }
}

for (const [name, create] of Object.entries(clients)) {
  test(`${name}: no byte of a call reaches a server that is not trusted, or not for the name`, async (t) => {
    const upstream = await startUpstream(t, { isTls: true, script: serve });
    const { port } = upstream;
    const codeAt = async (origin: string) => (await post(openClient(t, create, origin)).over).code;
    assert.equal(await codeAt(upstream.origin), "DEPTH_ZERO_SELF_SIGNED_CERT");
    await trusting(mediaTestCertificate, async () => {
      assert.equal(await codeAt(upstream.origin), "DEPTH_ZERO_SELF_SIGNED_CERT");
    });
    await trusting(localhostTestCertificate, async () => {
      assert.equal(await codeAt(`https://127.0.0.1:${port}`), "ERR_TLS_CERT_ALTNAME_INVALID");
    });
    for (const wire of upstream.wires) assert.equal(wire.received, "");
  });

  test(`${name}: a server that is trusted is called`, async (t) => {
    const upstream = await startUpstream(t, {
      isTls: true,
      async script(wire) {
        await wire.request();
        await wire.sendInPieces(answer, 7);
      },
    });
    await trusting(localhostTestCertificate, async () => {
      // undici would speak HTTP/2 with a server that prefers it.
      if (name === "node") return;
      const seen = await post(openClient(t, create, upstream.origin)).over;
      assert.deepEqual([seen.status, seen.body, seen.ending], [200, "hello", "end"]);
    });
  });

  test(`${name}: a connection reset within the handshake, or by a server without TLS, is a fault of the network`, async (t) => {
    const resetting = await startUpstream(t, {
      async script(wire) {
        await wire.until(() => wire.received !== "");
        wire.socket.resetAndDestroy();
      },
    });
    assert.equal(
      (await post(openClient(t, create, `https://127.0.0.1:${resetting.port}`)).over).ending,
      "network",
    );
    const plain = await startUpstream(t, {
      async script(wire) {
        await wire.until(() => wire.received !== "");
        wire.socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      },
    });
    assert.equal(
      (await post(openClient(t, create, `https://127.0.0.1:${plain.port}`)).over).ending,
      "network",
    );
  });

  test(`${name}: a name whose first address does not listen is reached at the other`, async (t) => {
    // On machines where the name has one address only, this shows less.
    for (const { address: host } of await lookup("localhost", { all: true })) {
      const upstream = await startUpstream(t, { host, script: serve });
      const seen = await post(openClient(t, create, `http://localhost:${upstream.port}`)).over;
      assert.deepEqual([host, seen.body, seen.code], [host, "hello", ""]);
    }
  });

  test(`${name}: an IPv6 address`, async (t) => {
    const upstream = await startUpstream(t, {
      host: "::1",
      async script(wire) {
        assert.match(await wire.request(), /\r\nhost: \[::1\]:\d+\r\n/);
        wire.send(answer);
      },
    });
    assert.equal((await post(openClient(t, create, `http://[::1]:${upstream.port}`)).over).body, "hello");
  });
}

const { own = clients["node"] } = clients;

test("every connection but the first resumes the session, and speaks HTTP/1.1", async (t) => {
  const upstream = await startUpstream(t, { isTls: true, script: serve });
  await trusting(localhostTestCertificate, async () => {
    const client = openClient(t, own as NonNullable<typeof own>, upstream.origin);
    await post(client).over;
    await settle();
    await Promise.all([post(client).over, post(client).over, post(client).over]);
  });
  assert.equal(upstream.wires.length, 3);
  const sockets = upstream.wires.map(({ socket }) => socket as TLSSocket);
  assert.deepEqual(
    sockets.map((socket) => [socket.isSessionReused(), socket.alpnProtocol]),
    [
      [false, "http/1.1"],
      [true, "http/1.1"],
      [true, "http/1.1"],
    ],
  );
});

test("large bodies and pauses over TLS, and a reset in the middle", async (t) => {
  const body = "0123456789abcdef".repeat(50_000);
  const upstream = await startUpstream(t, {
    isTls: true,
    async script(wire, index) {
      const request = await wire.request();
      assert.ok(request.endsWith(body));
      wire.send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      if (index > 0) {
        wire.send(body.slice(0, 1_000));
        await settle();
        wire.socket.destroy();
      } else {
        wire.send(body);
        await wire.request();
        wire.send(answer);
      }
    },
  });
  await trusting(localhostTestCertificate, async () => {
    const client = openClient(t, own as NonNullable<typeof own>, upstream.origin);
    const first = post(client, body);
    const take = first.onResponseData.bind(first);
    first.onResponseData = (controller, chunk) => {
      take(controller, chunk);
      controller.pause();
      setImmediate(() => controller.resume());
    };
    const seen = await first.over;
    assert.equal(seen.body === body, true);
    const [again, cut] = await Promise.all([post(client, body).over, post(client, body).over]);
    assert.deepEqual([again.ending, cut.ending].sort(), ["end", "network"]);
  });
});
