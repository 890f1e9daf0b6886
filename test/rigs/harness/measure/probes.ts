/**
 * Probes like an orchestrator's: requests one path repeatedly, each time on a new connection, from a thread
 * that does not wait for the rig.
 */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { get } from "../http-client.ts";
import { monotonicMs, pause } from "./clock.ts";

export interface Probed {
  readonly path: string;
  /** Duration of each probe, from connecting to the end of the response. */
  readonly tookMs: readonly number[];
  /** Responses other than 200. */
  readonly failures: readonly string[];
}

export interface Probes {
  stop(): Promise<Probed>;
}

const everyMs = 20;

/** Starts the thread. */
export function startProbes(port: number, path: string): Probes {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, path } });
  return {
    async stop() {
      worker.postMessage("stop");
      const [probed] = (await once(worker, "message")) as [Probed];
      await worker.terminate();
      return probed;
    },
  };
}

async function probe(port: number, path: string): Promise<void> {
  const tookMs: number[] = [];
  const failures: string[] = [];
  let isOver = false;
  parentPort?.once("message", () => {
    isOver = true;
  });
  while (!isOver) {
    const startedAt = monotonicMs();
    const answer = await get(`http://127.0.0.1:${port}${path}`).catch((error: Error) => ({
      status: 0,
      text: error.message,
    }));
    tookMs.push(monotonicMs() - startedAt);
    if (answer.status !== 200) failures.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    await pause(everyMs);
  }
  parentPort?.postMessage({ path, tookMs, failures } satisfies Probed);
}

if (!isMainThread) {
  const { port, path } = workerData as { port: number; path: string };
  await probe(port, path);
}
