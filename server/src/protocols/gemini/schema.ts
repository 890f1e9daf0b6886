/**
 * A caller's JSON Schema → one that Gemini accepts as `parametersJsonSchema` or `responseJsonSchema`
 * (docs/wire/gemini.md section 6): standard JSON Schema with a few keywords removed. Keywords that Gemini
 * ignores are kept.
 */
import { isRecord, type JsonRecord } from "../../lib/record.ts";

/** Keywords that do not restrict the value. */
const dropped: ReadonlySet<string> = new Set(["$schema", "$comment", "$vocabulary", "strict"]);
/** Keywords whose value is a record of schemas by name. */
const byName: ReadonlySet<string> = new Set(["properties", "$defs", "patternProperties", "dependentSchemas"]);
/** Keywords whose value is a schema or a list of schemas. */
const inside: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "additionalProperties",
  "propertyNames",
]);

type Entry = [name: string, value: unknown];

/** `const` is not supported: it becomes an enum of one for strings and numbers, else the closest type. */
function constEntries(value: unknown): Entry[] {
  if (typeof value === "string" || typeof value === "number") return [["enum", [value]]];
  if (typeof value === "boolean") return [["type", "boolean"]];
  return value === null ? [["type", "null"]] : [];
}

/** References to `definitions`, the old name of `$defs`. */
const renamed = (ref: string): string => ref.replace(/^#\/definitions\//, "#/$defs/");

function entriesOf(name: string, value: unknown): Entry[] {
  if (dropped.has(name)) return [];
  if (name === "const") return constEntries(value);
  if (name === "definitions") return isRecord(value) ? [["$defs", mapped(value)]] : [];
  if (byName.has(name)) return isRecord(value) ? [[name, mapped(value)]] : [];
  if (inside.has(name)) return [[name, Array.isArray(value) ? value.map(cleaned) : nested(name, value)]];
  return [[name, value]];
}

const mapped = (schemas: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleaned(schema)]));

/** `additionalProperties` may be true or false; elsewhere `true` is the schema of any value. */
function nested(name: string, value: unknown): unknown {
  return typeof value === "boolean" && name === "additionalProperties" ? value : cleaned(value);
}

function cleaned(value: unknown): unknown {
  if (value === true) return {};
  return isRecord(value) ? cleanSchema(value) : value;
}

/**
 * The schema without what Gemini refuses. A reference loses its siblings, and an `allOf` with one entry
 * becomes that entry.
 */
export function cleanSchema(schema: JsonRecord): JsonRecord {
  const { $ref: ref, allOf: all, ...rest } = schema;
  if (typeof ref === "string") {
    const kept = Object.entries(schema).filter(([name]) => name.startsWith("$") || name === "definitions");
    const entries = kept.flatMap(([name, value]) => (name === "$ref" ? [] : entriesOf(name, value)));
    return Object.fromEntries([["$ref", renamed(ref)], ...entries]);
  }
  if (Array.isArray(all) && all.length === 1 && isRecord(all[0])) return cleanSchema({ ...all[0], ...rest });
  return Object.fromEntries(Object.entries(schema).flatMap(([name, value]) => entriesOf(name, value)));
}

/** The schema of a function's arguments; undefined when it has none. */
export function parametersSchema(schema: JsonRecord | undefined): JsonRecord | undefined {
  if (schema === undefined) return undefined;
  const clean = cleanSchema(schema);
  const { properties } = clean;
  const isEmpty = !isRecord(properties) || Object.keys(properties).length === 0;
  const isCombined = ["$ref", "anyOf", "oneOf", "allOf", "patternProperties"].some((name) => name in clean);
  if (isEmpty && !isCombined && !isRecord(clean["additionalProperties"])) return undefined;
  return clean["type"] === undefined && !isCombined ? { type: "object", ...clean } : clean;
}
