/** For tests of deadlines: a connection that is made while the process does nothing. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/**
 * A socket that is just connecting. Resolves in the part of a turn of the event loop in which sockets are
 * read; timers come after it, before the socket's `connect`. All is closed after the test.
 */
export async function arrivingConnection(context: TestContext): Promise<Socket> {
  const server = createServer().listen(0, "127.0.0.1");
  context.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const first = connect(port, "127.0.0.1");
  context.after(() => void first.destroy());
  await once(first, "connect");
  const arriving = connect(port, "127.0.0.1");
  context.after(() => void arriving.destroy());
  return arriving;
}

/** The process does nothing for this many milliseconds. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
