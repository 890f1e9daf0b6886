/**
 * The caller's side of the storage thread: a StoreCore whose methods send messages. Loads no SQL code into
 * this thread.
 */
import type { StoreCore } from "../core.ts";
import { coreMethods } from "../create-store.ts";
import { StoreError, storeErrorOf } from "../error.ts";
import type { CallMessage, ErrorMessage, OpenMessage, ReplyMessage, ThreadSettings } from "./messages.ts";
import { newThreads, type StorageThreads } from "./start.ts";

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
 * Opens a database in a thread; rejects with the thread's StoreError when it could not be opened. When the
 * thread dies, all pending and later calls reject with StoreError `thread_stopped`.
 */
export async function openInThread(
  settings: ThreadSettings,
  threads: StorageThreads = newThreads,
): Promise<StoreCore> {
  const worker = threads.take();
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let stopped: StoreError | undefined;
  let isClosed = false;
  let hasExited = false;

  function stop(reason: string): void {
    stopped ??= isClosed
      ? new StoreError("closed", "the store is closed")
      : new StoreError("thread_stopped", `the storage thread stopped (${reason}): restart Plaza`);
    for (const { reject } of pending.values()) reject(stopped);
    pending.clear();
  }
  const onExit = (exitCode: number): void => {
    hasExited = true;
    stop(`exit code ${exitCode}`);
  };
  const onError = (error: unknown): void => stop(error instanceof Error ? error.message : String(error));
  const onMessage = ([id, value, error]: ReplyMessage): void => {
    const call = pending.get(id);
    if (call === undefined) return;
    pending.delete(id);
    if (error === undefined) call.resolve(value);
    else call.reject(toError(error));
  };
  worker.on("exit", onExit).on("error", onError).on("message", onMessage);

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

  const opening: OpenMessage = { open: settings };
  const isOpen = new Promise((resolve, reject) => pending.set(0, { resolve, reject }));
  worker.postMessage(opening);
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
      try {
        await done;
      } catch (error) {
        // A dead thread has nothing to close.
        if (error !== stopped) throw error;
      } finally {
        // What was under way is answered meanwhile.
        if (!hasExited) await threads.give(worker);
        stop("closed");
      }
    },
  };
}
