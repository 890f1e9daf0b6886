/**
 * Writes a table as Parquet in a thread of its own: encoding a thousand rows takes longer than a settlement
 * may wait for the storage thread. The thread and the libraries it loads end with the file.
 */
import { Worker } from "node:worker_threads";
import type { ArchiveColumn, ArchiveRow, ArchiveTable, WrittenRows } from "./table.ts";

export type ToParquetThread =
  | { readonly kind: "begin"; readonly path: string; readonly columns: readonly ArchiveColumn[] }
  | { readonly kind: "rows"; readonly rows: readonly ArchiveRow[] }
  | { readonly kind: "end" };

/** The answer to each message. */
export type FromParquetThread =
  | { readonly kind: "next" }
  | { readonly kind: "written"; readonly written: WrittenRows | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/** Most megabytes of the thread's heap: several times what a row group takes. */
const heapMegabytesMax = 1_024;

/** Asks the thread one thing after another; a question rejects when it failed, or the thread ended. */
function createAsk(thread: Worker): (message: ToParquetThread) => Promise<WrittenRows | undefined> {
  let reason = "it was stopped";
  thread.on("error", (error) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  const ended = new Promise<FromParquetThread>((resolve) => {
    thread.once("exit", () => resolve({ kind: "failed", reason: `its thread ended: ${reason}` }));
  });
  return async (message) => {
    const answered = new Promise<FromParquetThread>((resolve) => void thread.once("message", resolve));
    thread.postMessage(message);
    const answer = await Promise.race([answered, ended]);
    if (answer.kind === "failed") throw new Error(answer.reason);
    return answer.kind === "written" ? answer.written : undefined;
  };
}

/** See `WriteTable`. */
export async function writeParquet(path: string, { columns, pages }: ArchiveTable): Promise<WrittenRows> {
  const thread = new Worker(new URL("./parquet-thread.ts", import.meta.url), {
    name: "parquet",
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  const ask = createAsk(thread);
  try {
    await ask({ kind: "begin", path, columns });
    for await (const rows of pages) await ask({ kind: "rows", rows });
    const written = await ask({ kind: "end" });
    if (written === undefined) throw new Error("its thread wrote nothing");
    return written;
  } finally {
    await thread.terminate();
  }
}
