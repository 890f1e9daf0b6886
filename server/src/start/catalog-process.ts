/**
 * Reads and validates a catalog file in a short-lived child process. A large file then never blocks the event
 * loop, and the serving process does not keep a YAML parser in memory (a thread would).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { processEnvironment } from "../config/config.ts";
import type { CatalogFileResult } from "../domain/catalog/file.ts";

interface Question {
  readonly text: string;
  /** The name to show in messages. */
  readonly fileName: string;
}

/** Time limit in milliseconds. A file near the size limit takes some seconds. */
const answerMs = 60_000;

/** Same as `readCatalogFile`, with this process's environment and providers. */
export async function readCatalogInProcess(question: Question): Promise<CatalogFileResult> {
  const child = fork(new URL("./catalog-process.ts", import.meta.url), ["--read-catalog"], {
    serialization: "advanced",
    execArgv: [],
    timeout: answerMs,
  });
  const answered = once(child, "message") as Promise<[CatalogFileResult]>;
  // A large answer may arrive after the process has exited; it is complete once the channel has closed.
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
  const { readSecret } = await import("./secret-file.ts");
  const known = { providers, presets, lacksOperation, readSecret };
  process.send(readCatalogFile(text, { env: processEnvironment(), fileName, ...known }), () =>
    process.disconnect(),
  );
}
