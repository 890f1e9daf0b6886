import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { bindSharedSockets } from "./shared-sockets.ts";

const anyPort = { host: "localhost", port: 0 };

/** Accepts on a socket like a worker. Resolves with its port. */
async function accept(socket: unknown) {
  const server = createServer((caller) => caller.end("hello"));
  server.listen(socket);
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** Connects and returns the text received or the error code. */
function call(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (bytes) => resolve(String(bytes)));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
  });
}

test("a bound socket takes no connection until somebody listens on it, and keeps its port when it is bound anew", async () => {
  const sockets = await bindSharedSockets([{ host: "127.0.0.1", port: 0 }]);
  const [first] = sockets.open();
  assert.equal(sockets.open()[0], first, "it stays the same while it is open");
  const bound: { port?: number } = {};
  first?.getsockname(bound);
  assert.equal(await call(bound.port ?? 0), "ECONNREFUSED");
  sockets.close();
  sockets.close();
  const { server, port } = await accept(sockets.open()[0]);
  assert.equal(port, bound.port);
  assert.equal(await call(port), "hello");
  server.close();
});

test("an address in use, and an address of no other machine, are told as `listen` tells them", async () => {
  const { server, port } = await accept((await bindSharedSockets([anyPort])).open()[0]);
  const { address } = server.address() as AddressInfo;
  await assert.rejects(bindSharedSockets([anyPort, { host: "localhost", port }]), {
    code: "EADDRINUSE",
    syscall: "listen",
    address,
    port,
  });
  await assert.rejects(bindSharedSockets([{ host: "192.0.2.1", port: 0 }]), { code: "EADDRNOTAVAIL" });
  await assert.rejects(bindSharedSockets([{ host: "nobody.invalid", port: 0 }]), /nobody\.invalid/);
  server.close();
});
