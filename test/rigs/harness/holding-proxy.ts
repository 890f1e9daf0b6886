/**
 * A TCP proxy that treats a stream's bytes as careless relays do: holds each piece for a while, gathers pieces, or waits for
 * acknowledgements as Nagle's algorithm does against delayed ones. For proving that a rig of latency can fail. It knows no protocol.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { monotonicMs } from "./clock.ts";

/** Ways to be careless. Milliseconds are those of relays that were measured (a flush interval, a delayed acknowledgement). */
export const carelessWays = {
  /** Everything comes later by this much. */
  hold: 20,
  /** What comes within this time leaves together at its end. */
  coalesce: 100,
  /** What comes so soon after a piece that was sent waits until that one is acknowledged. */
  nagle: 40,
} as const;

export type CarelessWay = keyof typeof carelessWays;

export const isCarelessWay = (word: string): word is CarelessWay => Object.hasOwn(carelessWays, word);

export interface HoldingProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** When a piece leaves that came now. Times in milliseconds. */
export function leavesAt(way: CarelessWay, nowMs: number, lastLeftMs: number): number {
  const ms = carelessWays[way];
  if (way === "hold") return Math.max(lastLeftMs, nowMs + ms);
  if (way === "coalesce") return lastLeftMs > nowMs ? lastLeftMs : nowMs + ms;
  // Gathered with what waits already, or held until the piece before it is acknowledged.
  if (lastLeftMs > nowMs) return lastLeftMs;
  return nowMs - lastLeftMs < ms ? lastLeftMs + ms : nowMs;
}

/** Listens on a free port of 127.0.0.1 in front of `serverPort`. Only what the server sends is held. */
export async function startHoldingProxy(serverPort: number, way: CarelessWay): Promise<HoldingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(serverPort, "127.0.0.1");
    let leftMs = Number.NEGATIVE_INFINITY;
    const waiting: { readonly atMs: number; readonly action: () => void }[] = [];
    const release = (): void => {
      for (let next = waiting[0]; next !== undefined && next.atMs <= monotonicMs(); next = waiting[0]) {
        waiting.shift();
        next.action();
      }
      // In their order, however the timers round.
      const [next] = waiting;
      if (next !== undefined) setTimeout(release, Math.max(1, next.atMs - monotonicMs()));
    };
    const later = (action: () => void): void => {
      leftMs = leavesAt(way, monotonicMs(), leftMs);
      waiting.push({ atMs: leftMs, action });
      if (waiting.length === 1) release();
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
        // What the server sent last may still be held.
        if (socket === far) later(() => near.destroySoon());
        else other.destroy();
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
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
