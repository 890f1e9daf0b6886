/** Converts Google's schemas, a subset of OpenAPI (docs/wire/gemini.md section 6), to JSON Schema. */
import { isRecord, type JsonRecord } from "../../../lib/record.ts";
import { membersOf } from "./spelling.ts";

/** 64-bit counts, which proto3 writes as strings. */
const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);
/** Keywords that JSON Schema lacks. */
const dropped = new Set(["nullable", "propertyOrdering", "example", "type"]);

/** Keywords that JSON Schema spells otherwise. */
const keywords: ReadonlyMap<string, string> = new Map([
  ["ref", "$ref"],
  ["defs", "$defs"],
]);

function typeOf({ type, nullable }: JsonRecord): unknown {
  if (typeof type !== "string" || type === "TYPE_UNSPECIFIED") return undefined;
  const name = type.toLowerCase();
  return nullable === true ? [name, "null"] : name;
}

const mapped = (value: unknown): JsonRecord =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one)]))
    : {};

function memberOf(name: string, value: unknown): unknown {
  if (name === "properties" || name === "defs") return mapped(value);
  if (name === "items" || name === "additionalProperties") return isRecord(value) ? schemaOf(value) : value;
  if (name === "ref" && typeof value === "string") return value.replace(/^#\/defs\//, "#/$defs/");
  if (name === "anyOf") return Array.isArray(value) ? value.map(schemaOf) : value;
  return counts.has(name) && typeof value === "string" ? Number(value) : value;
}

/** Converts a schema. Its depth is bounded by that of request bodies. */
export function schemaOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const given = membersOf(value);
  const type = typeOf(given);
  const schema: Record<string, unknown> = type === undefined ? {} : { type };
  for (const [name, member] of Object.entries(given)) {
    if (dropped.has(name)) continue;
    const keyword = keywords.get(name) ?? name;
    if (name === "enum" && given["nullable"] === true && Array.isArray(member))
      schema[name] = [...member, null];
    else schema[keyword] = memberOf(name, member);
  }
  return schema;
}
