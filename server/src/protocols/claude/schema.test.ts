/** Which schemas can be enforced. `oracle.test.ts` compares the result with the official SDK. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closedSchema } from "./schema.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

test("references are kept, except those that lead in circles", () => {
  const shared = {
    a: object({ c: ref("c"), d: ref("c") }),
    b: object({ a: ref("a"), c: ref("c") }),
    c: object({}),
  };
  assert.notEqual(closedSchema(object({ a: ref("a"), b: ref("b") }, { $defs: shared })), undefined);
  const circles = [
    { a: object({ a: ref("a") }) },
    { a: object({ b: ref("b") }), b: object({ l: { type: "array", items: ref("a") } }) },
    { a: object({ b: ref("b") }), b: object({ c: ref("c") }), c: object({ b: ref("b") }) },
    {
      x: object({}),
      a: object({ x: ref("x"), y: ref("y") }),
      y: object({ a: { anyOf: [ref("a"), { type: "null" }] } }),
    },
  ];
  for (const $defs of circles) assert.equal(closedSchema(object({ a: ref("a") }, { $defs })), undefined);
  assert.equal(closedSchema(object({ self: { $ref: "#" } })), undefined);
});

test("very many definitions take no time", () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `d${index}`);
  const $defs = Object.fromEntries(
    names.map((name, index) => [name, object({ next: ref(names[index + 1] ?? "end") })]),
  );
  assert.notEqual(
    closedSchema(object({ first: ref("d0") }, { $defs: { ...$defs, end: object({}) } })),
    undefined,
  );
});

test("what cannot be closed without changing what is valid is not", () => {
  for (const schema of [
    { type: "object" },
    object({ a: { type: "object" } }),
    object({}, { additionalProperties: { type: "string" } }),
    object({}, { additionalProperties: true }),
    object({}, { patternProperties: {} }),
    object({ a: { not: { type: "string" } } }),
    object({ a: true }),
    object({ a: { anyOf: [{ type: "null" }], oneOf: [{ type: "string" }] } }),
  ]) {
    assert.equal(closedSchema(schema), undefined, JSON.stringify(schema));
  }
});

test("the caller's schema is left as it is", () => {
  const schema = object({ a: { type: "string", minLength: 2 }, b: { oneOf: [{ type: "null" }] } });
  const before = structuredClone(schema);
  closedSchema(schema);
  assert.deepEqual(schema, before);
});
