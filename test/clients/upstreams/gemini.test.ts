/** The scripted Gemini model: Google's SDK reads it, and what Google refuses is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Content, type GenerateContentParameters, GoogleGenAI, type Part } from "@google/genai";
import { geminiWire } from "./gemini.ts";
import { type ScriptedModel, startScriptedModel } from "./server.ts";
import { finalText, task } from "./task.ts";

let model: ScriptedModel;
let client: GoogleGenAI;
before(async () => {
  model = await startScriptedModel(geminiWire);
  client = new GoogleGenAI({ apiKey: "sk-scripted", httpOptions: { baseUrl: model.origin } });
});
after(() => model?.stop());

const parametersJsonSchema = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
};
const ask = (contents: Content[]): GenerateContentParameters => ({
  model: "scripted",
  contents,
  config: {
    tools: [{ functionDeclarations: [{ name: "bash", parametersJsonSchema }] }],
    thinkingConfig: { includeThoughts: true },
  },
});

/** A conversation whose next answer is the given step's. */
async function upTo(step: number): Promise<Content[]> {
  const contents: Content[] = [{ role: "user", parts: [{ text: "do it" }] }];
  model.begin("/work");
  for (let at = 0; at < step; at++) {
    const { candidates } = await client.models.generateContent(ask(contents));
    const parts = candidates?.[0]?.content?.parts ?? [];
    contents.push({ role: "model", parts });
    const works = task[at]?.works ?? [];
    contents.push({
      role: "user",
      parts: parts
        .flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
        .map(({ id, name }, index): Part => {
          const work = works[index];
          const output = work?.kind === "run" ? work.prints : "done";
          return { functionResponse: { ...(id && { id }), ...(name && { name }), response: { output } } };
        }),
    });
  }
  return contents;
}

test("the script runs to its end, whole and streamed", async () => {
  const contents = await upTo(task.length - 1);
  const whole = await client.models.generateContent(ask(contents));
  assert.equal(whole.text, finalText);
  let text = "";
  let total: number | undefined;
  for await (const chunk of await client.models.generateContentStream(ask(contents))) {
    text += chunk.text ?? "";
    total = chunk.usageMetadata?.totalTokenCount;
  }
  assert.equal(text, finalText);
  assert.equal(total, whole.usageMetadata?.totalTokenCount);
});

test("of parallel calls the first is signed", async () => {
  const { candidates } = await client.models.generateContent(ask(await upTo(1)));
  const calls = (candidates?.[0]?.content?.parts ?? []).filter(
    ({ functionCall }) => functionCall !== undefined,
  );
  assert.deepEqual(
    calls.map(({ thoughtSignature }) => thoughtSignature !== undefined),
    [true, false],
  );
});

test("ids may be left out", async () => {
  const contents = await upTo(1);
  for (const part of contents.flatMap(({ parts }) => parts ?? []))
    for (const one of [part.functionCall, part.functionResponse]) if (one !== undefined) delete one.id;
  await client.models.generateContent(ask(contents));
});

type Loose = Record<string, unknown>;
const callPart = (contents: Content[]): Loose =>
  contents[1]?.parts?.find(({ functionCall }) => functionCall !== undefined) as Loose;
const refusals: readonly (readonly [string, (contents: Content[]) => void, RegExp])[] = [
  ["a missing signature", (all) => delete callPart(all)["thoughtSignature"], /missing a thought_signature/],
  ["an altered signature", (all) => Object.assign(callPart(all), { thoughtSignature: "c2ln" }), /altered/],
  [
    "a missing response",
    (all) => all.splice(2, 1, { role: "user", parts: [{ text: "hm" }] }),
    /0 function responses/,
  ],
  [
    "altered arguments",
    (all) => Object.assign(callPart(all)["functionCall"] as Loose, { args: {} }),
    /altered/,
  ],
  [
    "a response to another function",
    (all) => Object.assign(all[2]?.parts?.[0]?.functionResponse ?? {}, { name: "other" }),
    /a response of "other"/,
  ],
  ["empty parts", (all) => all.push({ role: "user", parts: [] }), /must not be empty/],
];

for (const [name, edit, expected] of refusals)
  test(`refuses ${name}`, async () => {
    const contents = await upTo(1);
    edit(contents);
    await assert.rejects(client.models.generateContent(ask(contents)));
    assert.match(model.calls.at(-1)?.refused ?? "", expected);
  });

test("refuses an unknown field anywhere", async () => {
  model.begin("/work");
  const response = await fetch(`${model.baseUrl}/models/scripted:generateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": "k" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi", cache_control: {} }] }] }),
  });
  assert.equal(response.status, 400);
  assert.match(model.calls.at(-1)?.refused ?? "", /unknown field "cache_control"/);
});
