/**
 * `npm run ready` and `npm test`: everything CI checks, in the order in which it fails fastest. `-- --tests` runs the tests
 * only; any further words are test files or globs instead of all of them. Steps print what they do and how long it took.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/** One command; `command` is run without a shell. */
interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What it says at its end when it came to it. */
  readonly saysAtEnd?: RegExp;
}

const checks: readonly Step[] = [
  { name: "format and lint (biome)", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
  { name: "types (tsc)", command: [bin("tsc"), "-p", "."] },
  { name: "types of the console (tsc)", command: [bin("tsc"), "-p", "web"] },
  { name: "dead code (knip)", command: [process.execPath, bin("knip")] },
  { name: "generated docs are up to date", command: [process.execPath, "tools/docs.ts", "--check"] },
  { name: "console (vite)", command: [process.execPath, "tools/build-console.ts", "--must"] },
];

/**
 * Tests that need no process of their own: starting one for each file takes longer than the tests. Those of a part that starts
 * servers, processes or threads, or looks at what is loaded, stay alone.
 */
const sharing: readonly (readonly [string, ...string[]])[] = [
  ["contract/**/*.test.ts", "server/src/{domain,lib,control}/**/*.test.ts", "web/src/**/*.test.ts"],
  ["server/src/providers/*/**/*.test.ts", "server/src/{protocols,gateway}/**/*.test.ts"],
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

/** Code that is tested and exits would take all other tests with it, with status 0. */
function sharedTests(patterns: readonly string[], index: number): Step {
  const step = tests(`tests in one process, part ${index + 1}`, ["--test-isolation=none", ...patterns]);
  return { ...step, saysAtEnd: /^ℹ pass [1-9]/m };
}

/** Two files at a time: as many as the machine has cores. */
const twoLanes = "--test-concurrency=2";

/** One after the other beside all other tests: they wait for clocks more than they compute. */
const rigs = ["test/rigs/rigs-one.test.ts", "test/rigs/rigs-other.test.ts"];

/** Makes what tests of Python's SDKs need while the checks run, so that none of them waits for it. Where it fails they say why. */
function preparePython(): void {
  spawn(process.execPath, ["test/sdk/prepare-python.ts"], { cwd: root, stdio: "ignore" });
}

const failed: Step[] = [];

/** Runs a step. `isQuiet`: what it says is said when it has ended, because others say something meanwhile. */
async function run(step: Step, isQuiet: boolean): Promise<void> {
  const [file, ...args] = step.command;
  const started = performance.now();
  if (!isQuiet) process.stdout.write(`\n── ${step.name}\n`);
  const child = spawn(file, args, { cwd: root, stdio: isQuiet ? ["ignore", "pipe", "pipe"] : "inherit" });
  const saying = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")));
  const [status] = (await once(child, "exit")) as [number | null];
  const said = (await saying).join("");
  if (isQuiet) process.stdout.write(`\n── ${step.name}\n${said}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const isOk = status === 0 && (step.saysAtEnd?.test(said) ?? true);
  process.stdout.write(`── ${step.name}: ${isOk ? "ok" : "FAILED"} in ${seconds} s\n`);
  if (!isOk) failed.push(step);
}

async function allTests(): Promise<void> {
  const apart = new Set([...globSync(sharing.flat(), { cwd: root }), ...rigs]);
  const rest = globSync(alone, { cwd: root, exclude: (name) => name.endsWith("node_modules") });
  const files = rest.filter((file) => !apart.has(file)).sort();
  const others = async (): Promise<void> => {
    await Promise.all(sharing.map(sharedTests).map((step) => run(step, true)));
    await run(tests("tests (node:test)", [twoLanes, ...files]), false);
  };
  await Promise.all([
    run(tests("short forms of the rigs", ["--test-concurrency=1", ...rigs]), true),
    others(),
  ]);
}

const words = process.argv.slice(2);
const patterns = words.filter((word) => !word.startsWith("--"));
if (patterns.length === 0) preparePython();
if (!words.includes("--tests")) for (const check of checks) await run(check, false);
if (patterns.length === 0) await allTests();
else await run(tests("tests (node:test)", [twoLanes, ...patterns]), false);
if (failed.length > 0) {
  process.stderr.write(`\nNot ready: ${failed.map(({ name }) => name).join("; ")}\n`);
  process.exit(1);
}
