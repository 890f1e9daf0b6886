/**
 * Starts storage threads. Imports nothing of the store, so that a process can start a thread before it loads
 * what it serves with.
 */
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { type DatabaseTarget, endMessage } from "./messages.ts";

/** Where storage threads come from, and what becomes of those whose store is closed. */
export interface StorageThreads {
  /** A thread that has no database open. */
  take(): Worker;
  /** Takes back a thread whose database was closed. */
  give(worker: Worker): Promise<void>;
}

/**
 * Starts a thread. It loads its code at once, that of a kind of database too if one is named, and opens a
 * database when asked to.
 */
export function startThread(kind?: DatabaseTarget["kind"]): Worker {
  // The flag of `serve` is for the thread that serves; while it is set, V8 ignores the limit below.
  setFlagsFromString("--max-semi-space-size=0");
  return new Worker(new URL("./store-thread.ts", import.meta.url), {
    name: "store",
    workerData: kind,
    // A batch's rows are short-lived; the default young generation of 16 MB or more only makes the process
    // larger.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
}

/** A thread that was told to end and goes on for so long is ended. */
const endMsMax = 1_000;

/** A new thread for each store, which ends with it. */
export const newThreads: StorageThreads = {
  take: () => startThread(),
  async give(worker) {
    const exited = once(worker, "exit");
    worker.postMessage(endMessage);
    // A file may be on its way to a distant archive. The database is closed, so nothing is lost.
    const timer = setTimeout(() => void worker.terminate(), endMsMax);
    await exited;
    clearTimeout(timer);
  },
};

/**
 * Starts a thread now for the first store that is opened. It loads its code beside the caller, who loads its
 * own: on two cores a start takes a quarter less. Later stores get new threads.
 */
export function threadAhead(kind: DatabaseTarget["kind"], start = startThread): StorageThreads {
  let ahead: Worker | undefined = start(kind);
  // A thread that ends before it is taken is replaced by a new one, which fails in the sight of its taker.
  const forget = () => {
    ahead = undefined;
  };
  ahead.on("error", forget).on("exit", forget);
  return {
    ...newThreads,
    take() {
      const worker = ahead ?? start(kind);
      worker.off("error", forget).off("exit", forget);
      ahead = undefined;
      return worker;
    },
  };
}
