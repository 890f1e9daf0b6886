/**
 * The storage thread: the store's core behind messages. All database work, including building queries,
 * happens here and never on the event loop that serves callers.
 */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../lib/time/clock.ts";
import type { StoreCore } from "../core.ts";
import { StoreError } from "../error.ts";
import { openCore } from "../open-core.ts";
import type { CallMessage, ErrorMessage, ReplyMessage, ThreadSettings } from "./messages.ts";
import { collectGarbage, createQuietCollection } from "./quiet-collection.ts";

if (parentPort === null) throw new Error("store-thread.ts runs as a worker thread only");
const port = parentPort;

function toMessage(thrown: unknown): ErrorMessage {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return {
    name: error.name,
    message: error.message,
    code: error instanceof StoreError ? error.code : undefined,
    messageRef: error instanceof StoreError ? error.messageRef : undefined,
  };
}

const reply = (message: ReplyMessage): void => port.postMessage(message);

const { collectEveryMs, ...settings } = workerData as ThreadSettings;

function serve(core: StoreCore): void {
  const quiet = createQuietCollection(systemClock, () => void collectGarbage(), collectEveryMs);
  port.on("message", ([id, method, args]: CallMessage) => {
    quiet.begin();
    const call = core[method] as (...args: readonly unknown[]) => Promise<unknown>;
    call(...args)
      .then(
        (value) => reply([id, value]),
        (error) => reply([id, undefined, toMessage(error)]),
      )
      .finally(() => {
        if (method === "close") port.close();
        else quiet.end();
      });
  });
}

try {
  serve(await openCore(settings, systemClock));
  reply([0, undefined]);
} catch (error) {
  reply([0, undefined, toMessage(error)]);
}
