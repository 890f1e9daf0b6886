/** The scripted Responses model: OpenAI's SDK reads it, and what OpenAI refuses is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { responsesWire } from "./responses.ts";
import { type ScriptedModel, startScriptedModel } from "./server.ts";
import { finalText, task } from "./task.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

let model: ScriptedModel;
let client: OpenAI;
before(async () => {
  model = await startScriptedModel(responsesWire);
  client = new OpenAI({ baseURL: model.baseUrl, apiKey: "sk-scripted", maxRetries: 0 });
});
after(() => model?.stop());

const parameters = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
};
const ask = (input: Item[], more: Partial<Body> = {}): Body => ({
  model: "scripted",
  input,
  tools: [{ type: "function", name: "bash", parameters, strict: false }],
  store: false,
  include: ["reasoning.encrypted_content"],
  ...more,
});

const outputsFor = (output: OpenAI.Responses.ResponseOutputItem[], step: number): Item[] =>
  output
    .filter((item) => item.type === "function_call")
    .map((item, index) => {
      const work = task[step]?.works[index];
      const printed = work?.kind === "run" ? work.prints : "done";
      return { type: "function_call_output", call_id: item.call_id, output: printed };
    });

/** A conversation whose next answer is the given step's. */
async function upTo(step: number): Promise<Item[]> {
  const items: Item[] = [{ role: "user", content: "do it" }];
  model.begin("/work");
  for (let at = 0; at < step; at++) {
    const { output } = await client.responses.create(ask(items));
    items.push(...(output as Item[]), ...outputsFor(output, at));
  }
  return items;
}

test("the script runs to its end, whole and streamed", async () => {
  const items = await upTo(task.length - 1);
  const whole = await client.responses.create(ask(items));
  assert.equal(whole.output_text, finalText);
  const streamed = await client.responses.stream(ask(items) as never).finalResponse();
  assert.equal(streamed.output_text, finalText);
  assert.deepEqual(streamed.usage, whole.usage);
});

test("reasoning, text and parallel calls stream as they are whole, numbered without a gap", async () => {
  const items = await upTo(1);
  const whole = await client.responses.create(ask(items));
  const numbers: number[] = [];
  const done: unknown[] = [];
  for await (const event of await client.responses.create({ ...ask(items), stream: true })) {
    numbers.push(event.sequence_number);
    if (event.type === "response.output_item.done") done.push(event.item);
  }
  assert.deepEqual(
    whole.output.map(({ type }) => type),
    ["reasoning", "message", "function_call", "function_call"],
  );
  assert.deepEqual(done, whole.output);
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at),
  );
});

test("what was stored can be referred to, by item and by response", async () => {
  model.begin("/work");
  const first = await client.responses.create(ask([{ role: "user", content: "do it" }], { store: true }));
  const references: Item[] = first.output.map(({ id }) => ({ type: "item_reference", id: id ?? "" }));
  const outputs = outputsFor(first.output, 0);
  const user: Item = { role: "user", content: "do it" };
  const byItem = await client.responses.create(ask([user, ...references, ...outputs]));
  const byResponse = await client.responses.create(ask(outputs, { previous_response_id: first.id }));
  assert.deepEqual(byItem.output, byResponse.output);
});

type Loose = Record<string, unknown>;
const at = (items: Item[], type: string): Loose =>
  items.find((item) => "type" in item && item.type === type) as unknown as Loose;
const refusals: readonly (readonly [string, (items: Item[]) => void, RegExp])[] = [
  ["an altered seal", (all) => Object.assign(at(all, "reasoning"), { encrypted_content: "c2ln" }), /altered/],
  ["a call without its reasoning", (all) => all.splice(1, 1), /without its required 'reasoning' item/],
  ["reasoning that leads to nothing", (all) => all.splice(2, 2), /without its required following item/],
  ["a call without output", (all) => all.pop(), /No tool output found/],
  [
    "output without a call",
    (all) => Object.assign(at(all, "function_call_output"), { call_id: "x" }),
    /No tool call/,
  ],
  ["altered arguments", (all) => Object.assign(at(all, "function_call"), { arguments: "{}" }), /was altered/],
  ["an unknown reference", (all) => all.push({ type: "item_reference", id: "rs_other" }), /not found/],
  ["an unknown item", (all) => all.push({ type: "thinking" } as never), /invalid value 'thinking'/],
];

for (const [name, edit, expected] of refusals)
  test(`refuses ${name}`, async () => {
    const items = await upTo(1);
    edit(items);
    await assert.rejects(client.responses.create(ask(items)));
    assert.match(model.calls.at(-1)?.refused ?? "", expected);
  });
