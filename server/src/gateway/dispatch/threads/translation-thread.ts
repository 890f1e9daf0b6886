/** A translation thread: does the jobs of its messages in the order in which they come. */
import { parentPort } from "node:worker_threads";
import { type FromThread, ownBytes, type ToThread } from "./messages.ts";
import { Translator } from "./translator.ts";

if (parentPort === null) throw new Error("translation-thread.ts runs as a worker thread only");
const port = parentPort;
const translator = new Translator();

/** Sends an answer. Its bytes move: they are not copied. */
function reply(message: FromThread): void {
  const gives = ("gives" in message ? message.gives : undefined) as
    | { readonly body?: Uint8Array; readonly bytes?: Uint8Array }
    | undefined;
  const name = gives?.body instanceof Uint8Array ? "body" : "bytes";
  const bytes = gives?.[name];
  if (bytes instanceof Uint8Array) {
    const own = ownBytes(bytes);
    port.postMessage({ ...message, gives: { ...gives, [name]: own } }, [own.buffer]);
  } else {
    port.postMessage(message);
  }
}

let last: Promise<void> = Promise.resolve();

port.on("message", (message: ToThread) => {
  last = last.then(async () => {
    const answer = await translator.take(message);
    if (answer !== undefined) reply(answer);
  });
});
