/**
 * Reads and checks a catalog file in a process of its own that ends right after: a large file never
 * stops the event loop, and a serving process does not carry a YAML parser about (a thread would do
 * for the first, but its memory stays).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { processEnvironment } from "../config/config.ts";
import type { CatalogFileResult } from "../domain/catalog/file.ts";

interface Question {
  readonly text: string;
  /** As it is to be named in messages. */
  readonly fileName: string;
}

/** Longest time a catalog may take; a file near the size limit takes some seconds. */
const answerMs = 60_000;

/** The same as `readCatalogFile` with this process's environment and this installation's providers. */
export async function readCatalogInProcess(question: Question): Promise<CatalogFileResult> {
  const child = fork(fileURLToPath(import.meta.url), ["--read-catalog"], {
    serialization: "advanced",
    execArgv: [],
    timeout: answerMs,
  });
  const answered = once(child, "message") as Promise<[CatalogFileResult]>;
  // A large answer may still be on its way when the process has ended: what it said is
  // all here once the channel is closed.
  const ended = Promise.all([once(child, "exit"), once(child, "disconnect")]).then(([[code]]) => {
    throw new Error(`${question.fileName} could not be read: the process that reads it ended with ${code}`);
  });
  ended.catch(() => {});
  child.send({ ...question });
  const [result] = await Promise.race([answered, ended]);
  return result;
}

if (process.argv[2] === "--read-catalog" && process.send !== undefined) {
  const [{ text, fileName }] = (await once(process, "message")) as [Question];
  const { readCatalogFile } = await import("../domain/catalog/file.ts");
  const { lacksOperation, providers } = await import("../providers/index.ts");
  const { presets } = await import("../providers/presets/presets.ts");
  const known = { providers, presets, lacksOperation };
  process.send(readCatalogFile(text, { env: processEnvironment(), fileName, ...known }), () =>
    process.disconnect(),
  );
}
