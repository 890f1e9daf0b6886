/**
 * Every client program against the scripted model of its own wire, without Plaza: proves that the script and
 * its strictness are right about the program. Runs with TEST_CLIENTS=all; else for one program of each wire.
 */
import { after, before, test } from "node:test";
import { holdToScript, holdToThoughts, runAgent } from "./agent.ts";
import { install } from "./install.ts";
import { chosenPrograms } from "./programs/index.ts";
import { modelFor, startModels } from "./rig.ts";

let models: Awaited<ReturnType<typeof startModels>>;
before(async () => {
  models = await startModels();
});
after(() => models?.stop());

for (const program of chosenPrograms()) {
  const { name, wire } = program;
  test(`${name} does the task against a model that speaks ${wire}`, async (context) => {
    const installed = await install(program.package);
    if ("why" in installed) return context.skip(installed.why);
    const target = { origin: models[wire].origin, key: "sk-scripted", model: modelFor(wire, wire) };
    const outcome = await runAgent(program, installed, target, models[wire]);
    holdToScript(outcome, models[wire]);
    holdToThoughts(models[wire]);
    if (outcome.hosts.length > 0) context.diagnostic(`tried to reach ${outcome.hosts.join(", ")}`);
  });
}
