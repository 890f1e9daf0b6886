/** What a stream's last event lacks is put into the response as it was written; everything else stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DoneItems } from "../../../protocols/openai-responses/answers/done-items.ts";
import { completedResponse } from "./completed-response.ts";

const doneType = "response.output_item.done";
const done = (item: string, index?: number): string =>
  `{"type":"${doneType}",${index === undefined ? "" : `"output_index":${index},`}"item":${item}}`;

function completed(
  response: string,
  events: readonly string[],
  { id = "resp_1", keepsAll = true } = {},
): string {
  const items = new DoneItems(keepsAll);
  for (const event of events) items.take(event, undefined);
  const earlier = items.lackedBy(JSON.parse(response), id === "" ? undefined : id);
  return completedResponse(Buffer.from(response), earlier).toString();
}

test("items come in their order, each once, as they were written", () => {
  const events = [done('{ "id":"b" }', 1), done('{"id":"a"}', 0), done('{"id":"c"}'), done('{"id":"A"}', 0)];
  assert.equal(
    completed('{"output":[],"id":"r", "x":1.0}', events),
    '{"output":[{"id":"A"},{ "id":"b" },{"id":"c"}],"id":"r", "x":1.0}',
  );
});

test("an end that lacks nothing stays the same buffer", () => {
  const whole = '{"id":"r","output":[{"id":"other"}]}';
  assert.equal(completed(whole, [done('{"id":"a"}', 0)]), whole);
  assert.equal(completed('{"output":[]}', [], { id: "" }), '{"output":[]}');
});

test("the id is that of the beginning where the end has none", () => {
  for (const response of [
    '{"output":[]}',
    '{"id":null,"output":[]}',
    '{"id":"","output":[]}',
    '{"id":7,"output":[]}',
  ])
    assert.equal(JSON.parse(completed(response, [])).id, "resp_1", response);
  assert.deepEqual(JSON.parse(completed("{}", [done('{"id":"a"}')])), {
    id: "resp_1",
    output: [{ id: "a" }],
  });
});

test("what is no such event, or no JSON, is left out", () => {
  const events = [
    `{"type":"response.output_text.done","text":"${doneType}","item":{"id":"x"}}`,
    `{"type":"response.x","y":{"type":"${doneType}"},"item":{"id":"x"}}`,
    `{"type":"${doneType}","item":{"id":"x"`,
    `{"type":"${doneType}"}`,
    done('{"id":"a"}', 1e9),
  ];
  assert.equal(completed('{"id":"r","output":[]}', events), '{"id":"r","output":[{"id":"a"}]}');
});

test("where nothing is stored, only items that an upstream alone can read are kept", () => {
  const opaque = done('{"type":"reasoning","encrypted_content":"QUJD"}', 1);
  const response = '{"id":"r","output":[]}';
  assert.equal(completed(response, [done('{"id":"a"}', 0)], { keepsAll: false }), response);
  assert.match(
    completed(response, [done('{"id":"a"}', 0), opaque], { keepsAll: false }),
    /\[\{"type":"reasoning"/,
  );
});

test("of an answer beyond the bound no item is kept", () => {
  const large = done(`{"id":"a","text":"${"x".repeat(20 * 1024 * 1024)}"}`);
  const response = '{"id":"r","output":[]}';
  assert.equal(completed(response, [large, large]), response);
});
