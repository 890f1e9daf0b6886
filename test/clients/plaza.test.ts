/**
 * Client programs as they come, through Plaza, against scripted models of all four wires: the same task must
 * be done whatever the model speaks, nothing may be refused by the model, and what Plaza counted is what the
 * models reported. With TEST_CLIENTS=all every program meets every wire; else each meets some.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { holdToScript, runAgent } from "./agent.ts";
import { install } from "./install.ts";
import type { Program, WireName } from "./program.ts";
import { programs, served, spoken } from "./programs/index.ts";
import { type ClientRig, modelFor, startClientRig, wireNames } from "./rig.ts";

let rig: ClientRig;
before(async () => {
  rig = await startClientRig();
});
after(() => rig?.stop());

const isAll = process.env["TEST_CLIENTS"] === "all";
const only = process.env["TEST_CLIENTS_ONLY"];

/** The wires upstream a program meets in every run: all of them where it is quick, its own elsewhere. */
function upstreamsOf({ isQuick, wire }: Program): readonly WireName[] {
  const wanted = isAll || isQuick === true ? wireNames : [wire];
  return served.includes(wire) ? wanted.filter((one) => spoken.includes(one)) : [];
}

for (const program of programs.filter(({ id }) => only === undefined || new RegExp(only).test(id)))
  for (const upstream of upstreamsOf(program))
    test(`${program.name} does the task with a model that speaks ${upstream}`, async (context) => {
      const installed = await install(program.package);
      if ("why" in installed) return context.skip(installed.why);
      const model = rig.models[upstream];
      const before = await rig.product.requests();
      const target = { origin: rig.product.origin, key: rig.key, model: modelFor(program.wire, upstream) };
      const outcome = await runAgent(program, installed, target, model);
      holdToScript(outcome, model);
      const seen = new Set(before.map(({ id }) => id));
      const rows = (await rig.product.requests()).filter(
        ({ id, state }) => !seen.has(id) && state !== "refused",
      );
      const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
      const reported = model.calls.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens]));
      assert.deepEqual(
        {
          calls: rows.length,
          input: sum(rows.map(({ inputTokens, cachedInputTokens }) => inputTokens + cachedInputTokens)),
          cached: sum(rows.map(({ cachedInputTokens }) => cachedInputTokens)),
          output: sum(rows.map(({ outputTokens }) => outputTokens)),
        },
        {
          calls: reported.length,
          input: sum(reported.map(({ input }) => input)),
          cached: sum(reported.map(({ cached }) => cached)),
          output: sum(reported.map(({ output }) => output)),
        },
      );
    });
