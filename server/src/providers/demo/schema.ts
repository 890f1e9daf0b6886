/**
 * Builds one value that conforms to a JSON Schema, always the same one. Used for the demo's tool arguments
 * and structured output. Depth and number of values are bounded; `pattern`, `not`, `contains` and
 * `patternProperties` are ignored.
 */
import { isRecord, type JsonRecord } from "../../lib/record.ts";

/** Below this depth optional members are left out and recursive branches are avoided. */
const depthSoft = 6;
const depthMax = 24;
const valuesMax = 2_000;
const itemsMax = 50;
const textMax = 1_000;

interface Work {
  readonly root: JsonRecord;
  valuesLeft: number;
}

/** A conforming value. `name` appears in generated strings: a property `city` becomes "demo city". */
export function synthesise(schema: unknown, name = "value"): unknown {
  const root = isRecord(schema) ? schema : {};
  return build(schema, name, 0, { root, valuesLeft: valuesMax });
}

function build(schema: unknown, name: string, depth: number, work: Work): unknown {
  work.valuesLeft -= 1;
  if (depth > depthMax || work.valuesLeft < 0) return null;
  if (!isRecord(schema)) return schema === false ? null : `demo ${name}`;
  const full = resolve(schema, depth, work);
  if (Object.hasOwn(full, "const")) return full["const"];
  const choices = full["enum"];
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  switch (typeOf(full)) {
    case "object":
      return buildObject(full, depth, work);
    case "array":
      return buildArray(full, name, depth, work);
    case "integer":
      return buildNumber(full, 1);
    case "number":
      return buildNumber(full, 0);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return buildText(full, name);
  }
}

/**
 * Follows `$ref`, merges `allOf`, and picks one branch of `anyOf` or `oneOf`: the first, or at depth the
 * simplest.
 */
function resolve(schema: JsonRecord, depth: number, work: Work): JsonRecord {
  let full = schema;
  for (let step = 0; step < depthMax; step += 1) {
    const reference = full["$ref"];
    const branches = full["anyOf"] ?? full["oneOf"];
    if (typeof reference === "string") {
      const { $ref: _, ...beside } = full;
      full = merge(beside, lookUp(reference, work.root));
    } else if (Array.isArray(full["allOf"])) {
      const { allOf: parts, ...beside } = full;
      full = (parts as unknown[]).slice(0, itemsMax).reduce<JsonRecord>(merge, beside);
    } else if (Array.isArray(branches)) {
      const { anyOf: _, oneOf: __, ...beside } = full;
      full = merge(beside, depth > depthSoft ? simplest(branches) : branches[0]);
    } else {
      return full;
    }
  }
  return { type: "null" };
}

