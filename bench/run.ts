/**
 * `npm run bench`: compares Plaza's cost with plain nginx, with another build or with other gateways, in one
 * run on one machine, and judges the result.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findPlaza } from "./gateways/checkout.ts";
import { stopAllChildren } from "./gateways/child.ts";
import { buildFacts, claimCores, machineFacts, requireTools } from "./gateways/machine.ts";
import type { PlazaBuild } from "./gateways/plaza-build.ts";
import { type PairPlan, runPairs } from "./measure/pairs.ts";
import { type Options, parseOptions, usageText } from "./options.ts";
import { compareWithPeers, readPeers } from "./peers/compare.ts";
import { profileCase } from "./profile-run.ts";
import {
  type Pair,
  type PairSummary,
  pairsExitCode,
  pairsQuietness,
  pairsTable,
  summarizePairs,
} from "./report/pair-report.ts";
import { isSteady } from "./report/reading.ts";
import { figuresTable, quietness, verdictsTable } from "./report/report.ts";
import { judge } from "./report/targets.ts";
import { openRig, type Rig } from "./rig.ts";
import { type Progress, runRounds } from "./rounds.ts";

const repository = resolve(import.meta.dirname, "..");
const resultsFolder = join(import.meta.dirname, "results");

function writeResults(options: Options, result: object): void {
  const text = `${JSON.stringify(result, undefined, 2)}\n`;
  const files = options.jsonFile === undefined ? [] : [resolve(options.jsonFile)];
  if (options.isLong) {
    files.push(join(resultsFolder, `${new Date().toISOString().replaceAll(":", "-")}.json`));
  }
  for (const file of files) {
    writeFileSync(file, text);
    console.log(`Written to ${file}`);
  }
}

/** Prints progress with the seconds since the start. */
function startProgress(): Progress {
  const startedAt = performance.now();
  return (text) => {
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  };
}

type Facts = Record<string, string>;

/** Compares Plaza with nginx; returns the exit code. */
async function measure(rig: Rig, build: PlazaBuild, options: Options, facts: Facts): Promise<number> {
  const startedAt = performance.now();
  const readings = await runRounds(rig, build, options.cases, startProgress());
  const verdicts = judge(readings);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`\nMedian [lowest-highest] over the rounds, ${seconds} s:\n${figuresTable(readings)}`);
  console.log(`\n${quietness(readings)}\n\n${verdictsTable(verdicts)}\n`);
  writeResults(options, { facts, size: rig.size, remarks: build.remarks, readings, verdicts });
  return verdicts.every((verdict) => verdict.isReached !== false) || options.mayMiss ? 0 : 1;
}

/** Compares this build with another; returns the exit code. */
async function comparePairs(rig: Rig, plan: PairPlan, options: Options, facts: Facts): Promise<number> {
  const progress = startProgress();
  const pairs: Pair[] = [];
  const summaries: PairSummary[] = [];
  for (const name of options.cases.filter(isSteady)) {
    const measured = await runPairs(rig, name, plan, progress);
    pairs.push(...measured);
    summaries.push(summarizePairs(name, measured));
  }
  console.log(`\nRatio = cost of this build by cost of the other:\n${pairsTable(summaries)}`);
  console.log(`\n${pairsQuietness(pairs)}\n`);
  writeResults(options, { facts, size: rig.size, summaries, pairs });
  return options.mayMiss ? 0 : pairsExitCode(summaries);
}

async function prepare(
  rig: Rig,
  name: "plaza" | "other",
  script: string,
  settings?: Options["settings"],
): Promise<PlazaBuild> {
  const build = await rig.prepare(name, script, settings).catch((error: unknown) => {
    throw new Error(`${script} could not be prepared: ${error instanceof Error ? error.message : error}`);
  });
  for (const remark of build.remarks) console.log(`Remark: ${remark}`);
  return build;
}

/** Facts about the compared builds; throws when a checkout cannot be started. */
function findBuilds(options: Options): { plaza: string; other: string | undefined; facts: Facts } {
  const plaza = findPlaza(options.plaza ?? repository);
  if (options.against === undefined) return { plaza, other: undefined, facts: { this: buildFacts(plaza) } };
  const other = findPlaza(options.against);
  return { plaza, other, facts: { this: buildFacts(plaza), other: buildFacts(other) } };
}

async function main(options: Options): Promise<number> {
  const builds = findBuilds(options);
  // Before anything starts: a mistake in a file is reported at once.
  const peers = readPeers(options);
  const tools = requireTools(options.mayInstall);
  const facts = { ...machineFacts(tools), ...builds.facts };
  const cores = claimCores();
  mkdirSync(resultsFolder, { recursive: true });
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(8)} ${value}`);
  console.log(lines.join("\n"));
  console.log(
    `pinned   gateway on core ${cores.gateway.join()}, upstream and load on core ${cores.load.join()}\n`,
  );
  const rig = await openRig(options.size, tools, cores);
  try {
    const plaza = await prepare(rig, "plaza", builds.plaza, options.settings);
    if (builds.other !== undefined) {
      const other = await prepare(rig, "other", builds.other);
      const plan = { plaza, other, pairs: options.pairs, hasNginx: options.hasNginx };
      return await comparePairs(rig, plan, options, facts);
    }
    if (options.profile !== undefined) {
      await profileCase(rig, plaza, options.profile, repository, resultsFolder);
      return 0;
    }
    if (options.isPeers) {
      const { results, exitCode } = await compareWithPeers(rig, plaza, {
        peers,
        options,
        progress: startProgress(),
      });
      writeResults(options, { facts, size: rig.size, remarks: plaza.remarks, ...results });
      return options.mayMiss ? 0 : exitCode;
    }
    return await measure(rig, plaza, options, facts);
  } finally {
    await rig.close();
  }
}

/** Ends the run on a signal or at the deadline. */
async function giveUp(reason: string): Promise<void> {
  console.error(`\n${reason}`);
  await stopAllChildren();
  process.exit(2);
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(usageText);
  } else {
    process.on("SIGINT", () => void giveUp("Interrupted."));
    process.on("SIGTERM", () => void giveUp("Terminated."));
    const deadline = setTimeout(() => void giveUp("The run took too long."), options.size.deadlineMs);
    process.exitCode = await main(options);
    clearTimeout(deadline);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
// Kept connections of probes would keep the process alive for some seconds.
process.exit();
