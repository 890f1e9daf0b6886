/**
 * `npm run bench`: what Plaza costs beside plain nginx, in one run on one machine, and whether that is within the targets.
 * The straight line of a run; how things are measured is in the other files. Exit 0 reached, 1 missed, 2 could not run.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stopAllChildren } from "./child.ts";
import { claimCores, machineFacts, requireTools } from "./machine.ts";
import { type Options, parseOptions, usageText } from "./options.ts";
import { profileCase } from "./profile-run.ts";
import type { Reading } from "./reading.ts";
import { figuresTable, quietness, verdictsTable } from "./report.ts";
import { openRig, type Rig } from "./rig.ts";
import { runRounds } from "./rounds.ts";
import { judge, type Verdict } from "./targets.ts";

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

async function measure(rig: Rig, options: Options, facts: Record<string, string>): Promise<boolean> {
  const startedAt = performance.now();
  const progress = (text: string) => {
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  };
  const readings: Reading[] = await runRounds(rig, options.cases, progress);
  const verdicts: Verdict[] = judge(readings);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `\nMedian [lowest-highest] of ${rig.size.rounds} rounds, ${seconds} s:\n${figuresTable(readings)}`,
  );
  console.log(`\n${quietness(readings)}\n\n${verdictsTable(verdicts)}\n`);
  writeResults(options, { facts, size: rig.size, remarks: rig.remarks, readings, verdicts });
  return verdicts.every((verdict) => verdict.isReached !== false);
}

async function main(options: Options): Promise<number> {
  const plazaScript = resolve(options.plazaScript ?? join(repository, "server", "bin", "plaza.mjs"));
  if (!existsSync(plazaScript)) throw new Error(`no Plaza to measure: ${plazaScript} does not exist`);
  const tools = requireTools(options.mayInstall);
  const facts = machineFacts(tools, repository);
  const cores = claimCores();
  mkdirSync(resultsFolder, { recursive: true });
  console.log(
    Object.entries(facts)
      .map(([name, value]) => `${name.padEnd(8)} ${value}`)
      .join("\n"),
  );
  console.log(
    `pinned   gateway on core ${cores.gateway.join()}, upstream and load on core ${cores.load.join()}\n`,
  );
  const rig = await openRig(options.size, tools, cores, plazaScript);
  try {
    for (const remark of rig.remarks) console.log(`Remark: ${remark}`);
    if (options.profile !== undefined) {
      await profileCase(rig, options.profile, repository, resultsFolder);
      return 0;
    }
    return (await measure(rig, options, facts)) || options.mayMiss ? 0 : 1;
  } finally {
    await rig.close();
  }
}

/** Ends the run from outside its straight line: a signal, or the deadline. */
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
// Kept-alive connections of probes would hold the process open for some seconds.
process.exit();
