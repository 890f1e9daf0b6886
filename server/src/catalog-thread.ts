/**
 * Reads and checks a catalog file in a thread of its own that ends right after: a large file never stops the event loop, and
 * a serving process does not carry a YAML parser about (10 MB).
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { CatalogFileResult } from "./domain/catalog-file.ts";
import { providers } from "./providers/index.ts";

interface Question {
  readonly text: string;
  readonly fileName: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The same as `readCatalogFile` with this installation's providers. Rejects only when the thread itself fails. */
export function readCatalogInThread(question: Question): Promise<CatalogFileResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { name: "catalog", workerData: question });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) =>
      reject(new Error(`the catalog could not be read (thread ended with ${code})`)),
    );
  });
}

if (!isMainThread && parentPort !== null && (workerData as Question | null)?.fileName !== undefined) {
  const { text, fileName, env } = workerData as Question;
  const { readCatalogFile } = await import("./domain/catalog-file.ts");
  parentPort.postMessage(readCatalogFile(text, { env, fileName, providers }));
}
