/**
 * Converts a caller's JSON Schema to the subset that Anthropic enforces (docs/wire/anthropic-messages.md
 * section 5): closed objects, no recursion. Limits the subset lacks are added to the description, which the
 * model reads.
 */
import { isRecord, type JsonRecord } from "../../lib/record.ts";

const formats = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);
const kept = new Set(["title", "required", "const", "enum", "type"]);
/** Keywords that do not restrict values. */
const silent = new Set([
  "$schema",
  "$id",
  "$comment",
  "examples",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "nullable",
]);
/** Limits on one value, which the description can state. */
const worded = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

/** Thrown and caught in this file only. */
class Inexpressible extends Error {}

function schemasOf(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Inexpressible();
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, close(schema)]));
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Inexpressible();
  return value.map(close);
}

/** One keyword in its new form; undefined when the description has to state it. */
function keyword(name: string, value: unknown): readonly [string, unknown] | undefined {
  if (kept.has(name)) return [name, value];
  switch (name) {
    case "properties":
    case "$defs":
    case "definitions":
      return [name, schemasOf(value)];
    case "items":
      return [name, close(value)];
    case "anyOf":
    case "allOf":
      return [name, listOf(value)];
    case "oneOf":
      return ["anyOf", listOf(value)];
    case "$ref":
      if (typeof value !== "string" || !/^#\/(?:\$defs|definitions)\/[^/]+$/.test(value))
        throw new Inexpressible();
      return [name, value];
    case "format":
      return typeof value === "string" && formats.has(value) ? [name, value] : undefined;
    case "minItems":
      return value === 0 || value === 1 ? [name, value] : undefined;
    default:
      if (!worded.has(name)) throw new Inexpressible();
      return undefined;
  }
}

function close(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Inexpressible();
  const made: Record<string, unknown> = {};
  const words: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    if (silent.has(name) || name === "description" || name === "additionalProperties" || given === undefined)
      continue;
    const written = keyword(name, given);
    if (written === undefined) words.push(`${name}: ${JSON.stringify(given)}`);
    else if (Object.hasOwn(made, written[0])) throw new Inexpressible();
    else made[written[0]] = written[1];
  }
  const { type, description, additionalProperties: others } = value;
  const isObject = type === "object" || made["properties"] !== undefined;
  // Closing an object that allows further fields would change what is valid.
  if (others !== undefined && others !== false) throw new Inexpressible();
  if (isObject && made["properties"] === undefined && others !== false) throw new Inexpressible();
  if (isObject) made["additionalProperties"] = false;
  const said = typeof description === "string" ? description : "";
  const text = [said, words.length === 0 ? "" : `{${words.join(", ")}}`]
    .filter((part) => part !== "")
    .join("\n\n");
  if (text !== "") made["description"] = text;
  return made;
}

/** The definitions a schema refers to, for each definition. */
function referencesIn(schema: unknown, found: Set<string>): Set<string> {
  if (Array.isArray(schema)) for (const item of schema) referencesIn(item, found);
  else if (isRecord(schema)) {
    for (const [name, value] of Object.entries(schema)) {
      if (name === "$ref" && typeof value === "string") found.add(value);
      else referencesIn(value, found);
    }
  }
  return found;
}

/** True when a definition refers back to itself. */
function isRecursive(schema: JsonRecord): boolean {
  const leads = new Map<string, Set<string>>();
  for (const place of ["$defs", "definitions"]) {
    const definitions = schema[place];
    if (!isRecord(definitions)) continue;
    for (const [name, definition] of Object.entries(definitions)) {
      leads.set(`#/${place}/${name}`, referencesIn(definition, new Set()));
    }
  }
  // Removes definitions without incoming references until none are left, or only cycles and what they refer
  // to.
  const arrivals = new Map<string, number>();
  for (const targets of leads.values()) {
    for (const target of targets) arrivals.set(target, (arrivals.get(target) ?? 0) + 1);
  }
  const free = [...leads.keys()].filter((name) => !arrivals.has(name));
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    for (const target of leads.get(name) ?? []) {
      const left = (arrivals.get(target) ?? 0) - 1;
      arrivals.set(target, left);
      if (left === 0) free.push(target);
    }
    leads.delete(name);
  }
  return leads.size > 0;
}

/**
 * The schema in its enforceable form; undefined when it cannot be enforced. The caller's schema is not
 * changed.
 */
export function closedSchema(schema: JsonRecord): JsonRecord | undefined {
  try {
    return isRecursive(schema) ? undefined : close(schema);
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}
