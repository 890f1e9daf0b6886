/**
 * One step of `ready.ts`: a command that is run without a shell and ends with its process. Steps run side by
 * side, so each prints one line when it is over, and its output with it where something failed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Output at the end of a successful step. */
  readonly saysAtEnd?: RegExp;
  /** Prints the output of a successful step too. */
  readonly isShown?: boolean;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Outcome {
  readonly isOk: boolean;
  /** How many tests passed and were skipped, as node:test says at the end of its output. */
  readonly passed: number;
  readonly skipped: number;
  /** Of a step that failed: which tests did and why, or its last lines. */
  readonly reasons: string;
}

/** A step that takes longer is killed and fails. The longest takes about 12 minutes on two cores. */
const stepMsMax = 30 * 60_000;
/** Interval for naming the steps that have run for longer than it, with the last output line of each. */
const aliveMs = 60_000;
/** Time for reading remaining output after a step's process has exited. */
const closeMsMax = 5_000;

interface UnderWay {
  readonly sinceMs: number;
  /** Its output so far. */
  readonly parts: readonly string[];
}

const underWay = new Map<Step, UnderWay>();
setInterval(() => {
  for (const [{ name }, { sinceMs, parts }] of underWay) {
    if (performance.now() - sinceMs < aliveMs) continue;
    const last = parts.join("").trimEnd().split("\n").at(-1) ?? "";
    process.stdout.write(`── ${name}: under way; its last line: ${last.slice(0, 160)}\n`);
  }
}, aliveMs).unref();

const countIn = (said: string, what: string): number =>
  Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(said)?.[1] ?? 0);

/** Why tests were skipped: each reason once. */
function skipsIn(said: string): string {
  const reasons = [...said.matchAll(/^\s*﹣ .* # (.+)$/gm)].map(([, reason]) => reason);
  return [...new Set(reasons)].map((reason) => `   skipped: ${reason}\n`).join("");
}

/** At most this much of a failed step's reasons is said again at the end. */
const reasonChars = 4_000;

/** What node:test says at its end of the tests that failed; of other programs their last lines. */
function reasonsIn(said: string): string {
  const at = said.lastIndexOf("✖ failing tests:");
  const text = at === -1 ? said.trimEnd().slice(-reasonChars) : said.slice(at, at + reasonChars);
  return text.trim();
}

interface Ended {
  readonly status: number | null;
  readonly said: string;
}

/** Runs the command. Processes that it left behind may hold its output open, and are not waited for. */
async function runCommand(step: Step, sinceMs: number): Promise<Ended> {
  const [file, ...args] = step.command;
  const env = { ...process.env, ...step.env };
  const child = spawn(file, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const parts: string[] = [];
  underWay.set(step, { sinceMs, parts });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => void parts.push(part));
  const limit = setTimeout(() => {
    parts.push(`\nnot at its end after ${stepMsMax / 60_000} minutes; ended\n`);
    child.kill("SIGKILL");
  }, stepMsMax);
  const closed = once(child, "close");
  const [status] = (await once(child, "exit")) as [number | null];
  clearTimeout(limit);
  await Promise.race([closed, wait(closeMsMax)]);
  child.stdout.destroy();
  child.stderr.destroy();
  underWay.delete(step);
  return { status, said: parts.join("") };
}

/** Runs a step and prints how it ended. */
export async function run(step: Step): Promise<Outcome> {
  const { name, isShown = false, saysAtEnd } = step;
  const sinceMs = performance.now();
  const { status, said } = await runCommand(step, sinceMs);
  const isOk = status === 0 && (saysAtEnd?.test(said) ?? true);
  const seconds = ((performance.now() - sinceMs) / 1000).toFixed(1);
  const output = isShown || !isOk ? `\n── ${name}\n${said}` : "";
  const skips = isShown || !isOk ? "" : skipsIn(said);
  process.stdout.write(`${output}── ${name}: ${isOk ? "ok" : "FAILED"} in ${seconds} s\n${skips}`);
  const reasons = isOk ? "" : reasonsIn(said);
  return { isOk, passed: countIn(said, "pass"), skipped: countIn(said, "skipped"), reasons };
}
