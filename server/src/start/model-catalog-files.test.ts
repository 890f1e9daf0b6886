/**
 * The shipped catalog: every row is accepted by Plaza's own reader, names its source, and is the only one of
 * its model.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readCatalogFile } from "../domain/catalog/file.ts";
import { type CatalogRow, priceOf } from "../domain/catalog/model-catalog.ts";
import { canonicalName } from "../domain/catalog/model-names.ts";
import { openModelCatalog } from "./model-catalog-files.ts";

const folder = fileURLToPath(new URL("../../../catalog/", import.meta.url));
const providers = readdirSync(`${folder}models`).map((name) => name.replace(/\.json$/, ""));
const catalog = openModelCatalog();
const all = providers.map((provider) => [provider, catalog.listModels(provider)] as const);
const notice = readFileSync(`${folder}NOTICE.md`, "utf8");
const report = readFileSync(`${folder}report.md`, "utf8");

/** Writes rows as the models of a `plaza.yaml`; JSON is valid YAML. */
function fileOf(rows: readonly CatalogRow[]): string {
  const models = rows.map(({ id, name, context, maxOutput, modalities, price, laterPrices }, index) => ({
    id: `model-${index}`,
    name,
    ...{ context, maxOutput, modalities },
    ...(laterPrices === undefined ? { price } : { prices: [price, ...laterPrices] }),
    deployments: [{ upstream: "main", model: id }],
  }));
  return JSON.stringify({ upstreams: [{ id: "main", provider: "demo" }], models });
}

test("there are some twenty providers and their files are small", () => {
  assert.ok(providers.length >= 20, `${providers.length}`);
  const bytes = providers.map((provider) => readFileSync(`${folder}models/${provider}.json`).length);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  assert.ok(total < 1_500_000, `${total} bytes`);
  for (const [provider, rows] of all) assert.ok(rows.length > 0, provider);
});

test("every row is a model of plaza.yaml as it stands, and means the same there", () => {
  for (const [provider, rows] of all) {
    const read = readCatalogFile(fileOf(rows), {
      env: {},
      fileName: provider,
      providers: [{ id: "demo", needs: { baseUrl: false, credentials: false } }],
    });
    assert.ok(read.ok, read.ok ? "" : `${provider}: ${read.faults.slice(0, 5).join("\n")}`);
    for (const [index, model] of read.catalog.models.entries()) {
      const row = rows[index] as CatalogRow;
      assert.equal(model.deployments[0]?.model, row.id);
      assert.deepEqual(model.price, row.price === undefined ? undefined : priceOf(row.price), row.id);
      assert.equal(model.scheduledPrices?.length, row.laterPrices?.length);
      assert.deepEqual([model.context, model.maxOutput], [row.context, row.maxOutput]);
    }
  }
});

const fields = [
  "id",
  "name",
  "aliases",
  "family",
  "kind",
  "isDeprecated",
  "modalities",
  "context",
  "maxOutput",
  "capabilities",
  "price",
  "laterPrices",
  "source",
  "date",
  "filled",
];

test("every row says its source and date, and nothing it does not know", () => {
  const dateForm = /^20\d\d-\d\d-\d\d$/;
  for (const [provider, rows] of all) {
    for (const row of rows) {
      const where = `${provider} ${row.id}`;
      assert.deepEqual(
        Object.keys(row).filter((name) => !fields.includes(name)),
        [],
        where,
      );
      for (const { source, date } of [row, ...(row.filled ?? [])]) {
        assert.match(date, dateForm, where);
        if (source !== row.source && /^https:\/\/\S+$/.test(source)) {
          assert.ok(report.includes(`**${source}**`), `${source} is not in report.md`);
          continue;
        }
        assert.match(source, /^@[a-z-]+\/[a-z-]+@\d+\.\d+\.\d+$/, where);
        assert.ok(notice.includes(`## ${source}\n`), `${source} is not in NOTICE.md`);
      }
      for (const { facts } of row.filled ?? []) assert.ok(facts.length > 0, where);
      for (const ability of Object.values(row.capabilities ?? {}))
        assert.equal(typeof ability, "boolean", where);
      if (row.kind !== undefined && !["embedding", "completion"].includes(row.kind))
        assert.equal(row.price, undefined, where);
      if (row.kind === "embedding" && row.price !== undefined) {
        assert.deepEqual(Object.keys(row.price), ["input", "output"], where);
        assert.equal(row.price.output, "0", where);
      }
      assert.ok(
        !(row.maxOutput !== undefined && row.context !== undefined && row.maxOutput > row.context),
        where,
      );
    }
  }
});

