/**
 * The caller's side of the storage thread: a StoreCore whose methods send messages. Loads no SQL code into
 * this thread.
 */
import { Worker } from "node:worker_threads";
import type { StoreCore } from "../core.ts";
import { coreMethods } from "../create-store.ts";
import { StoreError, storeErrorOf } from "../error.ts";
import type { CallMessage, ErrorMessage, ReplyMessage, ThreadSettings } from "./messages.ts";

const pendingCallsMax = 10_000;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function toError({ name, message, code, messageRef }: ErrorMessage): Error {
  if (code !== undefined) return storeErrorOf(code, message, messageRef);
  const error = new Error(message);
  error.name = name;
  return error;
}

/**
 * Starts the thread and resolves when it has opened the database; rejects with the thread's StoreError when
 * it could not. When the thread dies, all pending and later calls reject with StoreError `thread_stopped`.
 */
export async function startStoreThread(
  settings: ThreadSettings,
  onWorker?: (worker: Worker) => void,
): Promise<StoreCore> {
  const worker = new Worker(new URL("./store-thread.ts", import.meta.url), {
    name: "store",
    workerData: settings,
    // A batch's rows are short-lived; the default young generation of 16 MB or more only makes the process
    // larger.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  onWorker?.(worker);
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let stopped: StoreError | undefined;
  let isClosed = false;

  function stop(reason: string): void {
    stopped ??= isClosed
      ? new StoreError("closed", "the store is closed")
      : new StoreError("thread_stopped", `the storage thread stopped (${reason}): restart Plaza`);
    for (const { reject } of pending.values()) reject(stopped);
    pending.clear();
  }
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", (exitCode) => {
      stop(`exit code ${exitCode}`);
      resolve();
    });
  });
  worker.once("error", (error) => stop(error instanceof Error ? error.message : String(error)));
  worker.on("message", ([id, value, error]: ReplyMessage) => {
    const call = pending.get(id);
    if (call === undefined) return;
    pending.delete(id);
    if (error === undefined) call.resolve(value);
    else call.reject(toError(error));
  });

  function call(method: keyof StoreCore, args: readonly unknown[]): Promise<unknown> {
    if (stopped !== undefined) return Promise.reject(stopped);
    if (pending.size >= pendingCallsMax) {
      return Promise.reject(
        new StoreError(
          "queue_full",
          `the database is too slow: ${pendingCallsMax} calls wait for it already`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      const message: CallMessage = [id, method, args];
      worker.postMessage(message);
      pending.set(id, { resolve, reject });
    });
  }

  const isOpen = new Promise((resolve, reject) => pending.set(0, { resolve, reject }));
  try {
    await isOpen;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  const methods = coreMethods.map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return {
    ...(Object.fromEntries(methods) as unknown as StoreCore),
    async close() {
      const done = call("close", []);
      isClosed = true;
      // A dead thread has nothing to close.
      await done.catch((error) => {
        if (error !== stopped) throw error;
      });
      await exited;
    },
  };
}
