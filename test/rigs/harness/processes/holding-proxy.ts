/**
 * A TCP proxy that delays what the server sends: as a long route does, or a careless relay (delaying each
 * piece, collecting pieces, or waiting for acknowledgements as in Nagle's algorithm). All bytes arrive in
 * order, and so does the end. Knows no protocol.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { monotonicMs } from "../measure/clock.ts";

/**
 * When a piece leaves that came at `nowMs`, the one before it having left, or being about to
 * leave, at `lastLeftMs`. Milliseconds.
 */
export type LeavesAt = (nowMs: number, lastLeftMs: number) => number;

/** Everything comes later by what `delayMs` says when it comes, and never before what came earlier. */
export const laterBy =
  (delayMs: () => number): LeavesAt =>
  (nowMs, lastLeftMs) =>
    Math.max(lastLeftMs, nowMs + delayMs());

/**
 * Ways to be careless. Milliseconds are those of relays that were measured (a flush
 * interval, a delayed acknowledgement).
 */
export const carelessWays = {
  /** Everything comes later by this much. */
  hold: laterBy(() => 20),
  /** What comes within this time leaves together at its end. */
  coalesce: (nowMs, lastLeftMs) => (lastLeftMs > nowMs ? lastLeftMs : nowMs + 100),
  /**
   * What comes so soon after a piece that was sent waits until that one is
   * acknowledged, with what waits already.
   */
  nagle(nowMs, lastLeftMs) {
    if (lastLeftMs > nowMs) return lastLeftMs;
    return nowMs - lastLeftMs < 40 ? lastLeftMs + 40 : nowMs;
  },
} as const satisfies Record<string, LeavesAt>;

export type CarelessWay = keyof typeof carelessWays;

export const isCarelessWay = (word: string): word is CarelessWay => Object.hasOwn(carelessWays, word);

export interface HoldingProxy {
  readonly port: number;
  /** Ends every connection; what is held is never sent. */
  stop(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 in front of `serverPort`. Only what the server sends is held. */
export async function startHoldingProxy(serverPort: number, leavesAt: LeavesAt): Promise<HoldingProxy> {
  const sockets = new Set<Socket>();
  // Either side may say that it has nothing more to send and still be sent to.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: serverPort, host: "127.0.0.1", allowHalfOpen: true });
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
    // What the server sent last may still be held.
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

/**
 * Does things at their time, in the order in which they were given, however
 * timers round; nothing more once `isOver`.
 */
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
