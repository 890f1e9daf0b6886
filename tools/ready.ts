/**
 * Three commands, each part of the next. Fast checks come first, and steps print what they do and how long it
 * took.
 *
 * - `npm run test:unit` (`--unit`): tests of code alone, without processes, databases or browsers, in two
 *   processes.
 * - `npm test` (`--no-rigs`): format, lint, types, dead code, generated docs, the console's build and all
 *   tests.
 * - `npm run ready`: what CI runs, including the short forms of the rigs.
 *
 * `-- --tests` skips the checks; further words are test files or globs to run instead of all.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/** One command; `command` is run without a shell. */
interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Output at the end of a successful step. */
  readonly saysAtEnd?: RegExp;
}

/** A step that takes longer is killed and fails. The longest takes about 12 minutes on two cores. */
const stepMsMax = 30 * 60_000;
/** Interval for naming the running steps, with the last output line of each, while nothing is printed. */
const aliveMs = 60_000;
/** Time for reading remaining output after a step's process has exited. */
const closeMsMax = 5_000;

const checks: readonly Step[] = [
  { name: "format and lint (biome)", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
  { name: "types (tsc)", command: [bin("tsc"), "-p", "."] },
  { name: "types of the console (tsc)", command: [bin("tsc"), "-p", "web"] },
  { name: "dead code (knip)", command: [process.execPath, bin("knip")] },
  { name: "generated docs are up to date", command: [process.execPath, "tools/docs.ts", "--check"] },
  { name: "console (vite)", command: [process.execPath, "tools/build-console.ts", "--must"] },
];

/**
 * Unit tests share processes, because a process for each file would take longer than the tests. Tests that
 * start servers, processes or threads, or inspect loaded modules, run alone.
 */
const sharing: readonly (readonly [string, ...string[]])[] = [
  ["contract/**/*.test.ts", "server/src/{domain,lib,control,protocols}/**/*.test.ts", "web/src/**/*.test.ts"],
  ["server/src/providers/*/**/*.test.ts", "server/src/gateway/**/*.test.ts"],
];

const alone = [
  "contract/**/*.test.ts",
  "server/**/*.test.ts",
  "web/**/*.test.ts",
  "bench/**/*.test.ts",
  "tools/**/*.test.ts",
  "test/**/*.test.ts",
];

function tests(name: string, words: readonly string[]): Step {
  return { name, command: [process.execPath, "--test", "--test-timeout=240000", ...words] };
}

/** A process.exit in tested code would end all other tests in its process, with status 0. */
function sharedTests(patterns: readonly string[], index: number): Step {
  const step = tests(`tests in one process, part ${index + 1}`, ["--test-isolation=none", ...patterns]);
  return { ...step, saysAtEnd: /^ℹ pass [1-9]/m };
}

/** A file of rigs in a separate process. */
function rigStep(file: string): Step {
  return { name: `short forms of ${file}`, command: [process.execPath, file], saysAtEnd: /^ℹ fail 0$/m };
}

/** Two files at a time, one per core. */
const twoLanes = "--test-concurrency=2";

/** One after the other, parallel to all other tests: they mostly wait for timers. */
const rigs = ["test/rigs/rigs-one.test.ts", "test/rigs/rigs-other.test.ts"];

/** Programs from the registry, which only `npm run ready` installs and runs. */
const programs = ["test/clients/direct.test.ts", "test/clients/plaza.test.ts"];

/**
 * Installs what tests of Python's SDKs and of client programs need while the checks run, so that none of
 * them waits for it. Where it fails they say why.
 */
function prepare(hasPrograms: boolean): void {
  const clients = hasPrograms ? ["test/clients/prepare-clients.ts"] : [];
  for (const file of ["test/sdk/prepare-python.ts", ...clients])
    spawn(process.execPath, [file], { cwd: root, stdio: "ignore" }).unref();
}

const failed: Step[] = [];

/** Running quiet steps, with their output so far. */
const quiet = new Map<Step, string[]>();
setInterval(() => {
  for (const [{ name }, said] of quiet) {
    const last = said.join("").trimEnd().split("\n").at(-1) ?? "";
    process.stdout.write(`── ${name}: under way; its last line: ${last.slice(0, 160)}\n`);
  }
}, aliveMs).unref();

/**
 * Runs a step. `isQuiet`: prints its output at the end, because other steps print meanwhile. It ends with its
 * process: processes left behind may hold its output open, and are reported by the rigs.
 */
async function run(step: Step, isQuiet: boolean): Promise<void> {
  const [file, ...args] = step.command;
  const started = performance.now();
  if (!isQuiet) process.stdout.write(`\n── ${step.name}\n`);
  const child = spawn(file, args, { cwd: root, stdio: isQuiet ? ["ignore", "pipe", "pipe"] : "inherit" });
  const parts: string[] = [];
  if (isQuiet) quiet.set(step, parts);
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  const limit = setTimeout(() => {
    process.stdout.write(`\n── ${step.name}: not at its end after ${stepMsMax / 60_000} minutes; ended\n`);
    child.kill("SIGKILL");
  }, stepMsMax);
  const closed = once(child, "close");
  const [status] = (await once(child, "exit")) as [number | null];
  clearTimeout(limit);
  await Promise.race([closed, wait(closeMsMax)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  quiet.delete(step);
  const said = parts.join("");
  if (isQuiet) process.stdout.write(`\n── ${step.name}\n${said}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const isOk = status === 0 && (step.saysAtEnd?.test(said) ?? true);
  process.stdout.write(`── ${step.name}: ${isOk ? "ok" : "FAILED"} in ${seconds} s\n`);
  if (!isOk) failed.push(step);
}

async function unitTests(): Promise<void> {
  await Promise.all(sharing.map(sharedTests).map((step) => run(step, true)));
}

async function allTests(isWhole: boolean): Promise<void> {
  const left = isWhole ? [] : programs;
  const apart = new Set([...globSync(sharing.flat(), { cwd: root }), ...rigs, ...left]);
  const rest = globSync(alone, { cwd: root, exclude: (name) => name.endsWith("node_modules") });
  const files = rest.filter((file) => !apart.has(file)).sort();
  const others = async (): Promise<void> => {
    await unitTests();
    await run(tests("tests (node:test)", [twoLanes, ...files]), false);
  };
  const rigsInTurn = async (): Promise<void> => {
    for (const file of isWhole ? rigs : []) await run(rigStep(file), true);
  };
  await Promise.all([rigsInTurn(), others()]);
}

const words = process.argv.slice(2);
const patterns = words.filter((word) => !word.startsWith("--"));
const isUnit = words.includes("--unit");
const isAll = patterns.length === 0 && !isUnit;
const isWhole = !words.includes("--no-rigs");
if (isAll) prepare(isWhole);
// Tests with random cases run them all here, and a quarter of them among the unit tests.
if (isAll) process.env["TEST_RUNS"] ??= "1";
if (!isUnit && !words.includes("--tests")) for (const check of checks) await run(check, false);
if (isUnit) await unitTests();
else if (isAll) await allTests(isWhole);
else await run(tests("tests (node:test)", [twoLanes, ...patterns]), false);
const hasFailed = failed.length > 0;
const names = failed.map(({ name }) => name).join("; ");
// Exits once all output is written, even if a step left something running.
process.stdout.write(hasFailed ? `\nNot ready: ${names}\n` : "\nEverything passed.\n", () =>
  process.exit(hasFailed ? 1 : 0),
);
