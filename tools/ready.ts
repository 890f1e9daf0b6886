/**
 * `npm run ready` and `npm test`: everything CI checks, in the order in which it fails fastest. `-- --tests` runs the tests
 * only; any further words are test files or globs instead of all of them. Steps print what they do and how long it took.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/** One command; `command` is run without a shell. */
interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const checks: readonly Step[] = [
  { name: "format and lint (biome)", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
  { name: "types (tsc)", command: [bin("tsc"), "-p", "."] },
  { name: "types of the console (tsc)", command: [bin("tsc"), "-p", "web"] },
  { name: "dead code (knip)", command: [process.execPath, bin("knip")] },
  { name: "generated docs are up to date", command: [process.execPath, "tools/docs.ts", "--check"] },
  { name: "console (vite)", command: [process.execPath, "tools/build-console.ts", "--must"] },
];

const allTests = [
  "contract/**/*.test.ts",
  "server/**/*.test.ts",
  "web/*.test.ts",
  "web/src/**/*.test.ts",
  "bench/**/*.test.ts",
  "tools/**/*.test.ts",
  "test/**/*.test.ts",
];

function tests(patterns: readonly string[]): Step {
  return {
    name: "tests (node:test)",
    command: [process.execPath, "--test", "--test-concurrency=2", "--test-timeout=240000", ...patterns],
  };
}

function run({ name, command: [file, ...args] }: Step): boolean {
  process.stdout.write(`\n── ${name}\n`);
  const started = performance.now();
  const { status } = spawnSync(file, args, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${status === 0 ? "ok" : "FAILED"} in ${seconds} s\n`);
  return status === 0;
}

const words = process.argv.slice(2);
const isTestsOnly = words.includes("--tests");
const patterns = words.filter((word) => !word.startsWith("--"));
const steps = [...(isTestsOnly ? [] : checks), tests(patterns.length > 0 ? patterns : allTests)];
const failed = steps.filter((step) => !run(step)).map((step) => step.name);
if (failed.length > 0) {
  process.stderr.write(`\nNot ready: ${failed.join("; ")}\n`);
  process.exit(1);
}
