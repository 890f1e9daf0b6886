/**
 * The storage thread: the store's core behind messages. All database work, including building queries,
 * happens here and never on the event loop that serves callers.
 */
import { parentPort, workerData } from "node:worker_threads";
import { createQuietCollection } from "../../lib/quiet-collection.ts";
import { systemClock } from "../../lib/time/clock.ts";
import type { StoreCore } from "../core.ts";
import { StoreError } from "../error.ts";
import { loadCore, openCore } from "../open-core.ts";
import {
  type CallMessage,
  type DatabaseTarget,
  type ErrorMessage,
  endMessage,
  type OpenMessage,
  type ReplyMessage,
  type ThreadSettings,
} from "./messages.ts";

if (parentPort === null) throw new Error("store-thread.ts runs as a worker thread only");
const port = parentPort;

// A failure is reported when the database is opened.
const kind = workerData as DatabaseTarget["kind"] | undefined;
if (kind !== undefined) loadCore(kind).catch(() => {});

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

type Serve = (message: CallMessage) => void;

/** Calls methods of the core and sends what they return. */
function serving(core: StoreCore, collection: ThreadSettings["collection"]): Serve {
  const quiet = createQuietCollection({ clock: systemClock, ...collection });
  return ([id, method, args]) => {
    quiet.begin();
    const call = core[method] as (...args: readonly unknown[]) => Promise<unknown>;
    call(...args)
      .then(
        (value) => reply([id, value]),
        (error) => reply([id, undefined, toMessage(error)]),
      )
      .finally(() => quiet.end());
  };
}

let serve: Serve | undefined;

async function open({ collection, ...settings }: ThreadSettings): Promise<void> {
  try {
    serve = serving(await openCore(settings, systemClock), collection);
    reply([0, undefined]);
  } catch (error) {
    reply([0, undefined, toMessage(error)]);
  }
}

port.on("message", (message: CallMessage | OpenMessage | typeof endMessage) => {
  if (message === endMessage) port.close();
  else if ("open" in message) void open(message.open);
  else serve?.(message);
});
