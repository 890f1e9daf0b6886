/**
 * The short form of every rig as a test. Correctness figures are asserted; timings depend on the machine and are printed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { printFigure } from "./harness/figure.ts";
import { chooseSeed } from "./harness/random.ts";
import { rigs } from "./rigs.ts";

const seed = chooseSeed();

for (const [name, load] of Object.entries(rigs)) {
  test(`${name}, short form (SEED=${seed})`, { timeout: 120_000 }, async (context) => {
    const { run } = await load();
    const figures = await run({ size: "short", seed });
    for (const figure of figures) context.diagnostic(printFigure(figure, seed));
    const missed = figures.filter((figure) => figure.kind === "correct" && !figure.ok);
    assert.deepEqual(
      missed.map((figure) => printFigure(figure, seed)),
      [],
    );
  });
}
