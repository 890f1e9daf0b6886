/**
 * The relay of this folder as a process: `relay-process.ts UPSTREAM_PORT [--tls] [--keys] [--inside WHAT]`
 * prints `port N`. `--keys`: only the benchmark's keys are let in. `--inside public|direct`: see
 * `RelayOptions`.
 */
import { parseArgs } from "node:util";
import { mediaTestCertificate } from "../../server/src/lib/net/testing/certificate.ts";
import { createRelay, listenBacklog } from "./relay.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tls: { type: "boolean", default: false },
    keys: { type: "boolean", default: false },
    inside: { type: "string" },
  },
});
const { server } = createRelay({
  origin: {
    host: "127.0.0.1",
    port: Number(positionals[0]),
    tls: values.tls ? { servername: "media.test", ca: mediaTestCertificate } : undefined,
  },
  inbound: { headMs: 10_000, bodyMs: 30_000, idleMs: 300_000, stalledMs: 60_000, lingerMs: 2_000 },
  outbound: { connectMs: 5_000, answerMs: 60_000, pieceMs: 60_000, idleMs: 30_000, ageMs: 600_000 },
  connectionsMax: 20_000,
  inside: values.inside === "direct" || values.inside === "public" ? values.inside : undefined,
  authorizations: values.keys
    ? new Set(Array.from({ length: 1_000 }, (_, index) => `Bearer sk-spike-${index}`))
    : undefined,
});
server.listen({ port: 0, host: "127.0.0.1", backlog: listenBacklog }, () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`port ${address.port}`);
});
process.on("SIGINT", () => process.exit(0));
