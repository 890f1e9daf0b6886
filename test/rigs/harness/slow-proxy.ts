/**
 * A TCP proxy that makes a way longer: what the server answers arrives later by a set time, in order. It knows no protocol.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { monotonicMs } from "./clock.ts";

export interface SlowProxy {
  readonly port: number;
  /** Milliseconds every round trip takes longer from now on. */
  setDelay(ms: number): void;
  stop(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 in front of `serverPort`. */
export async function startSlowProxy(serverPort: number): Promise<SlowProxy> {
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(serverPort, "127.0.0.1");
    let freeAt = 0;
    /** Later by the delay, and never before what came earlier. */
    const later = (action: () => void): void => {
      freeAt = Math.max(freeAt, monotonicMs() + delayMs);
      const waitMs = freeAt - monotonicMs();
      if (waitMs <= 0) action();
      else setTimeout(action, waitMs).unref();
    };
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => far.write(bytes));
    near.once("end", () => far.end());
    far.on("data", (bytes) => later(() => near.write(bytes)));
    far.once("end", () => later(() => near.end()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    setDelay(ms) {
      delayMs = ms;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
