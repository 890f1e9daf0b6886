/** The presets as a table: consistent in themselves, known to the pages, and usable as the pages show them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogFile } from "../domain/catalog-file.ts";
import { providers } from "./index.ts";
import { findPreset, presets } from "./presets.ts";

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../../docs/providers/${name}.md`, import.meta.url), "utf8");

test("ids are unique, providers are there, addresses are addresses without a slash at their end", () => {
  assert.equal(new Set(presets.map(({ id }) => id)).size, presets.length);
  for (const { id, provider, baseUrl, otherBaseUrls = [], keyVariables, needsKey } of presets) {
    assert.match(id, /^[a-z][a-z0-9]*$/);
    assert.ok(
      providers.some((one) => one.id === provider),
      id,
    );
    for (const url of [baseUrl, ...otherBaseUrls]) {
      assert.match(url, needsKey ? /^https:\/\/[^?#@]+[^/]$/ : /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    }
    for (const name of keyVariables) assert.match(name, /^[A-Z_]+_KEY$/);
    assert.equal(keyVariables.length > 0, needsKey, id);
    assert.equal(findPreset(id)?.baseUrl, baseUrl);
  }
  for (const id of [undefined, "", "nobody", "constructor"]) assert.equal(findPreset(id), undefined);
});

test("the page lists every preset with its address", () => {
  const page = pageOf("openai-compatible");
  for (const { id, baseUrl, needsKey } of presets) {
    const row = page.split("\n").find((line) => line.startsWith("| `") && line.includes(`\`${id}\``));
    assert.ok(row !== undefined, id);
    if (needsKey) assert.ok(row.includes(baseUrl), `${id}: ${baseUrl}`);
  }
});

test("the examples of the pages are catalogs", () => {
  const secret = "11111111-2222-3333-4444-555555555555";
  const env = Object.fromEntries(
    [
      "OPENAI_API_KEY",
      "MISTRAL_API_KEY",
      "MOONSHOT_API_KEY",
      "AZURE_OPENAI_API_KEY",
      "AZURE_TENANT_ID",
      "AZURE_CLIENT_ID",
      "AZURE_CLIENT_SECRET",
    ].map((name) => [name, secret]),
  );
  for (const name of ["openai-compatible", "azure"]) {
    const example = /```yaml\n([\s\S]*?)```/.exec(pageOf(name))?.[1] ?? "";
    const text = example.includes("\nmodels:") ? example : `${example}\nmodels: []`;
    const result = readCatalogFile(text, { env, fileName: name, providers, presets });
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    assert.deepEqual(result.warnings, []);
    assert.ok(result.catalog.upstreams.length > 0);
  }
});
