import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanSchema, parametersSchema } from "./schema.ts";

test("what Gemini does not take is left out or said otherwise, at any depth", () => {
  assert.deepEqual(
    cleanSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        const: { type: "string", const: "a" },
        number: { const: 1 },
        flag: { const: true },
        nothing: { const: null },
        any: true,
        list: { type: "array", items: { $ref: "#/definitions/node", title: "t" } },
        $schema: { type: "string" },
        one: { allOf: [{ type: "string" }], description: "d" },
        either: { oneOf: [{ const: "x" }, { type: ["integer", "null"] }] },
      },
      additionalProperties: { const: "z" },
      definitions: { node: { type: "object", properties: { next: { $ref: "#/definitions/node" } } } },
    }),
    {
      type: "object",
      properties: {
        const: { type: "string", enum: ["a"] },
        number: { enum: [1] },
        flag: { type: "boolean" },
        nothing: { type: "null" },
        any: {},
        list: { type: "array", items: { $ref: "#/$defs/node" } },
        $schema: { type: "string" },
        one: { type: "string", description: "d" },
        either: { oneOf: [{ enum: ["x"] }, { type: ["integer", "null"] }] },
      },
      additionalProperties: { enum: ["z"] },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    },
  );
});

test("examples, enums and defaults are values, not schemas", () => {
  const schema = {
    type: "object",
    default: { const: 1 },
    enum: [{ $schema: "x" }],
    examples: [{ const: 2 }],
  };
  assert.deepEqual(cleanSchema(schema), schema);
});

test("names like __proto__ stay names", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}}}') as Record<
    string,
    unknown
  >;
  assert.equal(
    JSON.stringify(cleanSchema(schema)),
    '{"type":"object","properties":{"__proto__":{"enum":[1]}}}',
  );
});

test("arguments of nothing are not declared; a missing type is an object", () => {
  assert.equal(parametersSchema(undefined), undefined);
  assert.equal(parametersSchema({}), undefined);
  assert.equal(parametersSchema({ type: "object" }), undefined);
  assert.equal(parametersSchema({ type: "object", properties: {}, additionalProperties: false }), undefined);
  assert.deepEqual(parametersSchema({ properties: { a: {} } }), { type: "object", properties: { a: {} } });
  assert.deepEqual(parametersSchema({ $ref: "#/$defs/a", $defs: { a: { type: "object" } } }), {
    $ref: "#/$defs/a",
    $defs: { a: { type: "object" } },
  });
  const open = { type: "object", additionalProperties: { type: "string" } };
  assert.deepEqual(parametersSchema(open), open);
});