test("prices are plain decimals, none charges one direction only, cached input is never dearer than fresh", () => {
  for (const [provider, rows] of all) {
    for (const { id, kind, price } of rows) {
      if (price === undefined) continue;
      for (const rates of [price, ...(price.tiers ?? [])]) {
        const where = `${provider} ${id}`;
        for (const [name, rate] of Object.entries(rates)) {
          if (typeof rate === "string") assert.match(rate, /^(0|[1-9]\d*)(\.\d*[1-9])?$/, `${where} ${name}`);
        }
        const { input, output, cachedInput = 0n } = priceOf(rates);
        // Embedding models charge nothing for output.
        if (kind !== "embedding") assert.equal(input === 0n, output === 0n, where);
        assert.ok(cachedInput <= input, where);
      }
    }
  }
});

test("no model is there twice, rows are in order, and each is found by its own id and by its other names", () => {
  for (const [provider, rows] of all) {
    const ids = rows.map(({ id }) => id);
    assert.deepEqual(ids, [...ids].sort(), provider);
    const names = ids.map((id) => canonicalName(provider, id).name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
      provider,
    );
    for (const row of rows) {
      assert.equal(catalog.findModel(provider, row.id)?.row, row);
      for (const alias of row.aliases ?? []) {
        const match = catalog.findModel(provider, alias);
        assert.ok(match === undefined || match.row === row, `${provider} ${alias}`);
      }
    }
  }
});

/** Prices read by hand from the packages' own files. */
const known: readonly (readonly [provider: string, name: string, price: CatalogRow["price"]])[] = [
  ["openai", "gpt-4o-2024-05-13", { input: "5", output: "15" }],
  ["openai", "gpt-4o-2024-08-06", { input: "2.5", output: "10", cachedInput: "1.25" }],
  ["openai", "gpt-5-mini", { input: "0.25", output: "2", cachedInput: "0.025" }],
  [
    "openai",
    "gpt-6-luna",
    {
      ...{ input: "0.1", output: "0.5", cachedInput: "0.01", cacheWrite: "0.125" },
      tiers: [
        { abovePromptTokens: 272_000, input: "0.2", output: "0.75", cachedInput: "0.02", cacheWrite: "0.25" },
      ],
    },
  ],
  [
    "openai",
    "gpt-6.1-terra",
    {
      ...{ input: "1", output: "5", cachedInput: "0.05", cacheWrite: "1.25", longCacheWrite: "2.5" },
      tiers: [
        {
          ...{ abovePromptTokens: 272_000, input: "2", output: "7.5" },
          ...{ cachedInput: "0.1", cacheWrite: "2.5", longCacheWrite: "5" },
        },
      ],
    },
  ],
  [
    "anthropic",
    "claude-opus-5-5",
    { input: "4", output: "20", cachedInput: "0.2", cacheWrite: "5", longCacheWrite: "8" },
  ],
  [
    "google",
    "gemini-2.5-pro",
    {
      ...{ input: "1.25", output: "10", cachedInput: "0.125" },
      tiers: [{ abovePromptTokens: 200_000, input: "2.5", output: "15", cachedInput: "0.25" }],
    },
  ],
  [
    "bedrock",
    "amazon.nova-micro-v1:0",
    { input: "0.035", output: "0.14", cachedInput: "0.00875", cacheWrite: "0.035" },
  ],
  ["deepseek", "deepseek-flash", { input: "0.3", output: "1.2", cachedInput: "0.006" }],
  ["deepseek", "deepseek-v4-flash", { input: "0.3", output: "1.2", cachedInput: "0.006" }],
  ["deepseek", "deepseek-v4-pro", { input: "1.32", output: "3.96", cachedInput: "0.044" }],
  ["groq", "openai/gpt-oss-20b", { input: "0.075", output: "0.3", cachedInput: "0.0375" }],
  ["cohere", "command-r7b", { input: "0.0375", output: "0.15" }],
  ["perplexity", "sonar", { input: "1", output: "1", perRequest: "0.012" }],
  ["fireworks", "accounts/fireworks/models/glm-5p3", { input: "1.4", output: "4.4", cachedInput: "0.26" }],
  ["zhipu", "glm-5.3", { input: "1.4", output: "4.4", cachedInput: "0.26" }],
  ["zhipu-cn", "glm-5.3", { input: "1.103", output: "3.862", cachedInput: "0.276" }],
];

test("well-known rows have the sources' values", () => {
  for (const [provider, name, price] of known) {
    assert.deepEqual(catalog.findModel(provider, name)?.row.price, price, `${provider} ${name}`);
  }
  assert.equal(catalog.findModel("openai", "gpt-4o")?.row.context, 128_000);
  assert.equal(catalog.findModel("openai", "text-embedding-3-small")?.row.kind, "embedding");
  assert.deepEqual(catalog.findModel("openai", "text-embedding-3-small")?.row.price, {
    input: "0.02",
    output: "0",
  });
  assert.deepEqual(catalog.findModel("openai", "gpt-3.5-turbo-instruct")?.row.price, {
    input: "1.5",
    output: "2",
  });
  assert.equal(catalog.findModel("anthropic", "claude-opus-5-5")?.row.maxOutput, 128_000);
  assert.equal(catalog.findModel("openai", "gpt-6.1-terra")?.row.context, 1_050_000);
  assert.equal(catalog.findModel("deepseek", "deepseek-flash")?.row.context, 1_000_000);
  assert.equal(catalog.findModel("xai", "grok-4.5")?.row.context, 500_000);
});

