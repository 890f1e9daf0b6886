/**
 * Reads and validates a catalog file in a short-lived child process. A large file then never blocks the event
 * loop, and the serving process does not keep a YAML parser in memory (a thread would).
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { processEnvironment } from "../config/config.ts";
import type { CatalogFileResult } from "../domain/catalog/file.ts";

interface Question {
  readonly text: string;
  /** The name to show in messages. */
  readonly fileName: string;
}

/** Same as `readCatalogFile`, with this process's environment and providers. */
export type ReadCatalog = (question: Question) => Promise<CatalogFileResult>;

/** Time limit for an answer in milliseconds. A file near the size limit takes some seconds. */
const answerMs = 60_000;

/** Starts the process; it waits for one question. */
export const startCatalogProcess = (): ChildProcess =>
  fork(new URL("./catalog-process.ts", import.meta.url), ["--read-catalog"], {
    serialization: "advanced",
    execArgv: [],
  });

async function ask(child: ChildProcess, question: Question): Promise<CatalogFileResult> {
  const answered = once(child, "message") as Promise<[CatalogFileResult]>;
  // A large answer may arrive after the process has exited; it is complete once the channel has closed.
  const ended = Promise.all([once(child, "exit"), once(child, "disconnect")]).then(([[code]]) => {
    throw new Error(`${question.fileName} could not be read: the process that reads it ended with ${code}`);
  });
  ended.catch(() => {});
  const timer = setTimeout(() => child.kill(), answerMs);
  child.send({ ...question });
  try {
    const [result] = await Promise.race([answered, ended]);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads in a process that is started for it. */
export const readCatalogInProcess: ReadCatalog = (question) => ask(startCatalogProcess(), question);

/**
 * Starts the process now for the first question, so that it loads its code beside the caller: a start takes
 * a tenth less on two cores. It does not keep the caller alive, and ends with it. Later questions get
 * processes of their own.
 */
export function catalogProcessAhead(start = startCatalogProcess): ReadCatalog {
  let ahead: ChildProcess | undefined = start();
  // A process that ends before it is asked is replaced by a new one.
  const forget = () => {
    ahead = undefined;
  };
  ahead.once("error", forget).once("exit", forget);
  ahead.unref();
  ahead.channel?.unref();
  return (question) => {
    const child = ahead ?? start();
    forget();
    child.ref();
    child.channel?.ref();
    return ask(child, question);
  };
}

if (process.argv[2] === "--read-catalog" && process.send !== undefined) {
  const asked = once(process, "message") as Promise<[Question]>;
  const left = once(process, "disconnect").then(() => undefined);
  const { readCatalogFile } = await import("../domain/catalog/file.ts");
  const { lacksOperation, providers } = await import("../providers/index.ts");
  const { presets } = await import("../providers/presets/presets.ts");
  const { readSecret } = await import("./secret-file.ts");
  const known = { providers, presets, lacksOperation, readSecret };
  const question = await Promise.race([asked, left]);
  if (question !== undefined) {
    const [{ text, fileName }] = question;
    process.send(readCatalogFile(text, { env: processEnvironment(), fileName, ...known }), () =>
      process.disconnect(),
    );
  }
}
