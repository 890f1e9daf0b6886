/** How long an account's responses are kept, on the command line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine } from "../testing/test-command-line.ts";

test("how long an account's responses are kept is shown, set, and taken back to the default", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "Team Blue");
  const { id } = account;
  const command = ["account", "responses", id];
  const whose = `Responses of account ${id} (Team Blue)`;
  assert.deepEqual((await json(...command)).value, { id, responsesKeptMs: null });
  const steps: [given: string, ms: number | null, shown: string][] = [
    ["7d", 604_800_000, `${whose} are kept: 7d.\n`],
    ["off", 0, `${whose} are not kept.\n`],
    ["90m", 5_400_000, `${whose} are kept: 90m.\n`],
    ["default", null, `${whose} are kept: as for every account.\n`],
  ];
  for (const [given, ms, shown] of steps) {
    assert.deepEqual(await run(...command, "--keep", given), { status: 0, out: shown, err: "" });
    assert.deepEqual((await json(...command)).value, { id, responsesKeptMs: ms });
    assert.equal((await json("account", "list")).value[0].responsesKeptMs, ms);
  }
});

test("a time that is none, or too long, is refused with what may be given", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  for (const given of ["5", "-1d", "366d", "ever"]) {
    const { status, err } = await run("account", "responses", account.id, "--keep", given);
    assert.notEqual(status, 0);
    assert.match(err, /up to 365d/);
  }
  assert.match((await run("account", "responses", "acc_none")).err, /acc_none/);
});