test("Claude's one-hour cache writes cost twice its input wherever they are known of, tiers and all", () => {
  for (const [provider, least] of [
    ["anthropic", 35],
    ["vertex", 12],
    ["bedrock", 94],
  ] as const) {
    const rows = catalog
      .listModels(provider)
      .filter(({ id, price }) => /claude/.test(id) && price?.longCacheWrite !== undefined);
    assert.ok(rows.length >= least, `${provider}: ${rows.length}`);
    for (const { id, price } of rows) {
      for (const rates of [price, ...(price?.tiers ?? [])]) {
        if (rates === undefined) continue;
        const { input, longCacheWrite } = priceOf(rates);
        assert.equal(longCacheWrite, input * 2n, `${provider} ${id}`);
      }
    }
  }
});

test("announced prices are there by their day, at both of Google's hosts", () => {
  for (const provider of ["google", "vertex"]) {
    for (const [id, later] of [
      ["gemini-4-argon", { validFrom: "2026-12-01", input: "4", output: "20", cachedInput: "0.2" }],
      ...["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"].map(
        (name) =>
          [name, { validFrom: "2027-01-01", input: "1.5", output: "7.5", cachedInput: "0.15" }] as const,
      ),
    ] as const) {
      assert.deepEqual(catalog.findModel(provider, id)?.row.laterPrices, [later], `${provider} ${id}`);
    }
  }
});

test("what nobody knows has no price: plans, hosted prices for one's own machine, zeros that say nothing", () => {
  for (const provider of ["qwen", "ollama"]) {
    assert.ok(
      catalog.listModels(provider).every(({ price }) => price === undefined),
      provider,
    );
  }
  assert.ok(
    catalog.listModels("ollama").every(({ context, maxOutput }) => (context ?? maxOutput) === undefined),
  );
  assert.equal(catalog.findModel("zhipu", "glm-5.3-highspeed")?.row.price, undefined);
  assert.equal(catalog.findModel("openrouter", "openrouter/auto")?.row.price, undefined);
  for (const [provider, rows] of all) {
    const free = rows.filter(({ price }) => price?.input === "0").map(({ id }) => id);
    if (provider !== "openrouter") assert.deepEqual(free, [], provider);
  }
});

test("5,000 hostile names are answered, and providers are never paths", () => {
  const parts = [
    "gpt-4o",
    "__proto__",
    "/",
    ":",
    " ",
    "é",
    "-latest",
    "-20241022",
    "\0",
    "models/",
    "🦙",
    "./",
  ];
  for (let index = 0; index < 5_000; index += 1) {
    const name = [index, index >> 2, index >> 5].map((at) => parts[at % parts.length]).join("") + index;
    assert.equal(catalog.findModel("openai", name), undefined, name);
  }
  for (const provider of ["", "..", "./report", "OpenAI", "__proto__", "nobody", "openai.json", "a/b"]) {
    assert.equal(catalog.findModel(provider, "gpt-4o"), undefined, provider);
    assert.deepEqual(catalog.listModels(provider), [], provider);
  }
});

test("a file is read when it is first asked for, once, and never before", () => {
  const place = `${mkdtempSync(join(tmpdir(), "plaza-models-"))}/`;
  try {
    const opened = openModelCatalog(place);
    const row = { id: "m", name: "M", source: "package@1.0.0", date: "2026-11-10" };
    assert.equal(opened.findModel("late", "m"), undefined);
    writeFileSync(`${place}late.json`, JSON.stringify({ provider: "late", models: [row] }));
    assert.equal(opened.findModel("late", "m")?.sure, "exact");
    mkdirSync(`${place}models`);
    assert.equal(openModelCatalog(`${place}models/`).findModel("./late", "m"), undefined);
    writeFileSync(`${place}late.json`, "not read again");
    assert.equal(opened.findModel("late", "M")?.sure, "alias");
    writeFileSync(`${place}broken.json`, "{");
    assert.throws(() => opened.findModel("broken", "m"), SyntaxError);
  } finally {
    rmSync(place, { recursive: true });
  }
});

test("the licences of the sources are enclosed", () => {
  assert.equal(
    notice.match(/The above copyright notice and this permission notice shall be included/g)?.length,
    3,
  );
  for (const holder of ["Mario Zechner", "Can Bölük", "Stencil Labs", "Pydantic Services"]) {
    assert.ok(notice.includes(holder), holder);
  }
});