function merge(first: JsonRecord, second: unknown): JsonRecord {
  if (!isRecord(second)) return first;
  const properties = { ...asRecord(first["properties"]), ...asRecord(second["properties"]) };
  const required = [...asList(first["required"]), ...asList(second["required"])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A branch that cannot recurse, if there is one. */
function simplest(branches: readonly unknown[]): unknown {
  const isPlain = (branch: unknown): boolean =>
    isRecord(branch) &&
    ["null", "string", "boolean", "integer", "number"].includes(typeOf(branch)) &&
    !branch["$ref"];
  return branches.find(isPlain) ?? branches.at(-1);
}

/** Resolves a local reference (`#`, `#/$defs/x`, `#/definitions/x`). Any other reference allows any value. */
function lookUp(reference: string, root: JsonRecord): unknown {
  let found: unknown = root;
  for (const step of reference.split("/").slice(1, 32)) {
    const key = decodeStep(step);
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, key);
    found = isThere ? (found as JsonRecord)[key] : undefined;
  }
  return reference.startsWith("#") ? found : undefined;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const keywordTypes: readonly (readonly [string, string])[] = [
  ["properties", "object"],
  ["required", "object"],
  ["additionalProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
  ["minItems", "array"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["multipleOf", "number"],
];

function typeOf(schema: JsonRecord): string {
  const type = schema["type"];
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return String(type.find((name) => name !== "null") ?? "null");
  return keywordTypes.find(([keyword]) => schema[keyword] !== undefined)?.[1] ?? "string";
}

function buildObject(schema: JsonRecord, depth: number, work: Work): unknown {
  const properties = asRecord(schema["properties"]);
  const names = new Set(asList(schema["required"]).filter((name) => typeof name === "string"));
  const least = size(schema["minProperties"], 0);
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  for (let extra = 1; names.size < least; extra += 1) names.add(`extra${extra}`);
  const others = schema["additionalProperties"];
  const members = [...names].map((name) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : isRecord(others) ? others : {};
    return [name, build(inner, name, depth + 1, work)] as const;
  });
  return Object.fromEntries(members);
}

/** Prefers one item to none, unless that is not allowed or recurses too deeply. */
function buildArray(schema: JsonRecord, name: string, depth: number, work: Work): unknown {
  const prefix = asList(schema["prefixItems"]);
  const least = size(schema["minItems"], 0);
  const wanted = Math.max(
    least,
    depth < depthSoft && schema["items"] !== false ? 1 : 0,
    Math.min(prefix.length, itemsMax),
  );
  const count = Math.min(wanted, size(schema["maxItems"], itemsMax));
  const items: unknown[] = [];
  for (let index = 0; index < count; index += 1) {
    const inner = index < prefix.length ? prefix[index] : schema["items"];
    const built = build(inner, name, depth + 1, work);
    items.push(schema["uniqueItems"] === true ? vary(built, index, inner) : built);
  }
  return items;
}

/** Makes the items of an array with `uniqueItems` distinct. */
function vary(value: unknown, index: number, schema: unknown): unknown {
  const choices = isRecord(schema) ? schema["enum"] : undefined;
  if (Array.isArray(choices)) return choices[index % choices.length];
  if (index === 0) return value;
  if (typeof value === "string") return `${value} ${index + 1}`;
  if (typeof value === "number") return value + index;
  return typeof value === "boolean" ? index % 2 === 0 : value;
}

const size = (value: unknown, otherwise: number): number =>
  typeof value === "number" && value >= 0 ? Math.min(Math.ceil(value), itemsMax) : otherwise;

const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Returns 1 if allowed, else the nearest allowed number. `step` 1 asks for an integer. */
function buildNumber(schema: JsonRecord, step: 0 | 1): number {
  const above = finite(schema["exclusiveMinimum"]);
  const below = finite(schema["exclusiveMaximum"]);
  let least = finite(schema["minimum"]) ?? Number.NEGATIVE_INFINITY;
  let most = finite(schema["maximum"]) ?? Number.POSITIVE_INFINITY;
  const gap = step === 1 ? 1 : gapBetween(above ?? least, below ?? most);
  if (above !== undefined) least = Math.max(least, step === 1 ? Math.floor(above) + 1 : above + gap);
  if (below !== undefined) most = Math.min(most, step === 1 ? Math.ceil(below) - 1 : below - gap);
  const wanted = Math.min(Math.max(1, least), most);
  const multiple = finite(schema["multipleOf"]) ?? step;
  if (multiple <= 0) return wanted;
  const up = Math.ceil(wanted / multiple) * multiple;
  const chosen = up <= most ? up : Math.floor(most / multiple) * multiple;
  return chosen === 0 ? 0 : chosen;
}

/** A step small enough to fit between two exclusive bounds. */
function gapBetween(low: number, high: number): number {
  const gap = (high - low) / 4;
  return Number.isFinite(gap) && gap > 0 ? Math.min(gap, 1) : 1;
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "demo@example.com",
  hostname: "demo.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/demo",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function buildText(schema: JsonRecord, name: string): string {
  const format = schema["format"];
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const characters = [...(known ?? `demo ${name}`)];
  const least = Math.min(finite(schema["minLength"]) ?? 0, textMax);
  const most = Math.min(finite(schema["maxLength"]) ?? textMax, textMax);
  while (characters.length < least) characters.push("x");
  return characters.slice(0, Math.max(0, most)).join("");
}
