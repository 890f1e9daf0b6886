/**
 * Long conversations through every pair. `TURNS` and `SEED` change a run; rig P37 plays 50 turns.
 */
import { test } from "node:test";
import { pairCallers } from "./callers.ts";
import { talk } from "./talks.ts";
import { pairUpstreams } from "./upstreams.ts";

const turns = Number(process.env["TURNS"] ?? 24);
const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

for (const caller of pairCallers)
  test(`${caller.name}: ${turns} turns keep their meaning and their beginning (seed ${seed})`, async () => {
    for (const at of pairUpstreams) await talk({ caller, at }, seed, turns);
  });
