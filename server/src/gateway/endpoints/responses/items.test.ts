/** Which items of a Responses request only name another one, and which say what they are by themselves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { approvalRequestsIn, approvedIn, referenceIn } from "./items.ts";

const reference = (item: string) => {
  const body = Buffer.from(` ${item} `);
  return referenceIn(body, { start: 1, end: body.length - 1 });
};

test("a reference is one by any of its types, and without a readable id it names nothing", () => {
  const rows: [item: string, id: string | undefined][] = [
    ['{"type":"item_reference","id":"a"}', "a"],
    ['{"type":null,"id":"a"}', "a"],
    ['{"id":"a"}', "a"],
    ['{"id":"a","content":"b"}', "a"],
    ['{"type":"message","role":"user","content":"b","type":"item_reference","id":"a"}', "a"],
    ['{"type":"item_reference","type":"message","role":"user","content":"b","id":"a"}', "a"],
    ['{"\\u0074ype":"item_\\u0072eference","\\u0069d":"a"}', "a"],
    ['{"role":"user","role":null,"id":"a","content":"b"}', "a"],
    ['{"type":"item_reference"}', undefined],
    ['{"type":"item_reference","id":null}', undefined],
    ['{"type":"item_reference","id":5}', undefined],
    [`{"type":"item_reference","id":"${"x".repeat(600)}"}`, undefined],
    ['{"id":{"a":1}}', undefined],
  ];
  for (const [item, id] of rows) assert.deepEqual(reference(item), { id }, item);
});

test("an item with an id and nothing to say is a reference, whatever its type", () => {
  for (const item of [
    '{"type":"image_generation_call","id":"a"}',
    '{"type":"image_generation_call","id":"a","status":"completed","result":null}',
    '{"type":"image_generation_call","id":"a","result":"","output_format":"png"}',
    '{"type":"image_generation_call","id":"a","result":"AAAA","result":null}',
    '{"type":"reasoning","id":"a","summary":[]}',
    '{"type":"reasoning","id":"a","summary":[ ],"content":null,"encrypted_content":""}',
    '{"type":"web_search_call","id":"a","status":"completed"}',
    '{"type":"web_search_call","id":"a","action":{ },"queries":[],"x":""}',
    '{"type":"message","id":"a","role":"assistant","status":"completed","x":1}',
    '{"role":"assistant","id":"a"}',
    '{"type":"message","role":"user","content":"b","content":null,"id":"a"}',
    '{"type":"of_2030","id":"a","x":null}',
    '{"type":7,"id":"a"}',
    '{"type":"function_call","type":"reasoning","call_id":"c","name":"f","arguments":"{}","id":"a"}',
  ])
    assert.deepEqual(reference(item), { id: "a" }, item);
});

test("what clients send back of an answer in full is no reference, nor is an item without an id", () => {
  for (const item of [
    '{"type":"reasoning","id":"a","summary":[],"encrypted_content":"x"}',
    '{"type":"reasoning","id":"a","summary":[],"content":[{"type":"reasoning_text","text":"t"}]}',
    '{"type":"reasoning","id":"a","summary":[{"type":"summary_text","text":"t"}]}',
    '{"type":"function_call","id":"a","call_id":"c","name":"f","arguments":"{}"}',
    '{"type":"message","id":"a","role":"assistant","content":[]}',
    '{"role":"user","id":"a","content":""}',
    '{"type":"image_generation_call","id":"a","status":"completed","result":"AAAA"}',
    '{"type":"web_search_call","id":"a","status":"completed","action":{"type":"search","query":"q"}}',
    '{"type":"function_call_output","id":"a","call_id":"c","output":""}',
    '{"type":"compaction","id":"a","encrypted_content":"x"}',
    '{"type":"reasoning","summary":[]}',
    '{"type":"reasoning","id":null,"summary":[]}',
    '{"role":"user","content":"b"}',
    "{}",
    '"a"',
    "[]",
  ])
    assert.equal(reference(item), undefined, item);
});

test("an approval names its request, which the input may hold in full", () => {
  const texts = [
    '{"type":"mcp_approval_request","id":"mcpr_1","name":"f","arguments":"{}","server_label":"s"}',
    '{"type":"mcp_approval_request","id":"mcpr_2","id":"mcpr_3","name":"f"}',
    '{"type":"mcp_approval_request","id":"mcpr_4"}',
  ];
  const body = Buffer.from(texts.join(""));
  const starts = texts.map((_, index) => texts.slice(0, index).join("").length);
  const items = texts.map(({ length }, index) => ({
    start: starts[index] ?? 0,
    end: (starts[index] ?? 0) + length,
  }));
  assert.deepEqual([...approvalRequestsIn(body, items)], ["mcpr_1"]);
  const approved = (item: string) => approvedIn(Buffer.from(item), { start: 0, end: item.length });
  assert.deepEqual(approved('{"type":"mcp_approval_response","approval_request_id":"a","approve":true}'), [
    "a",
  ]);
  assert.deepEqual(
    approved('{"type":"x","type":"mcp_approval_response","approval_request_id":"a","approval_request_id":5}'),
    ["a", ""],
  );
  assert.deepEqual(approved('{"type":"mcp_call","approval_request_id":"a"}'), []);
});
