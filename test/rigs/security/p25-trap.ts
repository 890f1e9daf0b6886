/**
 * P25's trap: listens on several addresses of this machine on one port and counts connections. It answers, so
 * that a fetch that reached it would succeed.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { eventually } from "../harness/measure/clock.ts";

export interface Trap {
  readonly port: number;
  /** The addresses on which it could listen. */
  readonly addresses: readonly string[];
  connections(): number;
  /** The first bytes of each connection that sent any, for the list of misses. */
  heard(): readonly string[];
  /** Connects to each address; returns those whose connection was not counted. Resets the count to 0. */
  prove(): Promise<string[]>;
  stop(): Promise<void>;
}

const wanted = ["127.0.0.1", "127.0.0.2", "127.9.9.9", "::1"];

interface Counter {
  connections: number;
  readonly heard: string[];
}

async function listen(counter: Counter, port: number, address: string): Promise<Server | undefined> {
  const server = createServer((req, res) => {
    counter.heard.push(`${req.method} ${req.url} for ${req.headers.host}`);
    res.writeHead(200, { "content-type": "image/png" }).end("trapped");
  });
  server.on("connection", () => counter.connections++);
  server.on("connect", (_req, socket) => socket.destroy());
  server.listen(port, address);
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}

function touch(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.end();
      resolve();
    });
    socket.once("error", reject);
  });
}

/** Listens on one free port of every available wanted address; the first must be available. */
export async function startTrap(): Promise<Trap> {
  const counter: Counter = { connections: 0, heard: [] };
  const servers: Server[] = [];
  const addresses: string[] = [];
  let port = 0;
  for (const address of wanted) {
    const server = await listen(counter, port, address);
    if (server === undefined) continue;
    servers.push(server);
    addresses.push(address);
    port = (server.address() as AddressInfo).port;
  }
  return {
    port,
    addresses,
    connections: () => counter.connections,
    heard: () => counter.heard,
    async prove() {
      const missed: string[] = [];
      for (const address of addresses) {
        counter.connections = 0;
        await touch(port, address);
        if (!(await eventually(() => counter.connections === 1, 2_000, 5)))
          missed.push(`${address}: not counted`);
      }
      counter.connections = 0;
      return missed;
    },
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
