/** Which opaque reasoning in requests and answers is an upstream's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { responsesPayloads } from "../../../protocols/payloads/marks.ts";
import { plainSeal } from "../../../protocols/payloads/seal.ts";
import { opaqueItems, opaqueSaid } from "./opaque-items.ts";
import type { ResponsesFields } from "./responses-fields.ts";

const ours = String(responsesPayloads.write([{ data: "d" }], plainSeal));

function foundIn(input: readonly unknown[], space?: number): unknown {
  const text = JSON.stringify({ input }, null, space);
  const start = text.indexOf("[");
  const fields = { messages: { start, end: text.length - 1 } } as ResponsesFields;
  return opaqueItems(fields, Buffer.from(text))?.found;
}

test("items of any type with content of an upstream's are found by their places, however written", () => {
  const items = [
    { role: "user", content: 'Say "encrypted_content"' },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "QUJD" },
    { type: "reasoning", summary: [], encrypted_content: ours },
    { type: "reasoning", summary: [], encrypted_content: null },
    { type: "compaction", encrypted_content: "QUJE" },
    { encrypted_content: "QUJF", type: "reasoning" },
  ];
  for (const space of [undefined, 2])
    assert.deepEqual(foundIn(items, space), [
      { at: 1, data: "QUJD" },
      { at: 4, data: "QUJE" },
      { at: 5, data: "QUJF" },
    ]);
  assert.equal(foundIn(items.slice(2, 4)), undefined);
  assert.equal(foundIn([{ role: "user", content: "Q" }]), undefined);
});

test("in an answer each content once, and none of Plaza's", () => {
  const output = ["QUJD", ours, "QUJD", "QUJE=", null].map((encrypted_content) => ({ encrypted_content }));
  const said = (space?: number) => opaqueSaid(Buffer.from(JSON.stringify({ output }, null, space)));
  assert.deepEqual(said(), ["QUJD", "QUJE="]);
  assert.deepEqual(said(1), said());
  assert.deepEqual(opaqueSaid(Buffer.from('{"output":[]}')), []);
});
