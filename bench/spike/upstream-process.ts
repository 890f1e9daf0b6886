/**
 * The upstreams of the spike's measurement in one process: the benchmark's own, the same behind TLS, and one
 * with answers of 100 KB. Prints `ports PLAIN TLS LARGE`.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { mediaTestCertificate, mediaTestKey } from "../../server/src/lib/net/testing/certificate.ts";
import { jsonReply } from "../replies.ts";
import { createUpstream } from "../upstream.ts";

const largeBytes = 102_400;

/** Answers every request, whose head and body come in one read, with the same bytes. */
function createLargeUpstream(): Server {
  const reply = jsonReply("200 OK", JSON.stringify("x".repeat(largeBytes - 2)));
  let json = 0;
  return createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (bytes.toString("latin1", 0, 11) === "GET /count ") {
        const count = { json, streamsStarted: 0, streamsFinished: 0, contentChunks: 0 };
        socket.write(jsonReply("200 OK", JSON.stringify(count)));
        return;
      }
      json++;
      socket.write(reply);
    });
  });
}

const plain = createUpstream();
const tls = createTlsServer({ cert: mediaTestCertificate, key: mediaTestKey }, (socket: Socket) => {
  plain.emit("connection", socket);
});
const servers = [plain, tls, createLargeUpstream()];
const ports: number[] = [];
for (const server of servers) {
  await new Promise<void>((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, resolve);
  });
  const address = server.address();
  if (address !== null && typeof address === "object") ports.push(address.port);
}
console.log(`ports ${ports.join(" ")}`);
