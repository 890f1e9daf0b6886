import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../protocols/protocol.ts";
import { RefusedParams, withoutParam } from "./without-param.ts";

const droppable: ReadonlySet<string> = new Set(["temperature", "top_p"]);

const refusal = (param: string, code = "unsupported_parameter"): Fault => ({
  kind: "bad_request",
  status: 400,
  code,
  param,
});

function requestOf(text: string) {
  const body = Buffer.from(text);
  const at = (value: string) => ({
    start: body.indexOf(value),
    end: body.indexOf(value) + Buffer.byteLength(value),
  });
  return { body, spans: { model: at('"m"'), user: at('"ü"') } };
}

for (const text of [
  '{"temperature":0.2,"model":"m","user":"ü","messages":[]}',
  '{"model":"m","temperature": 0.2 , "user":"ü","messages":[]}',
  '{"model":"m","user":"ü","messages":[{"temperature":1}],"temperature":0.2}',
]) {
  test(`what is left of ${text} is whole, and its spans lie where they should`, () => {
    const request = requestOf(text);
    const lesser = withoutParam(request, refusal("temperature"), droppable);
    assert.ok(lesser !== undefined);
    const { temperature: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(JSON.parse(lesser.body.toString()), rest);
    const said = (span: { start: number; end: number } | undefined) =>
      lesser.body.toString("utf8", span?.start, span?.end);
    assert.deepEqual([said(lesser.spans.model), said(lesser.spans.user)], ['"m"', '"ü"']);
  });
}

test("nothing is dropped that was not sent, that changes what is asked for, or that is refused for another reason", () => {
  const request = requestOf('{"model":"m","user":"ü","temperature":9,"tools":[],"max_tokens":5}');
  assert.equal(withoutParam(request, refusal("top_p"), droppable), undefined);
  assert.equal(withoutParam(request, refusal("tools"), droppable), undefined);
  assert.equal(withoutParam(request, refusal("max_tokens"), droppable), undefined);
  assert.equal(
    withoutParam(request, refusal("temperature", "decimal_above_max_value"), droppable),
    undefined,
  );
  assert.equal(
    withoutParam(request, { kind: "server", status: 500, param: "temperature" }, droppable),
    undefined,
  );
  assert.equal(
    withoutParam(request, { kind: "unsupported", param: "temperature" }, droppable)?.name,
    "temperature",
  );
});

test("every bound of the output is moved as well, so that it can still be reduced", () => {
  const text = '{"model":"m","user":"ü","temperature":9,"max_tokens":5,"options":{"num_predict":7}}';
  const { body, spans } = requestOf(text);
  const at = (value: string) => ({ start: body.indexOf(value), end: body.indexOf(value) + 1 });
  const outputs = [at("5"), at("7")];
  const lesser = withoutParam(
    { body, spans: { ...spans, max_tokens: at("5"), outputs } },
    refusal("temperature"),
    droppable,
  );
  const said = lesser?.spans.outputs?.map(({ start, end }) => lesser.body.toString("utf8", start, end));
  assert.deepEqual(said, ["5", "7"]);
});

test("what a deployment refused is known of it alone, for ten minutes", () => {
  const refused = new RefusedParams();
  const [one, other] = [{}, {}];
  refused.note(one, "temperature", 1_000);
  assert.deepEqual([refused.of(one, 1_001), refused.of(other, 1_001)], ["temperature", undefined]);
  assert.equal(refused.of(one, 600_999), "temperature");
  assert.equal(refused.of(one, 601_000), undefined);
});
