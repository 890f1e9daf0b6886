/**
 * A TCP proxy that delays what the server sends, like a long route or a careless relay (delaying each chunk,
 * collecting chunks, or waiting for acknowledgements as in Nagle's algorithm). All bytes arrive in order,
 * followed by the end.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { monotonicMs } from "../measure/clock.ts";

/**
 * When to forward a chunk that arrived at `nowMs`, given when the previous one was or will be forwarded
 * (`lastLeftMs`). Milliseconds.
 */
export type LeavesAt = (nowMs: number, lastLeftMs: number) => number;

/** Delays each chunk by the value of `delayMs` at its arrival, and keeps the order. */
export const laterBy =
  (delayMs: () => number): LeavesAt =>
  (nowMs, lastLeftMs) =>
    Math.max(lastLeftMs, nowMs + delayMs());

/**
 * Kinds of careless relays. The milliseconds are those of measured relays (a flush interval, a delayed
 * acknowledgement).
 */
export const carelessWays = {
  /** Delays all chunks by this much. */
  hold: laterBy(() => 20),
  /** Collects the chunks of this interval and forwards them together at its end. */
  coalesce: (nowMs, lastLeftMs) => (lastLeftMs > nowMs ? lastLeftMs : nowMs + 100),
  /** A chunk that closely follows a sent one waits, with others, until that one is acknowledged. */
  nagle(nowMs, lastLeftMs) {
    if (lastLeftMs > nowMs) return lastLeftMs;
    return nowMs - lastLeftMs < 40 ? lastLeftMs + 40 : nowMs;
  },
} as const satisfies Record<string, LeavesAt>;

export type CarelessWay = keyof typeof carelessWays;

export const isCarelessWay = (word: string): word is CarelessWay => Object.hasOwn(carelessWays, word);

export interface HoldingProxy {
  readonly port: number;
  /** Ends every connection; delayed bytes are dropped. */
  stop(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 in front of `serverPort`. Delays only the server's bytes. */
export async function startHoldingProxy(
  serverPort: number,
  leavesAt: LeavesAt,
  serverHost = "127.0.0.1",
): Promise<HoldingProxy> {
  const sockets = new Set<Socket>();
  // Either side may half-close its connection and still receive.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: serverPort, host: serverHost, allowHalfOpen: true });
    const later = inOrder(leavesAt, () => near.destroyed);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    }
    near.on("data", (bytes) => far.write(bytes));
    near.once("end", () => far.end());
    near.once("close", () => far.destroy());
    far.on("data", (bytes) => later(() => near.write(bytes)));
    far.once("end", () => later(() => near.end()));
    // The server's last bytes may still be delayed.
    far.once("close", () => later(() => near.destroySoon()));
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

/** Runs actions at their times and in the given order, although timers round; stops once `isOver`. */
function inOrder(leavesAt: LeavesAt, isOver: () => boolean): (action: () => void) => void {
  const waiting: { readonly atMs: number; readonly action: () => void }[] = [];
  let leftMs = Number.NEGATIVE_INFINITY;
  const release = (): void => {
    if (isOver()) waiting.length = 0;
    for (let next = waiting[0]; next !== undefined && next.atMs <= monotonicMs(); next = waiting[0]) {
      waiting.shift();
      next.action();
    }
    const [next] = waiting;
    if (next !== undefined) setTimeout(release, Math.max(1, next.atMs - monotonicMs())).unref();
  };
  return (action) => {
    leftMs = leavesAt(monotonicMs(), leftMs);
    waiting.push({ atMs: leftMs, action });
    if (waiting.length === 1) release();
  };
}
