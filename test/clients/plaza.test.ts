/**
 * Client programs as they come, through Plaza, against scripted models of all four wires: the same task must
 * be done whatever the model speaks, nothing may be refused on the way, what Plaza counted and charged is
 * what the model reported, and sealed thoughts come back to the model that gave them.
 *
 * Each run of the tests takes the quick programs (`isQuick`) with every wire, under two minutes together with
 * `direct.test.ts`, and no other. All programs with all wires take ten minutes:
 * `TEST_CLIENTS=all npm run ready -- --tests test/clients/plaza.test.ts`; some of them with
 * `TEST_CLIENTS_ONLY='codex|opencode'` before it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestShown } from "../behaviour/harness/product.ts";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { holdToScript, holdToThoughts, runAgent } from "./agent.ts";
import { holdToReports } from "./bill.ts";
import { install } from "./install.ts";
import { wireNames } from "./program.ts";
import { chosenPrograms } from "./programs/index.ts";
import { type ClientRig, modelFor, startClientRig } from "./rig.ts";

let rig: ClientRig;
before(async () => {
  rig = await startClientRig();
});
after(() => rig?.stop());

const seen = new Set<string>();

/** Rows that were not there at the last look; waits until there are this many, at most. */
async function newRows(count: number): Promise<readonly RequestShown[]> {
  let rows: readonly RequestShown[] = [];
  await eventually(async () => {
    rows = (await rig.product.requests()).filter(({ id }) => !seen.has(id));
    return rows.length >= count;
  }, 5_000);
  for (const { id } of rows) seen.add(id);
  return rows;
}

for (const program of chosenPrograms())
  for (const upstream of wireNames)
    test(`${program.name} does the task with a model that speaks ${upstream}`, async (context) => {
      const installed = await install(program.package);
      if ("why" in installed) return context.skip(installed.why);
      const model = rig.models[upstream];
      const target = { origin: rig.product.origin, key: rig.key, model: modelFor(program.wire, upstream) };
      const outcome = await runAgent(program, installed, target, model);
      const rows = await newRows(model.calls.filter(({ tokens }) => tokens !== undefined).length);
      holdToScript(outcome, model);
      holdToThoughts(model);
      holdToReports(rows, model);
      assert.doesNotMatch(rig.product.logs(), /"level":"error"/);
      context.diagnostic(`${program.id} to ${upstream}: ${Math.round(outcome.ms)} ms`);
    });
