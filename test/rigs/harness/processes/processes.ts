/** Starts child processes and stops them all when the rig's process ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The checkout's root folder, with a trailing slash. */
export const rootFolder = fileURLToPath(new URL("../../../../", import.meta.url));

/** The product's Node: the pinned one of this checkout. */
export const nodeBinary = `${rootFolder}node_modules/.bin/node`;

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A child process and its output. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first match on stdout; rejects when the process ends or `withinMs` passes first. */
  waitFor(pattern: RegExp, withinMs: number): Promise<RegExpExecArray>;
  /** Sends a signal and waits for the exit; SIGKILL after `graceMs`. Resolves with the exit code. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<number | null>;
  /** Resolves with the exit code once the output is closed, or soon after the exit. */
  readonly ended: Promise<number | null>;
  /** True when it has exited but processes started by it still hold its output open. */
  hasLeftOthers(): boolean;
}

/** Time to read remaining output after the exit. A process that then still holds it open was left behind. */
const closeMsMax = 5_000;

/** Starts a process with pipes on stdin, stdout and stderr. */
export function startProcess(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Running {
  const child = spawn(command, args, { cwd: rootFolder, env: { ...process.env, ...env }, stdio: "pipe" });
  children.add(child);
  let out = "";
  let err = "";
  child.stdin?.on("error", () => {});
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  let hasLeftOthers = false;
  const ended = new Promise<number | null>((resolve) => {
    let giveUp: NodeJS.Timeout | undefined;
    child.once("error", () => resolve(null));
    child.once("exit", () => {
      giveUp = setTimeout(() => {
        hasLeftOthers = true;
        for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
      }, closeMsMax);
    });
    child.once("close", (code) => {
      clearTimeout(giveUp);
      children.delete(child);
      resolve(code);
    });
  });
  return {
    child,
    pid: child.pid ?? -1,
    stdout: () => out,
    stderr: () => err,
    ended,
    hasLeftOthers: () => hasLeftOthers,
    waitFor: (pattern, withinMs) =>
      waitForOutput(
        child,
        ended,
        () => out,
        () => err,
        pattern,
        withinMs,
      ),
    async stop(signal = "SIGTERM", graceMs = 5000) {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      const code = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

async function waitForOutput(
  child: ChildProcess,
  ended: Promise<number | null>,
  out: () => string,
  err: () => string,
  pattern: RegExp,
  withinMs: number,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const match = pattern.exec(out());
      if (match === null) return;
      settle();
      resolve(match);
    };
    const fail = (why: string): void => {
      settle();
      reject(
        new Error(
          `${why} before ${pattern} was seen.\nstdout: ${out().slice(-2000)}\nstderr: ${err().slice(-2000)}`,
        ),
      );
    };
    const timer = setTimeout(() => fail(`${withinMs} ms passed`), withinMs);
    const settle = (): void => {
      clearTimeout(timer);
      child.stdout?.off("data", look);
    };
    child.stdout?.on("data", look);
    ended.then((code) => fail(`the process ended with ${code}`), reject);
    look();
  });
}

/** Runs a command to its end; rejects unless it exits with 0. Resolves with its stdout. */
export async function runProcess(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const running = startProcess(nodeBinary, args, env);
  const code = await running.ended;
  if (code !== 0)
    throw new Error(`${args.join(" ")} exited with ${code}: ${running.stderr()}${running.stdout()}`);
  return running.stdout();
}
