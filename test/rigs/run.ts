/**
 * The command `npm run rig -- NAME…`; `all` runs every rig. Prints each figure with its seed and exits with 1
 * when one is missed.
 */
import { parseArgs } from "node:util";
import { buildServer } from "../../tools/build/server.ts";
import { printFigure } from "./harness/figure.ts";
import { monotonicMs } from "./harness/measure/clock.ts";
import { chooseSeed } from "./harness/random.ts";
import { rigs } from "./rigs.ts";

const usage = `usage: npm run rig -- NAME… [--long] [--seed N] [--database sqlite|postgres] [--minutes N]

rigs: ${Object.keys(rigs).join(" ")} all
--long       the form for which docs/promises.md states its figures; test/rigs/README.md says what each does
--seed N     repeats a run
--database   of the rigs that run on either; sqlite unless told
--minutes N  of P30; 60 unless told
`;

/** Prints how the command is used, and ends. */
function explain(error?: string): never {
  if (error === undefined) process.stdout.write(usage);
  else process.stderr.write(`${error}\n\n${usage}`);
  process.exit(error === undefined ? 0 : 2);
}

function readWords() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", default: false },
        long: { type: "boolean", default: false },
        seed: { type: "string" },
        database: { type: "string", default: "sqlite" },
        minutes: { type: "string", default: "60" },
      },
    });
  } catch (error) {
    return explain(error instanceof Error ? error.message : String(error));
  }
}

const { values, positionals } = readWords();
if (values.help) explain();
const isAll = positionals.includes("all");
const names = isAll ? Object.keys(rigs) : positionals.map((name) => name.toUpperCase());
const unknown = names.filter((name) => rigs[name] === undefined);
const { database } = values;
const minutes = Number(values.minutes);
if (names.length === 0) explain("Which rig? Name at least one.");
if (unknown.length > 0) explain(`No rig is named ${unknown.join(" or ")}.`);
if (database !== "sqlite" && database !== "postgres") explain(`--database ${database}: sqlite or postgres.`);
if (!(minutes > 0)) explain("--minutes takes a number above 0.");
const seed = chooseSeed(values.seed === undefined ? undefined : Number(values.seed));
const size = values.long ? "long" : "short";
// Processes of rigs run what `npm start` runs.
await buildServer();
let missed = 0;
for (const name of names) {
  const startedAt = monotonicMs();
  const rig = await rigs[name]?.();
  if (rig?.skip) {
    process.stdout.write(`     ${name} skipped: ${rig.skip}\n`);
    continue;
  }
  const figures = (await rig?.run({ size, seed, database, minutes })) ?? [];
  for (const figure of figures) process.stdout.write(`${printFigure(figure, seed)}\n`);
  missed += figures.filter((figure) => !figure.ok).length;
  process.stdout.write(`     ${name} ${size} took ${((monotonicMs() - startedAt) / 1000).toFixed(1)} s\n`);
}
process.stdout.write(
  missed === 0 ? "all figures reached\n" : `${missed} figures missed (SEED=${seed} repeats this run)\n`,
);
process.exit(missed === 0 ? 0 : 1);
