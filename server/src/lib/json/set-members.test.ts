import assert from "node:assert/strict";
import { test } from "node:test";
import { setMembers } from "./set-members.ts";

const set = (text: string, values: Readonly<Record<string, string>>, start = 0): string =>
  setMembers(Buffer.from(text), start, values).toString();

test("a member is replaced where it stands, each time it does, else put before the others", () => {
  assert.equal(set('{ "a" : 1, "é": [2] }', { a: "7" }), '{ "a" : 7, "é": [2] }');
  assert.equal(set('{"a":1,"b":2,"a":{"b":3}}', { a: "[]" }), '{"a":[],"b":2,"a":[]}');
  assert.equal(set('{"\\u0061":1}', { a: "2" }), '{"\\u0061":2}');
  assert.equal(set(' {"b":{"a":1}}', { a: "2", c: '"x"' }), ' {"a":2,"c":"x","b":{"a":1}}');
  assert.equal(set("{ }", { a: "2", c: "3" }), '{"a":2,"c":3 }');
  assert.equal(set('{"x":{"a":1}}', { a: "2" }, 5), '{"x":{"a":2}}');
  const same = Buffer.from('{"a":1}');
  assert.equal(setMembers(same, 0, {}), same);
});
