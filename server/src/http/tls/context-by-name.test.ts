/** Several certificates by name, with real clients: the settings, the choice, and a change of one of them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import {
  localhostTestCertificate,
  localhostTestKey,
  mediaTestCertificate,
  mediaTestKey,
} from "../../lib/net/testing/certificate.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { Connections } from "../listener/connections.ts";
import { createHttpServer } from "../listener/server.ts";
import { checkCertificates, filesOfEach } from "./certificate.ts";
import { SecureServer } from "./secure-server.ts";
import { openCertificates } from "./served-certificate.ts";

/** A server with the certificates of localhost and media.test, in this order; `look` rereads the files. */
async function setUp(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "plaza-names-"));
  const at = (name: string): string => join(folder, name);
  const write = (name: string, chain: string, key: string): void => {
    writeFileSync(at(`${name}.crt`), chain);
    writeFileSync(at(`${name}.key`), key);
  };
  write("one", localhostTestCertificate, localhostTestKey);
  write("two", mediaTestCertificate, mediaTestKey);
  const files = {
    tlsCert: `${at("one.crt")}, ${at("two.crt")}`,
    tlsKey: `${at("one.key")}, ${at("two.key")}`,
  };
  const log = createLog({ level: "silent", clock: systemClock, write() {} });
  const schedule = { every: () => () => {}, overdueMs: () => 0 };
  const registry = createRegistry();
  const opened = await openCertificates({ files, clock: systemClock, log, schedule, registry });
  assert.ok(opened !== undefined);
  const { certificates } = opened;
  const connections = new Connections(systemClock);
  const options = {
    settings: { headersTimeoutMs: 5_000, keepAliveTimeoutMs: 5_000, connectionsMax: 100, corsOrigins: "" },
    connections,
    newRequestId: () => "req_1",
    route: () => {},
    clock: systemClock,
  };
  const server = new SecureServer({ ...options, inner: createHttpServer(options), certificates });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: TLSSocket[] = [];
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return {
    write,
    look: () => Promise.all(certificates.map((one) => one.look())),
    /** The name in the certificate that a client gets which asks for `servername`; "" = for none. */
    async subjectFor(servername: string): Promise<string> {
      const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
      sockets.push(socket);
      await once(socket, "secureConnect");
      return String(socket.getPeerCertificate().subject.CN);
    },
  };
}

test("each name gets its certificate; another name, and none, the first", async (context) => {
  const { subjectFor } = await setUp(context);
  for (const [asked, subject] of [
    ["localhost", "localhost"],
    ["media.test", "media.test"],
    ["MEDIA.test", "media.test"],
    ["sub.media.test", "localhost"],
    ["unknown.example", "localhost"],
    ["", "localhost"],
  ] as const)
    assert.equal(await subjectFor(asked), subject, asked);
});

test("a changed certificate is used for its own names", async (context) => {
  const { write, look, subjectFor } = await setUp(context);
  write("two", localhostTestCertificate, localhostTestKey);
  await look();
  assert.equal(await subjectFor("media.test"), "localhost");
  write("one", mediaTestCertificate, mediaTestKey);
  await look();
  assert.equal(await subjectFor("localhost"), "localhost", "now the second");
  assert.equal(await subjectFor("unknown.example"), "media.test", "the first, as it is now");
});

test("lists are read pair by pair, and must be of one length", async () => {
  assert.deepEqual(filesOfEach({ tlsCert: "a.crt , b.crt", tlsKey: "a.key,b.key" }), [
    { tlsCert: "a.crt", tlsKey: "a.key" },
    { tlsCert: "b.crt", tlsKey: "b.key" },
  ]);
  for (const tlsKey of ["a.key", "a.key,b.key,c.key"])
    assert.throws(() => filesOfEach({ tlsCert: "a.crt,b.crt", tlsKey }), {
      message: `tlsKey: enter as many files as in tlsCert, in the same order (2 in tlsCert, ${tlsKey.split(",").length} in tlsKey)`,
    });
  const missing = checkCertificates({ tlsCert: "none.crt,", tlsKey: "none.key," });
  await assert.rejects(missing, { message: 'tlsCert: the file "none.crt" does not exist' });
});
