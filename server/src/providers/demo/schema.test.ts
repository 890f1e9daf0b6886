import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRecord, type JsonRecord } from "../../lib/record.ts";
import { synthesise } from "./schema.ts";

/** A second JSON Schema validator, only for these tests. Returns the first keyword the value violates. */
function broken(schema: unknown, value: unknown, root: unknown = schema): string | undefined {
  if (!isRecord(schema)) return schema === false ? "false" : undefined;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    let target: unknown = root;
    for (const step of reference.split("/").slice(1)) target = (target as JsonRecord)[step];
    const found = broken(target, value, root);
    if (found !== undefined) return found;
  }
  for (const part of (schema["allOf"] as unknown[]) ?? []) {
    const found = broken(part, value, root);
    if (found !== undefined) return found;
  }
  const branches = (schema["anyOf"] ?? schema["oneOf"]) as unknown[] | undefined;
  if (branches?.every((branch) => broken(branch, value, root) !== undefined)) return "anyOf";
  const same = (other: unknown): boolean => JSON.stringify(other) === JSON.stringify(value);
  if ("const" in schema && !same(schema["const"])) return "const";
  if (Array.isArray(schema["enum"]) && !schema["enum"].some(same)) return "enum";
  const types = [schema["type"] ?? []].flat() as string[];
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const isType = types.includes(type) || (types.includes("integer") && Number.isInteger(value));
  if (types.length > 0 && !isType) return `type of ${JSON.stringify(value)}`;
  if (typeof value === "number") return brokenNumber(schema, value);
  if (typeof value === "string") {
    if ([...value].length < Number(schema["minLength"] ?? 0)) return "minLength";
    return [...value].length > Number(schema["maxLength"] ?? 1e9) ? "maxLength" : undefined;
  }
  if (Array.isArray(value)) return brokenArray(schema, value, root);
  return isRecord(value) ? brokenObject(schema, value, root) : undefined;
}

function brokenNumber(schema: JsonRecord, value: number): string | undefined {
  const number = (key: string): number => (schema[key] === undefined ? Number.NaN : Number(schema[key]));
  if (value < number("minimum") || value <= number("exclusiveMinimum")) return "minimum";
  if (value > number("maximum") || value >= number("exclusiveMaximum")) return "maximum";
  const rest = value % number("multipleOf");
  return rest !== 0 && !Number.isNaN(rest) ? "multipleOf" : undefined;
}

function brokenArray(schema: JsonRecord, value: readonly unknown[], root: unknown): string | undefined {
  if (value.length < Number(schema["minItems"] ?? 0)) return "minItems";
  if (value.length > Number(schema["maxItems"] ?? 1e9)) return "maxItems";
  if (
    schema["uniqueItems"] === true &&
    new Set(value.map((item) => JSON.stringify(item))).size < value.length
  ) {
    return "uniqueItems";
  }
  const prefix = (schema["prefixItems"] as unknown[]) ?? [];
  const found = value.map((item, index) => broken(prefix[index] ?? schema["items"], item, root));
  return found.find((keyword) => keyword !== undefined);
}

function brokenObject(schema: JsonRecord, value: JsonRecord, root: unknown): string | undefined {
  const properties = (schema["properties"] ?? {}) as JsonRecord;
  const missing = ((schema["required"] as string[]) ?? []).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `required ${missing}`;
  if (Object.keys(value).length < Number(schema["minProperties"] ?? 0)) return "minProperties";
  for (const [name, inner] of Object.entries(value)) {
    const isKnown = Object.hasOwn(properties, name);
    if (!isKnown && schema["additionalProperties"] === false) return `additional ${name}`;
    const found = broken(isKnown ? properties[name] : schema["additionalProperties"], inner, root);
    if (found !== undefined) return `${name}: ${found}`;
  }
  return undefined;
}

const conforms = (schema: unknown): unknown => {
  const value = synthesise(schema);
  assert.notEqual(value, undefined);
  assert.equal(broken(schema, value), undefined, `${JSON.stringify(schema)} → ${JSON.stringify(value)}`);
  return value;
};

