/** Prompts read from what a browser stored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unsetParameters } from "../chat/request.ts";
import { promptsMax, readPrompts } from "./prompt-library.ts";

const prompt = { id: "1", name: "brief", system: "Be brief.", text: "", parameters: unsetParameters };

test("prompts come back, with the defaults of parameters that they do not have", () => {
  assert.deepEqual(readPrompts(JSON.stringify([prompt])), [prompt]);
  const { stream, ...older } = unsetParameters;
  assert.equal(stream, true);
  assert.deepEqual(readPrompts(JSON.stringify([{ ...prompt, parameters: older }])), [prompt]);
});

test("what is no prompt is left out, and not more than there may be are read", () => {
  for (const text of [null, "", "{", "{}", "[null, 1]", '[{"id":"1"}]'])
    assert.deepEqual(readPrompts(text), []);
  assert.equal(readPrompts(JSON.stringify(Array(promptsMax + 5).fill(prompt))).length, promptsMax);
});
