/**
 * The short form of every rig as a test, in two files that run in parallel (`rigs-*.test.ts`). Correctness
 * figures are asserted; timings depend on the machine and are printed.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { printFigure } from "./harness/figure.ts";
import { describeProcess, orphansOf, processTree } from "./harness/processes/proc.ts";
import { rootFolder } from "./harness/processes/processes.ts";
import { chooseSeed } from "./harness/random.ts";
import { rigs } from "./rigs.ts";

const seed = chooseSeed();
/** The promises stated for both databases; the other money rigs take `--database postgres` too. */
const alsoOnPostgres = ["P02", "P03", "P18", "P21", "P28", "P29"];

const names = Object.keys(rigs).flatMap((name) => [
  { name, database: "sqlite" as const },
  ...(alsoOnPostgres.includes(name) ? [{ name, database: "postgres" as const }] : []),
]);

/** How long this process may continue after its last test. */
const leaveMs = 15_000;

/**
 * Anything that a rig leaves running would keep this process alive, so it is listed and the process exits,
 * with an error if processes are left.
 */
function endAfterwards(): void {
  setTimeout(() => {
    const left = [...processTree(process.pid).slice(1), ...orphansOf(rootFolder)];
    const kept = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`The rigs have ended and this process has not. It keeps: ${kept || "nothing"}.\n`);
    for (const pid of left) process.stderr.write(`Still running: ${describeProcess(pid)}\n`);
    process.exit(left.length === 0 ? process.exitCode : 1);
  }, leaveMs).unref();
}

/** Registers every second rig, starting from the first or the second. */
export function testEverySecond(from: 0 | 1): void {
  after(endAfterwards);
  for (const { name, database } of names.filter((_, index) => index % 2 === from)) {
    const place = alsoOnPostgres.includes(name) ? ` on ${database}` : "";
    test(`${name}${place}, short form (SEED=${seed})`, { timeout: 120_000 }, async (context) => {
      const { run, skip = false } = (await rigs[name]?.()) ?? assert.fail(`no rig ${name}`);
      if (name === "CLUSTER" && process.env["RIG_CLUSTER"] === undefined) {
        context.skip("several hosts are a command of their own; RIG_CLUSTER=1 tries them here, too");
        return;
      }
      if (skip !== false) {
        context.skip(skip);
        return;
      }
      const figures = await run({ size: "short", seed, database });
      for (const figure of figures) context.diagnostic(printFigure(figure, seed));
      const missed = figures.filter((figure) => figure.kind === "correct" && !figure.ok);
      assert.deepEqual(
        missed.map((figure) => printFigure(figure, seed)),
        [],
      );
    });
  }
}
