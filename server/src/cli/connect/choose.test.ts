import assert from "node:assert/strict";
import { test } from "node:test";
import { message } from "@plaza/contract/messages/message.ts";
import type { Proposal } from "../../connect/propose.ts";
import type { Terminal } from "../command-io.ts";
import { chooseModels, readNumbers } from "./choose.ts";

const proposal = (id: string, change: Partial<Proposal> = {}): Proposal => ({
  upstreamModel: `up/${id}`,
  id,
  name: id,
  action: "add",
  isPriced: true,
  ...change,
});
const proposals = [
  proposal("a"),
  proposal("b", { isPriced: false }),
  proposal("c", { action: "deploy" }),
  proposal("d", { action: "present" }),
  proposal("e", { action: "leave", reason: message("connect.noChatModel") }),
];
const ids = (chosen: readonly Proposal[]) => chosen.map(({ id }) => id);

function answering(...answers: string[]): Terminal {
  const never = () => Promise.reject(new Error("not asked for"));
  return {
    isInteractive: true,
    showsProgress: false,
    ask: async () => answers.shift() ?? assert.fail("asked once too often"),
    askSecret: never,
    readAll: never,
  };
}

test("unasked: what has a price; named: what is named, by either name; all: all that can be", async () => {
  assert.deepEqual(ids(await chooseModels(proposals, undefined, undefined)), ["a", "c"]);
  assert.deepEqual(ids(await chooseModels(proposals, ["up/b", "c", "d"], undefined)), ["b", "c"]);
  assert.deepEqual(ids(await chooseModels(proposals, "all", undefined)), ["a", "b", "c"]);
  await assert.rejects(chooseModels(proposals, ["nobody"], undefined), { code: "model_not_found" });
  await assert.rejects(chooseModels(proposals, ["e"], undefined), { code: "not_a_chat_model" });
});

test("at the terminal: by number, all, those with a price, none; what makes no sense is asked again", async () => {
  const ask = async (...answers: string[]) =>
    ids(await chooseModels(proposals, undefined, answering(...answers)));
  assert.deepEqual(await ask("2-3"), ["b", "c"]);
  assert.deepEqual(await ask("a"), ["a", "b", "c"]);
  assert.deepEqual(await ask("p"), ["a", "c"]);
  assert.deepEqual(await ask(""), []);
  assert.deepEqual(await ask("n"), []);
  assert.deepEqual(await ask("4", "x", "0", "1"), ["a"]);
});

test("numbers and ranges", () => {
  assert.deepEqual(readNumbers("1, 3-5,4", 5), [0, 2, 3, 4]);
  for (const wrong of ["0", "6", "5-3", "1-6", "a", "1,", "-1", "1-", ""])
    assert.equal(readNumbers(wrong, 5), undefined, wrong);
});
