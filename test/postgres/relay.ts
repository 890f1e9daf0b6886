/**
 * A TCP relay in front of a server that can fall silent, as a host does whose packets are dropped:
 * connections stay open, new ones are taken, and no byte passes until it is heard again.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  /** Connections made so far, silent ones included. */
  connections(): number;
  fallSilent(): void;
  /** What was held back is delivered, and connections made meanwhile lead to the server. */
  speak(): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 in front of `serverPort`. */
export async function startRelay(serverPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let made = 0;
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on("error", () => {});
    from.on("data", (bytes) => to.write(bytes));
    from.once("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isSilent) from.pause();
  };
  const server = createServer((near) => {
    made += 1;
    const far = connect(serverPort, "127.0.0.1");
    join(near, far);
    join(far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => made,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
