/**
 * Collects every name that users may rely on: in dashboards, scripts, files, log searches and clients. Reads
 * them from the running code if possible, otherwise from the sources. One line each: the kind, then the name.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { errorCatalogue } from "@plaza/contract/errors.ts";
import { z } from "zod";
import type { CommandIo } from "../../server/src/cli/command-io.ts";
import { createProgram } from "../../server/src/cli/run.ts";
import { environmentName, listSettings } from "../../server/src/config/config.ts";
import { readCatalogFile } from "../../server/src/domain/catalog/file.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { providers } from "../../server/src/providers/index.ts";
import { presets } from "../../server/src/providers/presets/presets.ts";
import { openSqliteCore } from "../../server/src/store/sqlite/core.ts";
import { sourceNames } from "./source-names.ts";

const serverSources = fileURLToPath(new URL("../../server/src/", import.meta.url));

function readSources(): readonly string[] {
  return readdirSync(serverSources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && !file.includes("fixtures"))
    .map((file) => readFileSync(join(serverSources, file), "utf8"));
}

type Program = ReturnType<typeof createProgram>;

function settingNames(): string[] {
  return listSettings().flatMap(([name, { flag }]) => [
    `setting ${environmentName(name)}`,
    ...(flag === undefined ? [] : [`flag plaza serve ${flag.split(" ")[0]}`]),
  ]);
}

function commandNames(command: Pick<Program, "options" | "commands">, path: string): string[] {
  const options = command.options.map(({ long }) => `command ${path} ${long}`);
  const within = command.commands.flatMap((inner) => commandNames(inner, `${path} ${inner.name()}`));
  return [`command ${path}`, ...options, ...within];
}

/** Names of a JSON schema's properties, as paths: `models[].price.input`. */
function fieldPaths(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, items, anyOf, oneOf, allOf, additionalProperties } = schema as Record<string, unknown>;
  const choices = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) => {
      const here = path === "" ? name : `${path}.${name}`;
      return [here, ...fieldPaths(inner, here)];
    }),
    ...fieldPaths(items, `${path}[]`),
    ...fieldPaths(additionalProperties, `${path}{}`),
    ...choices.flatMap((choice) => fieldPaths(choice, path)),
  ];
}

function apiNames(): string[] {
  return Object.values(apiRoutes).flatMap((route: RouteSpec) => {
    const call = `api ${route.method.toUpperCase()} /api${route.path}`;
    const parts = { query: route.query, body: route.body, answer: route.answer };
    const fields = Object.entries(parts).flatMap(([part, schema]) =>
      schema === undefined
        ? []
        : fieldPaths(
            z.toJSONSchema(schema, { io: part === "answer" ? "output" : "input", unrepresentable: "any" }),
            "",
          ).map((field) => `${call} ${part} ${field}`),
    );
    return [call, ...fields];
  });
}

async function columnNames(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-names-"));
  const file = join(folder, "plaza.db");
  try {
    const core = await openSqliteCore({
      file,
      clock: systemClock,
      busyTimeoutMs: 1_000,
      secretKey: Buffer.alloc(32),
    });
    await core.migrate();
    await core.close();
    const db = new DatabaseSync(file, { readOnly: true });
    const rows = db
      .prepare(
        "select m.name as tableName, c.name as columnName from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'",
      )
      .all() as { tableName: string; columnName: string }[];
    db.close();
    return rows.map(({ tableName, columnName }) => `column ${tableName}.${columnName}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Given a word instead of a mapping, the reader's error lists the expected keys. */
const catalogMappings: Readonly<Record<string, string>> = {
  "": "word",
  limits: "{upstreams: [], models: [], limits: word}",
  installation: "{upstreams: [], models: [], installation: word}",
  "upstreams[]": "{upstreams: [word], models: []}",
  "upstreams[].timeouts": "{upstreams: [{id: a, timeouts: word}], models: []}",
  "models[]": "{upstreams: [], models: [word]}",
  "models[].price": "{upstreams: [], models: [{id: a, price: word}]}",
  "models[].price.tiers[]": "{upstreams: [], models: [{id: a, price: {input: 1, output: 1, tiers: [word]}}]}",
  "models[].prices[]": "{upstreams: [], models: [{id: a, price: [word]}]}",
  "models[].deployments[]": "{upstreams: [], models: [{id: a, deployments: [word]}]}",
  "models[].deployments[].timeouts":
    "{upstreams: [], models: [{id: a, deployments: [{upstream: b, model: c, timeouts: word}]}]}",
  settings: "{upstreams: [], models: [], settings: word}",
  "accounts[]": "{upstreams: [], models: [], accounts: [word]}",
  "accounts[].limits": "{upstreams: [], models: [], accounts: [{id: a, name: b, limits: word}]}",
  "accounts[].keys[]": "{upstreams: [], models: [], accounts: [{id: a, name: b, keys: [word]}]}",
  "accounts[].keys[].limits":
    "{upstreams: [], models: [], accounts: [{id: a, name: b, keys: [{id: c, limits: word}]}]}",
  "accounts[].keys[].budget":
    "{upstreams: [], models: [], accounts: [{id: a, name: b, keys: [{id: c, budget: word}]}]}",
  "users[]": "{upstreams: [], models: [], users: [word]}",
  "models[].modalities": "{upstreams: [], models: [{id: a, modalities: word}]}",
};

function catalogNames(): string[] {
  return Object.entries(catalogMappings).flatMap(([path, text]) => {
    const result = readCatalogFile(text, { env: {}, fileName: "", providers, presets });
    const faults = result.ok ? [] : result.faults;
    const keys = faults.map((line) => /must be a mapping with the keys (.*)$/.exec(line)?.[1]).find(Boolean);
    if (keys === undefined) throw new Error(`plaza.yaml: no keys found at '${path}': ${faults.join("; ")}`);
    return keys.split(", ").map((key) => `plaza.yaml ${path === "" ? key : `${path}.${key}`}`);
  });
}

const headerNames = (sources: readonly string[]): string[] =>
  sources.flatMap((text) => [...text.matchAll(/"(x-plaza-[a-z-]+)"/g)].map(([, name]) => `header ${name}`));

/** All names, sorted and unique. */
export async function collectNames(): Promise<readonly string[]> {
  const sources = readSources();
  const silent: CommandIo = { out() {}, err() {}, env: {}, clock: systemClock };
  const program = createProgram(silent, "0");
  const all = [
    ...settingNames(),
    ...commandNames(program, "plaza"),
    ...Object.keys(errorCatalogue).map((code) => `error ${code}`),
    ...apiNames(),
    ...(await columnNames()),
    ...catalogNames(),
    ...headerNames(sources),
    ...sources.flatMap(sourceNames),
  ];
  return [...new Set(all)].toSorted();
}

const file = new URL("public-names.txt", import.meta.url);

/** The names in the file, one per line. */
export const readList = (): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");

export const writeList = (names: readonly string[]): void => writeFileSync(file, `${names.join("\n")}\n`);
