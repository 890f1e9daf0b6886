/**
 * Measures another process's stalls from outside: a thread polls `/healthz` over one kept connection and
 * reports response times. As a thread it does not wait for the rig.
 */
import { connect, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { monotonicMs, pause } from "./clock.ts";

/** One answered ping: when it was sent and how long the answer took. Milliseconds. */
export interface Ping {
  readonly at: number;
  readonly tookMs: number;
}

export interface Pinger {
  /** The longest wait among pings that overlap the time since `from`. */
  longestSince(from: number): Promise<number>;
  stop(): Promise<void>;
}

const everyMs = 4;
const keptMax = 100_000;

/** Starts the thread. */
export function startPinger(port: number): Pinger {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port } });
  let next = 0;
  const waiting = new Map<number, (longest: number) => void>();
  worker.on("message", ({ id, longest }: { id: number; longest: number }) => {
    waiting.get(id)?.(longest);
    waiting.delete(id);
  });
  return {
    longestSince: (from) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        worker.postMessage({ id, from });
      }),
    async stop() {
      await worker.terminate();
    },
  };
}

async function ping(socket: Socket): Promise<Ping> {
  const at = monotonicMs();
  await new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.write("GET /healthz HTTP/1.1\r\nHost: plaza\r\n\r\n");
  });
  return { at, tookMs: monotonicMs() - at };
}

async function serve(port: number): Promise<void> {
  const pings: Ping[] = [];
  let current = monotonicMs();
  parentPort?.on("message", ({ id, from }: { id: number; from: number }) => {
    const done = pings.filter((one) => one.at + one.tookMs >= from).map((one) => one.tookMs);
    const open = monotonicMs() - current;
    parentPort?.postMessage({ id, longest: Math.max(0, open, ...done) });
  });
  for (;;) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => {});
    const closed = new Promise<"closed">((resolve) => socket.once("close", () => resolve("closed")));
    for (;;) {
      current = monotonicMs();
      const one = await Promise.race([ping(socket), closed]);
      if (one === "closed") break;
      pings.push(one);
      if (pings.length > keptMax) pings.splice(0, keptMax / 2);
      await pause(everyMs);
      current = monotonicMs();
    }
    await pause(50);
  }
}

if (!isMainThread) await serve((workerData as { port: number }).port);