test("values of every type, at their bounds", () => {
  const cases: [object, unknown][] = [
    [{ type: "string" }, "demo value"],
    [{ type: "string", minLength: 12 }, "demo valuexx"],
    [{ type: "string", maxLength: 4 }, "demo"],
    [{ type: "string", format: "date" }, "2026-01-31"],
    [{ type: "integer" }, 1],
    [{ type: "integer", minimum: 5 }, 5],
    [{ type: "integer", minimum: 4.5 }, 5],
    [{ type: "integer", exclusiveMinimum: 5 }, 6],
    [{ type: "integer", maximum: -3 }, -3],
    [{ type: "integer", exclusiveMaximum: 0 }, -1],
    [{ type: "integer", minimum: 10, multipleOf: 7 }, 14],
    [{ type: "number", minimum: 0, maximum: 0.5 }, 0.5],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.75],
    [{ type: "number", maximum: 0, multipleOf: 5 }, 0],
    [{ type: "integer", maximum: 4, multipleOf: 5 }, 0],
    [{ type: "boolean" }, true],
    [{ type: "null" }, null],
    [{ type: ["null", "integer"] }, 1],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ enum: ["b", "a"] }, "b"],
    [{ type: "array", items: { type: "integer" } }, [1]],
    [{ type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true }, [1, 2, 3]],
    [{ type: "array", items: { type: "string" }, maxItems: 0 }, []],
    [{ type: "array", prefixItems: [{ type: "integer" }, { type: "boolean" }], items: false }, [1, true]],
    [{ type: "object", properties: { a: { type: "integer" }, b: {} }, required: ["a"] }, { a: 1 }],
    [{ type: "object", required: ["z"] }, { z: "demo z" }],
    [{ type: "object", required: ["z"], additionalProperties: { type: "integer" } }, { z: 1 }],
    [
      { type: "object", properties: { a: { type: "null" } }, minProperties: 2 },
      { a: null, extra1: "demo extra1" },
    ],
    [{ properties: { a: { const: 1 } }, required: ["a"] }, { a: 1 }],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, 1],
    [{ oneOf: [{ $ref: "#/$defs/x" }], $defs: { x: { const: "x" } } }, "x"],
    [
      { allOf: [{ required: ["a"] }, { properties: { a: { type: "integer" } } }, { required: ["b"] }] },
      { a: 1, b: "demo b" },
    ],
    [
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"integer"}}'), required: ["__proto__"] },
      JSON.parse('{"__proto__":1}'),
    ],
    [{ $ref: "#/definitions/a~1b", definitions: { "a/b": { type: "integer" } } }, 1],
  ];
  for (const [schema, expected] of cases) {
    assert.deepEqual(synthesise(schema), expected, JSON.stringify(schema));
    if (!JSON.stringify(schema).includes("~1")) conforms(schema);
  }
});

test("recursion ends: a list, a tree, a chain without an end, a reference to itself", () => {
  const node = {
    $defs: {
      node: {
        type: "object",
        properties: {
          value: { type: "integer" },
          next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
        required: ["value", "next", "children"],
        additionalProperties: false,
      },
    },
    $ref: "#/$defs/node",
  };
  conforms(node);
  const self = { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] };
  assert(JSON.stringify(synthesise(self)).length < 10_000);
  assert.equal(synthesise({ $ref: "#" }), null);
  const wide = { type: "array", minItems: 50, items: { $ref: "#" } };
  assert(JSON.stringify(synthesise(wide)).length < 1_000_000);
});

test("what is no schema still gives a value", () => {
  for (const schema of [
    undefined,
    null,
    5,
    "x",
    [],
    true,
    false,
    { type: 7 },
    { $ref: "https://x.test/y" },
    { anyOf: [] },
  ]) {
    assert.notEqual(synthesise(schema), undefined);
  }
  assert.equal(synthesise({ $ref: "#/$defs/%zz/none" }), "demo value");
});

test("generated strict schemas: the value conforms", () => {
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: "small" },
      fc.record({ type: fc.constant("string"), minLength: fc.nat(30) }),
      fc.record({ type: fc.constant("string"), maxLength: fc.nat(30) }),
      fc.record({
        type: fc.constant("integer"),
        minimum: fc.integer(),
        multipleOf: fc.integer({ min: 1, max: 9 }),
      }),
      fc.record({ type: fc.constantFrom("number", "integer"), maximum: fc.integer({ min: -1e6, max: 1e6 }) }),
      fc.record({ type: fc.constant("number"), exclusiveMinimum: fc.integer({ min: -1e6, max: 1e6 }) }),
      fc.record({ enum: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }) }),
      fc.constantFrom({ type: "boolean" }, { type: "null" }, { type: ["string", "null"] }, {}),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) }),
      fc
        .dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie("schema"), { maxKeys: 4 })
        .map((properties) => ({
          type: "object",
          properties,
          required: Object.keys(properties),
          additionalProperties: false,
        })),
    ),
  }));
  fc.assert(
    fc.property(schema, (drawn) => void conforms(drawn)),
    { numRuns: 500 },
  );
});
