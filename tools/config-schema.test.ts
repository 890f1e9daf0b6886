/** The schema of `plaza.yaml`: it has every key that the reader knows, and the pages' examples fit it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { readCatalogFile } from "../server/src/domain/catalog/file.ts";
import { providers } from "../server/src/providers/index.ts";
import { presets } from "../server/src/providers/presets/presets.ts";
import { configSchema, type Schema } from "./config-schema.ts";
import { readList } from "./names/collect.ts";

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace("#/$defs/", "");
  return name === undefined ? schema : (configSchema.$defs?.[name] ?? {});
}

/** `upstreams[].timeouts.connect` of every property. */
function pathsOf(given: Schema, path: string): string[] {
  const schema = resolved(given);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [here, ...pathsOf(inner, here)];
  });
  return [
    ...own,
    ...(schema.items === undefined ? [] : pathsOf(schema.items, `${path}[]`)),
    ...(schema.anyOf ?? []).flatMap((one) => pathsOf(one, path)),
  ];
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

function mappingFaults(schema: Schema, value: object, path: string): string[] {
  const missing = (schema.required ?? []).filter((name) => !(name in value));
  const inner = Object.entries(value).flatMap(([name, one]) => {
    const known = schema.properties?.[name];
    if (known !== undefined) return faultsOf(known, one, `${path}.${name}`);
    const more = schema.additionalProperties;
    return typeof more === "object" ? faultsOf(more, one, `${path}.${name}`) : [`${path}.${name}: unknown`];
  });
  return [...missing.map((name) => `${path}.${name}: missing`), ...inner];
}

/** The faults of a value, for the keywords that the schema uses. */
function faultsOf(given: Schema, value: unknown, path: string): string[] {
  const schema = resolved(given);
  if (schema.anyOf !== undefined)
    return schema.anyOf.some((one) => faultsOf(one, value, path).length === 0) ? [] : [`${path}: none fits`];
  const kind = kindOf(value);
  const kinds = [schema.type ?? []].flat();
  if (!kinds.includes(kind) && !(kind === "integer" && kinds.includes("number")))
    return [`${path}: ${kind} instead of ${kinds}`];
  if (typeof value === "string") {
    if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${path}: ${value}`];
    return schema.pattern === undefined || new RegExp(schema.pattern).test(value)
      ? []
      : [`${path}: ${value}`];
  }
  if (typeof value === "number") return value < (schema.minimum ?? value) ? [`${path}: ${value}`] : [];
  if (Array.isArray(value))
    return value.length < (schema.minItems ?? 0)
      ? [`${path}: too short`]
      : value.flatMap((one, at) => faultsOf(schema.items ?? {}, one, `${path}[${at}]`));
  return typeof value === "object" && value !== null ? mappingFaults(schema, value, path) : [];
}

test("the schema has every key that the reader knows, and no other", () => {
  const known = readList()
    .filter((name) => name.startsWith("plaza.yaml "))
    .map((name) => name.slice("plaza.yaml ".length));
  const paths = new Set(pathsOf(configSchema, ""));
  assert.ok(known.length > 80, `${known.length}`);
  assert.deepEqual(
    known.filter((name) => !paths.has(name)),
    [],
  );
});

test("whole files on the pages fit the schema, and the reader takes them", () => {
  const pages = ["operate/catalog.md", "operate/config-as-code.md"];
  const examples = pages.flatMap((page) => {
    const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), "utf8");
    return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
  });
  const whole = examples.filter((yaml) => /^upstreams:/m.test(yaml) && /^models:/m.test(yaml));
  assert.ok(whole.length >= 2, `${whole.length}`);
  const env = { OPENAI_API_KEY: "sk-not-real" };
  for (const yaml of whole) {
    assert.deepEqual(faultsOf(configSchema, parse(yaml), ""), []);
    const read = readCatalogFile(yaml, { env, fileName: "page", providers, presets });
    assert.ok(read.ok, read.ok ? "" : read.faults.join("\n"));
  }
});

test("the schema refuses what the reader refuses", () => {
  const key = { id: "k", name: "k", digest: "a".repeat(64), visiblePrefix: "sk-plaza-aaaa" };
  const wrong: readonly [string, unknown][] = [
    [".modells: unknown", { modells: [] }],
    [".accounts[0].name: missing", { accounts: [{ id: "a" }] }],
    [
      ".accounts[0].keys[0].digest: secret",
      { accounts: [{ id: "a", name: "a", keys: [{ ...key, digest: "secret" }] }] },
    ],
    [".settings.lowBalance: integer instead of string,null", { settings: { lowBalance: 5 } }],
    [".users[0].role: boss", { users: [{ email: "a@example.com", role: "boss" }] }],
    [".limits.concurrency: -1", { limits: { concurrency: -1 } }],
  ];
  for (const [fault, more] of wrong)
    assert.deepEqual(faultsOf(configSchema, { upstreams: [], models: [], ...(more as object) }, ""), [fault]);
});
