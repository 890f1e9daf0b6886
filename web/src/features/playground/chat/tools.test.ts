/** Tools as people paste them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool, toolsOf } from "./tools.ts";

test("a list and a single tool are read, nothing is none", () => {
  const tool = { type: "function", function: { name: "look" } };
  assert.deepEqual(toolsOf(JSON.stringify([tool])), [tool]);
  assert.deepEqual(toolsOf(JSON.stringify(tool)), [tool]);
  assert.deepEqual(toolsOf("  "), []);
  assert.equal(toolsOf(sampleTool)?.length, 1);
});

test("what is no tool is refused before anything is sent", () => {
  for (const text of [
    "{",
    "[1]",
    "null",
    '[{"type":"function"}]',
    '{"type":"function","function":{"name":""}}',
  ])
    assert.equal(toolsOf(text), undefined, text);
});
