/**
 * Three commands, each part of the next. Several steps run side by side; each prints how long it took, and
 * what it said where it failed.
 *
 * - `npm run test:unit` (`--unit`): tests of code alone, without processes, databases or browsers, in two
 *   processes.
 * - `npm test` (`--no-rigs`): format, lint, types, dead code, generated docs, the console's build and all
 *   tests.
 * - `npm run ready`: what CI runs: all random cases instead of a quarter, the short forms of the rigs, some
 *   files on both transports, and client programs.
 *
 * `-- --tests` skips the checks; further words are test files or globs to run instead of all.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inMemory } from "./ready/in-memory.ts";
import { longFiles } from "./ready/long-files.ts";
import { nodeTransportFiles } from "./ready/node-transport-files.ts";
import { type Pace, runPaced } from "./ready/pace.ts";
import { type Outcome, run, type Step } from "./ready/step.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/** Comes before everything else, because tests need its files. */
const build: Step = {
  name: "console and server (vite, rolldown)",
  command: [process.execPath, "tools/build.ts", "--must"],
};

const checks: readonly Step[] = [
  { name: "format and lint (biome)", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
  { name: "types (tsc)", command: [bin("tsc"), "-p", "."] },
  { name: "types of the console (tsc)", command: [bin("tsc"), "-p", "web"] },
  { name: "dead code (knip)", command: [process.execPath, bin("knip")] },
  { name: "generated docs are up to date", command: [process.execPath, "tools/docs.ts", "--check"] },
];

/** Unit tests: two processes for all, because one for each file would take longer than the tests. */
const unitTests: readonly (readonly [string, ...string[]])[] = [
  ["contract/**/*.test.ts", "server/src/{domain,lib,control,protocols}/**/*.test.ts", "web/src/**/*.test.ts"],
  ["server/src/providers/*/**/*.test.ts", "server/src/gateway/**/*.test.ts"],
];

/** All others: long files have processes of their own, the rest shares some. */
const others = [
  "contract/**/*.test.ts",
  "server/**/*.test.ts",
  "web/**/*.test.ts",
  "bench/**/*.test.ts",
  "tools/**/*.test.ts",
  "test/**/*.test.ts",
];

/** Databases of tests are small, and most of their time is waiting for a disk. */
const temporaryFolder = inMemory();

/** A test may take four minutes. */
const testWords = ["--test-timeout=240000", "--test-reporter=spec"];

/** A process.exit in tested code would end all other tests in its process, with status 0. */
function sharedStep(name: string, patterns: readonly string[]): Step {
  return {
    name,
    command: [process.execPath, "--test", "--test-isolation=none", ...testWords, ...patterns],
    saysAtEnd: /^ℹ pass [1-9]/m,
  };
}

const unitSteps = unitTests.map((patterns, index) => sharedStep(`unit tests, part ${index + 1}`, patterns));

/** Files that share a process: few enough that the last group does not run alone for long. */
const groupSize = 12;

/** To load the product's modules takes longer than most files' tests, so neighbours load them once. */
function groupSteps(files: readonly string[]): Step[] {
  const starts = files.map((_, index) => index).filter((index) => index % groupSize === 0);
  return starts.map((start) => {
    const group = files.slice(start, start + groupSize);
    return { ...sharedStep(`${group[0]} to ${group.at(-1)}`, group), env: temporaryFolder };
  });
}

/** A file of tests in a process of its own. */
function fileStep(file: string): Step {
  const command = [process.execPath, ...testWords, file] as const;
  return { name: file, command, saysAtEnd: /^ℹ fail 0$/m, env: temporaryFolder };
}

/** The same on the transport that is not the default. */
function nodeTransportStep(file: string): Step {
  const env = { ...temporaryFolder, PLAZA_TRANSPORT: "node" };
  return { ...fileStep(file), name: `${file} with PLAZA_TRANSPORT=node`, env };
}

/** A file of rigs in a separate process, with its files on the real disk. */
function rigStep(file: string): Step {
  return { ...fileStep(file), name: `short forms of ${file}`, isShown: true, env: undefined };
}

/** One after the other, parallel to all other tests: they mostly wait for timers. */
const rigs = ["test/rigs/rigs-one.test.ts", "test/rigs/rigs-other.test.ts"];

/** Beside rigs, which measure times, tests only fill the gaps. */
const paceOfTests: Pace = { least: 3, most: 6 };
const paceBesideRigs: Pace = { least: 1, most: 2 };
const oneByOne: Pace = { least: 1, most: 1 };

/** Programs from the registry, which only `npm run ready` installs and runs. */
const programs = [
  "test/clients/codex-websocket.test.ts",
  "test/clients/direct.test.ts",
  "test/clients/plaza.test.ts",
];

/**
 * Installs what tests of Python's SDKs and of client programs need while the checks run, so that none of
 * them waits for it. Where it fails they say why.
 */
function prepare(hasPrograms: boolean): void {
  const clients = hasPrograms ? ["test/clients/prepare-clients.ts"] : [];
  for (const file of ["test/sdk/prepare-python.ts", ...clients])
    spawn(process.execPath, [file], { cwd: root, stdio: "ignore" }).unref();
}

const outcomes: (Outcome & Step)[] = [];

async function runAll(steps: readonly Step[], pace: Pace): Promise<void> {
  await runPaced(steps, async (step) => outcomes.push({ ...step, ...(await run(step)) }), pace);
}

/** Steps of all test files that are no unit tests. */
function otherSteps(isWhole: boolean): Step[] {
  const apart = new Set([...globSync(unitTests.flat(), { cwd: root }), ...rigs, ...programs]);
  const all = globSync(others, { cwd: root, exclude: (name) => name.endsWith("node_modules") });
  const rest = all.filter((file) => !apart.has(file) && !longFiles.includes(file)).sort();
  return [...longFiles, ...(isWhole ? programs : [])].map(fileStep).concat(groupSteps(rest));
}

async function everything(isWhole: boolean, hasChecks: boolean): Promise<void> {
  if (hasChecks) await runAll([build], oneByOne);
  const steps = [
    ...(hasChecks ? checks : []),
    ...unitSteps,
    ...otherSteps(isWhole),
    ...(isWhole ? nodeTransportFiles.map(nodeTransportStep) : []),
  ];
  if (!isWhole) return await runAll(steps, paceOfTests);
  await Promise.all([runAll(steps, paceBesideRigs), runAll(rigs.map(rigStep), oneByOne)]);
}

const words = process.argv.slice(2);
const patterns = words.filter((word) => !word.startsWith("--"));
const isUnit = words.includes("--unit");
const isWhole = !words.includes("--no-rigs");
const hasChecks = !isUnit && !words.includes("--tests");
if (isUnit) {
  await runAll(unitSteps, { least: unitSteps.length, most: unitSteps.length });
} else if (patterns.length > 0) {
  const files = globSync(patterns, { cwd: root, exclude: (name) => name.endsWith("node_modules") }).sort();
  const shown = files.map((file) => ({ ...fileStep(file), isShown: true }));
  if (shown.length === 0) throw new Error(`no file is named ${patterns.join(" or ")}`);
  await runAll([...(hasChecks ? [build, ...checks] : []), ...shown], paceOfTests);
} else {
  prepare(isWhole);
  // Tests with random cases run all of them here, and else a quarter (`lib/testing/runs.ts`).
  if (isWhole) process.env["TEST_RUNS"] ??= "1";
  await everything(isWhole, hasChecks);
}

const sum = (of: "passed" | "skipped"): number => outcomes.reduce((total, outcome) => total + outcome[of], 0);
const failures = outcomes.filter(({ isOk }) => !isOk);
const failed = failures.map(({ name }) => name);
/** Said again where a reader of a long log looks first. */
const reasons = failures.map((failure) => `\n── ${failure.name}\n${failure.reasons}\n`).join("");
const counts = `${sum("passed")} tests passed, ${sum("skipped")} were skipped.`;
const last = failed.length > 0 ? `Not ready: ${failed.join("; ")}` : "Everything passed.";
// Exits once all output is written, even if a step left something running.
process.stdout.write(`${reasons}\n${counts}\n${last}\n`, () => process.exit(failed.length > 0 ? 1 : 0));
