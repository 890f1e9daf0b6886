/** The terminal: questions on standard error, answers from standard input, secrets without echo. */

import { createInterface } from "node:readline/promises";
import type { Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";

const interrupted = (): CommandFailure => new CommandFailure("interrupted", "interrupted; nothing was saved");
const secretLengthMax = 16_384;

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<never>((_, reject) => lines.once("close", () => reject(interrupted())));
  closed.catch(() => {});
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** Applies a key press or paste to the text typed so far. */
function typed(before: string, keys: string): { text: string; end: "line" | "interrupt" | undefined } {
  let text = before;
  for (const key of keys) {
    if (key === "\r" || key === "\n" || key === "\u0004") return { text, end: "line" };
    if (key === "\u0003") return { text, end: "interrupt" };
    if (key === "\u007f" || key === "\b") text = text.slice(0, -1);
    else if (key >= " " && text.length < secretLengthMax) text += key;
  }
  return { text, end: undefined };
}

function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let text = "";
    const onKeys = (keys: Buffer): void => {
      const result = typed(text, keys.toString("utf8"));
      text = result.text;
      if (result.end === undefined) return;
      stdin.off("data", onKeys);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      if (result.end === "line") resolve(text);
      else reject(interrupted());
    };
    stdin.setRawMode(true);
    stdin.on("data", onKeys);
    stdin.resume();
  });
}

async function readAll(bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin) {
    parts.push(part as Buffer);
    bytes += (part as Buffer).length;
    if (bytes > bytesMax)
      throw new CommandFailure("too_large", `standard input contains more than ${bytesMax} bytes`);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    showsProgress: process.stderr.isTTY === true,
    ask,
    askSecret,
    readAll,
  };
}
