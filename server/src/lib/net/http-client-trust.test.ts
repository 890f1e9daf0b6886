/**
 * What the client must not do with a call that carries a credential: follow a redirect, or connect to another
 * host.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type AnswerHandler, createHttpClient, type HttpClient } from "./http-client.ts";
import { mediaTestCertificate, mediaTestKey } from "./testing/certificate.ts";

const closing: (() => unknown)[] = [];
after(() => Promise.all(closing.map((close) => close())));

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function client(origin: string): HttpClient {
  const made = createHttpClient(origin, 5_000);
  closing.push(() => made.close());
  return made;
}

/** The status of the answer, or the error code. */
function call(made: HttpClient, headers: readonly string[] = []): Promise<number | string> {
  return new Promise((resolve) => {
    let status = 0;
    const handler: AnswerHandler = {
      onRequestStart() {},
      onResponseStart(_controller, seen) {
        status = seen;
      },
      onResponseData() {},
      onResponseEnd: () => resolve(status),
      onResponseError: (_controller, error) =>
        resolve((error as NodeJS.ErrnoException).code ?? error.message),
    };
    made.post(
      { path: "/v1/chat", headers: ["authorization", "Bearer sk-up", ...headers], body: Buffer.from("{}") },
      handler,
    );
  });
}

test("a redirect is an answer like any other: nobody goes where it points", async () => {
  let trapConnections = 0;
  const trap = createServer((_req, res) => res.end());
  trap.on("connection", () => trapConnections++);
  const trapPort = await listen(trap);
  let calls = 0;
  const upstreamPort = await listen(
    createServer((req, res) => {
      calls++;
      const host = `127.0.0.1:${trapPort}`;
      res.writeHead(Number(req.headers["x-status"]), {
        location: req.headers["x-location"] === "relative" ? `//${host}/` : `http://${host}/`,
        refresh: `0; url=http://${host}/`,
        link: `<http://${host}/>; rel=preconnect`,
        "alt-svc": `h2="${host}"`,
      });
      res.end();
    }),
  );
  const made = client(`http://127.0.0.1:${upstreamPort}`);
  for (const status of [200, 300, 301, 302, 303, 304, 305, 307, 308]) {
    for (const location of ["absolute", "relative"]) {
      assert.equal(await call(made, ["x-status", String(status), "x-location", location]), status);
    }
  }
  assert.equal(calls, 18);
  assert.equal(trapConnections, 0);
  assert.equal(await call(client(`http://127.0.0.1:${trapPort}`)), 200);
  assert.equal(trapConnections, 1, "the trap counts");
});

test("no byte of a call reaches a server whose certificate is not for the name, or not trusted", async () => {
  let calls = 0;
  const options = { cert: mediaTestCertificate, key: mediaTestKey };
  const server = createTlsServer(options, (_req, res) => {
    calls++;
    res.end();
  });
  const port = await listen(server as unknown as Server);
  assert.equal(await call(client(`https://127.0.0.1:${port}`)), "DEPTH_ZERO_SELF_SIGNED_CERT");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, mediaTestCertificate]);
  try {
    assert.equal(await call(client(`https://127.0.0.1:${port}`)), "ERR_TLS_CERT_ALTNAME_INVALID");
  } finally {
    setDefaultCACertificates(trusted);
  }
  assert.equal(calls, 0);
});
