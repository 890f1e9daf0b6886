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

/** Code that is tested and exits would take all other tests with it, with status 0. */
function sharedTests(patterns: readonly string[], index: number): Step {
  const step = tests(`tests in one process, part ${index + 1}`, ["--test-isolation=none", ...patterns]);
  return { ...step, saysAtEnd: /^ℹ pass [1-9]/m };
}

/** Two at a time: as many as the machine has cores, and the rigs wait for clocks. */
const twoLanes = "--test-concurrency=2";

function allTests(): Step[][] {
  const shared = new Set(globSync(sharing.flat(), { cwd: root }));
  const rest = globSync(alone, { cwd: root, exclude: (name) => name.endsWith("node_modules") });
  const files = rest.filter((file) => !shared.has(file)).sort();
  return [sharing.map(sharedTests), [tests("tests (node:test)", [twoLanes, ...files])]];
}

/** Runs steps side by side; what several say is said when each has ended. */
async function runTogether(steps: readonly Step[]): Promise<Step[]> {
  const failed: Step[] = [];
  const isOne = steps.length === 1;
  const run = async (step: Step): Promise<void> => {
    const [file, ...args] = step.command;
    const started = performance.now();
    if (isOne) process.stdout.write(`\n── ${step.name}\n`);
    const child = spawn(file, args, { cwd: root, stdio: isOne ? "inherit" : ["ignore", "pipe", "pipe"] });
    const saying = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")));
    const [status] = (await once(child, "exit")) as [number | null];
    const said = (await saying).join("");
    if (!isOne) process.stdout.write(`\n── ${step.name}\n${said}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const isOk = status === 0 && (step.saysAtEnd?.test(said) ?? true);
    process.stdout.write(`── ${step.name}: ${isOk ? "ok" : "FAILED"} in ${seconds} s\n`);
    if (!isOk) failed.push(step);
  };
  await Promise.all(steps.map(run));
  return failed;
}

const words = process.argv.slice(2);
const isTestsOnly = words.includes("--tests");
const patterns = words.filter((word) => !word.startsWith("--"));
const chosen = patterns.length > 0 ? [[tests("tests (node:test)", [twoLanes, ...patterns])]] : allTests();
const failed: Step[] = [];
for (const steps of [...(isTestsOnly ? [] : checks.map((check) => [check])), ...chosen]) {
  failed.push(...(await runTogether(steps)));
}
if (failed.length > 0) {
  process.stderr.write(`\nNot ready: ${failed.map(({ name }) => name).join("; ")}\n`);
  process.exit(1);
}
