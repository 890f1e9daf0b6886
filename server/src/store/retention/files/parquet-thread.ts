/** The thread that writes one Parquet file: does what `parquet-writer.ts` asks, one message after another. */
import { parentPort } from "node:worker_threads";
import { createParquetFile, type ParquetFile } from "./parquet.ts";
import type { FromParquetThread, ToParquetThread } from "./parquet-writer.ts";

if (parentPort === null) throw new Error("parquet-thread.ts runs as a worker thread only");
const port = parentPort;
let file: ParquetFile | undefined;

async function answer(message: ToParquetThread): Promise<FromParquetThread> {
  if (message.kind === "begin") file = await createParquetFile(message.path, message.columns);
  else if (message.kind === "rows") await file?.add(message.rows);
  else return { kind: "written", written: await file?.finish() };
  return { kind: "next" };
}

let last: Promise<void> = Promise.resolve();

port.on("message", (message: ToParquetThread) => {
  last = last.then(async () => {
    const reply = await answer(message).catch((error: unknown): FromParquetThread => {
      return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
    });
    if (reply.kind !== "next") await file?.close().catch(() => {});
    port.postMessage(reply);
  });
});
