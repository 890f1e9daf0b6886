/** Checks the presets: the rows are consistent, documented, and usable as the documentation shows them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { textOf } from "@plaza/contract/messages/message.ts";
import { readCatalogFile } from "../../domain/catalog/file.ts";
import { providers } from "../index.ts";
import { findPreset, presets } from "./presets.ts";
import { targets } from "./targets.ts";

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../../../docs/operate/providers/${name}.md`, import.meta.url), "utf8");

const dayForm = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
/** A URL, or a package with its version. */
const sourceForm = /^(?:https:\/\/\S+|(?:@[a-z0-9-]+\/)?[a-z0-9-]+@\d+\.\d+\.\d+)$/;

test("ids are unique, providers are there, addresses are addresses without a slash at their end", () => {
  assert.equal(new Set(presets.map(({ id }) => id)).size, presets.length);
  for (const preset of presets) {
    const { id, provider, baseUrl, otherBaseUrls = [], baseUrlForms = [], keyVariables, needsKey } = preset;
    assert.match(id, /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
    assert.ok(
      providers.some((one) => one.id === provider),
      id,
    );
    assert.equal(baseUrl === undefined, baseUrlForms.length > 0, `${id} has an address or forms of one`);
    for (const url of [baseUrl ?? [], otherBaseUrls].flat()) {
      assert.match(url, needsKey ? /^https:\/\/[^?#@{}]+[^/]$/ : /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    }
    for (const form of baseUrlForms) assert.match(form, /^https:\/\/[\w.{}-]+(?:\/[\w.{}-]+)+$/);
    for (const name of keyVariables) assert.match(name, /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|BEDROCK|PAT)$/);
    if (!needsKey) assert.deepEqual(keyVariables, [], id);
    assert.equal(findPreset(id)?.baseUrl, baseUrl);
  }
  for (const id of [undefined, "", "nobody", "constructor"]) assert.equal(findPreset(id), undefined);
});

test("every service says where it is from and of which day that is", () => {
  for (const { id, origin, ended } of targets) {
    assert.match(origin?.source ?? "", sourceForm, id);
    assert.match(origin?.date ?? "", dayForm, id);
    if (ended !== undefined) {
      assert.match(ended.on, dayForm, id);
      assert.match(textOf(ended.note), /^[A-Z].*\.$/, id);
    }
  }
});

test("those the issue names are there, and what is no more says so", () => {
  const wanted = [
    "vertex-anthropic",
    "minimax",
    "huggingface",
    "deepinfra",
    "vercel",
    "github-models",
    "bedrock-mantle",
    "nvidia",
    "nebius",
    "sambanova",
    "novita",
    "baseten",
    "ark",
    "cortex",
    "ovhcloud",
  ];
  for (const id of wanted)
    assert.ok(
      targets.some((target) => target.id === id),
      id,
    );
  assert.equal(findPreset("together")?.baseUrl, "https://api.together.ai/v1");
  assert.deepEqual(
    presets.flatMap(({ id, ended }) => (ended === undefined ? [] : [[id, ended.on]])),
    [
      ["perplexity", "2026-09-27"],
      ["github-models", "2026-07-30"],
    ],
  );
  assert.equal(findPreset("perplexity")?.ended?.note.id, "provider.perplexityEnded");
});

test("the page lists every service with its addresses, its source and its day", () => {
  const page = pageOf("services");
  for (const { id, baseUrl, baseUrlForms, preset, origin, ended } of targets) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${id}\` |`));
    assert.ok(row !== undefined, id);
    const addresses = [baseUrl ?? [], preset?.otherBaseUrls ?? [], baseUrlForms].flat();
    const words =
      ended === undefined ? [...addresses, origin?.source ?? "?", origin?.date ?? "?"] : [ended.on];
    for (const word of words) assert.ok(row.includes(word), `${id}: ${word}`);
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
