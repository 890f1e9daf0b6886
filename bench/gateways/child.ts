/** Child processes of a run: pinned to cores, stopped by process id, never left running. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { processTree } from "../measure/process-stat.ts";

const outputCharsMax = 256 * 1024;

/** A running child with what it has printed so far (the last 256 Ki characters of each stream). */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  stdout: string;
  stderr: string;
}

const running = new Set<Child>();

/**
 * Starts a command, pinned to the given cores (empty = not pinned). `taskset` execs the command, so the
 * process id is the command's.
 */
export function startChild(
  name: string,
  command: string,
  args: readonly string[],
  options: { cores?: readonly number[]; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Child {
  const cores = options.cores ?? [];
  const argv = cores.length === 0 ? [command, ...args] : ["taskset", "-c", cores.join(","), command, ...args];
  const process_ = spawn(argv[0] ?? command, argv.slice(1), {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: options.cwd,
    env: options.env ?? process.env,
  });
  const child: Child = { name, pid: process_.pid ?? 0, process: process_, stdout: "", stderr: "" };
  process_.on("error", (error) => {
    child.stderr += String(error);
  });
  process_.stdout.setEncoding("utf8").on("data", (text: string) => {
    child.stdout = (child.stdout + text).slice(-outputCharsMax);
  });
  process_.stderr.setEncoding("utf8").on("data", (text: string) => {
    child.stderr = (child.stderr + text).slice(-outputCharsMax);
  });
  process_.on("exit", () => running.delete(child));
  if (process_.pid !== undefined) running.add(child);
  return child;
}

export function hasEnded(child: Child): boolean {
  return child.pid === 0 || child.process.exitCode !== null || child.process.signalCode !== null;
}

/** Waits for a pattern in the child's output; throws with the output when the child exits or on timeout. */
export async function waitForOutput(
  child: Child,
  stream: "stdout" | "stderr",
  pattern: RegExp,
  timeoutMs: number,
): Promise<RegExpExecArray> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const match = pattern.exec(child[stream]);
    if (match !== null) return match;
    if (hasEnded(child))
      throw new Error(`${child.name} ended before it printed ${pattern}:\n${outputTail(child)}`);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0)
      throw new Error(`${child.name} did not print ${pattern} in ${timeoutMs} ms:\n${outputTail(child)}`);
    const signal = AbortSignal.timeout(Math.min(leftMs, 250));
    await once(child.process[stream], "data", { signal }).catch(() => undefined);
  }
}

/** Waits for the child to exit and returns its exit code (null = killed by a signal). Kills it on timeout. */
export async function waitForExit(child: Child, timeoutMs: number): Promise<number | null> {
  if (!hasEnded(child)) {
    const ended = await once(child.process, "close", { signal: AbortSignal.timeout(timeoutMs) }).then(
      () => true,
      () => false,
    );
    if (!ended) {
      await stopChild(child);
      throw new Error(`${child.name} did not end in ${timeoutMs} ms:\n${outputTail(child)}`);
    }
  }
  return child.process.exitCode;
}

/**
 * Sends SIGINT, for which Plaza does not wait for load balancers. Kills the child and its descendants, by
 * process id, if it does not exit in time.
 */
export async function stopChild(child: Child, graceMs = 5000): Promise<void> {
  if (hasEnded(child)) return;
  const tree = processTree(child.pid);
  const exited = once(child.process, "exit");
  child.process.kill("SIGINT");
  const timer = setTimeout(() => kill(tree), graceMs);
  await exited;
  clearTimeout(timer);
}

export async function stopAllChildren(): Promise<void> {
  await Promise.all([...running].map((child) => stopChild(child)));
}

/** The last lines of a child's output, for error messages. */
export function outputTail(child: Child): string {
  return `${child.stdout}\n${child.stderr}`.trim().split("\n").slice(-20).join("\n");
}

function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already exited.
    }
  }
}

process.on("exit", () => {
  for (const child of running) kill(processTree(child.pid));
});
