/**
 * The command `npm run rig -- NAME… [--long] [--seed N] [--database sqlite|postgres] [--minutes N]`; `all`
 * runs every rig. Prints each figure with its seed and exits with 1 when one is missed.
 */
import { parseArgs } from "node:util";
import { printFigure } from "./harness/figure.ts";
import { monotonicMs } from "./harness/measure/clock.ts";
import { chooseSeed } from "./harness/random.ts";
import { rigs } from "./rigs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string" },
    database: { type: "string", default: "sqlite" },
    minutes: { type: "string", default: "60" },
  },
});
const isAll = positionals.includes("all");
const names = isAll ? Object.keys(rigs) : positionals.map((name) => name.toUpperCase());
const unknown = names.filter((name) => rigs[name] === undefined);
const database = values.database === "sqlite" || values.database === "postgres" ? values.database : undefined;
const minutes = Number(values.minutes);
if (names.length === 0 || unknown.length > 0 || database === undefined || !(minutes > 0)) {
  process.stderr.write(
    `usage: npm run rig -- NAME… [--long] [--seed N] [--database sqlite|postgres] [--minutes N]\nrigs: ${Object.keys(rigs).join(" ")} all\n`,
  );
  process.exit(2);
}
const seed = chooseSeed(values.seed === undefined ? undefined : Number(values.seed));
const size = values.long ? "long" : "short";
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
