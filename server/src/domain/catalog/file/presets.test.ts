// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file format has variables of this form.
/** Preset, provider, base URL and options of an upstream in a catalog file. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { message } from "@plaza/contract/messages/message.ts";
import { presets as realPresets } from "../../../providers/presets/presets.ts";
import { readCatalogFile } from "../file.ts";

const options = {
  region: {
    help: message("form.other", { text: "a region like eu-west-1" }),
    pattern: /^[a-z]+-[a-z]+-\d$/,
    isRequired: true,
  },
  size: { help: message("form.other", { text: "a whole number" }), pattern: /^\d+$/ },
  isOn: { help: message("form.other", { text: "true or false" }), pattern: /^(?:true|false)$/ },
};
const providers = [
  { id: "openai", baseUrl: "https://api.openai.com/v1", needs: { baseUrl: true, credentials: false } },
  { id: "cloud", needs: { baseUrl: true, credentials: true, options } },
  { id: "demo", needs: { baseUrl: false, credentials: false } },
];
const presets = [
  { id: "mistral", provider: "openai", baseUrl: "https://api.mistral.ai/v1", needsKey: true },
  { id: "deepseek", provider: "openai", baseUrl: "https://api.deepseek.com", needsKey: true },
  { id: "ollama", provider: "openai", baseUrl: "http://127.0.0.1:11434/v1", needsKey: false },
  { id: "ghost", provider: "nobody", baseUrl: "https://ghost.example/v1", needsKey: false },
];
const env = { REGION: "eu-west-1", PRESET: "mistral", BAD: "sk-leak", EMPTY: "" };

const read = (fields: string) =>
  readCatalogFile(`models: []\nupstreams: [{ id: main, ${fields} }]`, {
    env,
    fileName: "f",
    providers,
    presets,
  });

function upstream(fields: string, warnings: readonly string[] = []) {
  const result = read(fields);
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  assert.deepEqual(
    result.warnings.map((line) => line.replace(/^f:2:\d+ /, "")),
    warnings,
  );
  const [found] = result.catalog.upstreams;
  assert.ok(found !== undefined);
  return found;
}

function refused(fields: string): readonly string[] {
  const result = read(fields);
  assert.ok(!result.ok, fields);
  return result.faults.map((line) => line.replace(/^f:2:\d+ /, ""));
}

test("a preset gives provider and address, and stays on the upstream", () => {
  const { provider, baseUrl, preset } = upstream("preset: mistral, credentials: [k]");
  assert.deepEqual([provider, baseUrl, preset], ["openai", "https://api.mistral.ai/v1", "mistral"]);
  assert.equal(upstream(`preset: "\${PRESET}", credentials: [k]`).preset, "mistral");
  assert.equal(upstream("preset: ollama").baseUrl, "http://127.0.0.1:11434/v1");
});

test("what the file says wins over the preset", () => {
  const own = upstream("preset: mistral, baseUrl: https://proxy.example/v2, credentials: [k]");
  assert.deepEqual([own.provider, own.baseUrl], ["openai", "https://proxy.example/v2"]);
  assert.equal(upstream("preset: mistral, provider: openai, credentials: [k]").preset, "mistral");
  const other = upstream("preset: ollama, provider: demo", [
    'upstreams[0].preset: preset "ollama" is for provider "openai" and has no effect on provider "demo"',
  ]);
  assert.deepEqual([other.provider, other.baseUrl, Object.hasOwn(other, "preset")], ["demo", "", false]);
});

test("without a preset the provider's own address stands in, where it has one", () => {
  const { baseUrl, ...rest } = upstream("provider: openai");
  assert.equal(baseUrl, "https://api.openai.com/v1");
  for (const name of ["preset", "options"]) assert.equal(Object.hasOwn(rest, name), false, name);
  assert.deepEqual(refused("provider: cloud, credentials: [k], options: { region: eu-west-1 }"), [
    'upstreams[0].baseUrl: is missing; provider "cloud" requires the URL up to and including /v1',
  ]);
  assert.equal(upstream("provider: demo").baseUrl, "");
});

test("a preset that is not known, wants a key, or has no provider is refused by name", () => {
  assert.deepEqual(refused("preset: mistal"), [
    'upstreams[0].preset: unknown preset "mistal"; did you mean "mistral"? (presets: deepseek, ghost, mistral, ollama)',
  ]);
  assert.deepEqual(refused("preset: [mistral]"), ["upstreams[0].preset: must be text: the ID of a preset"]);
  const missingKey =
    'upstreams[0].credentials: is missing; preset "mistral" requires at least one, for example ["${UPSTREAM_KEY}"]';
  assert.deepEqual(refused("preset: mistral"), [missingKey]);
  assert.deepEqual(refused("preset: mistral, credentials: []"), [
    "upstreams[0].credentials: is empty; add at least 1",
  ]);
  assert.deepEqual(refused("preset: ghost"), [
    'upstreams[0].preset: it requires the provider "nobody", which does not exist',
  ]);
});

test("an address without the path its kind has is taken, with a warning", () => {
  const warning = (path: string) => [
    `upstreams[0].baseUrl: has no path; a URL of this kind usually ends in ${path}`,
  ];
  assert.equal(
    upstream("provider: openai, baseUrl: http://127.0.0.1:9", warning("/v1")).baseUrl,
    "http://127.0.0.1:9",
  );
  upstream("provider: openai, baseUrl: http://127.0.0.1:9/v1");
  upstream("provider: openai, baseUrl: https://api.example.com/", warning("/v1"));
  upstream("preset: deepseek, baseUrl: https://api.example.com, credentials: [k]");
  upstream("preset: ollama, baseUrl: http://10.0.0.1:11434", warning("/v1"));
});

test("an address of the endpoint itself is refused", () => {
  for (const path of ["/chat/completions", "/models", "/chat/completions//"]) {
    const [only, ...more] = refused(`provider: openai, baseUrl: https://api.example.com/v1${path}`);
    assert.match(only ?? "", /baseUrl: must not end in \/\w/);
    assert.deepEqual(more, []);
  }
  upstream("provider: openai, baseUrl: https://api.example.com/chat/completions/v1");
});

const cloud = "provider: cloud, baseUrl: https://c.example/v1, credentials: [k]";

test("options are texts by name; numbers and booleans are taken as they are written", () => {
  const given = upstream(`${cloud}, options: { region: "\${REGION}", size: 007, isOn: true }`).options;
  assert.deepEqual(given, { region: "eu-west-1", size: "007", isOn: "true" });
  assert.deepEqual(upstream(`${cloud}, options: { region: eu-west-1 }`).options, { region: "eu-west-1" });
  assert.equal(Object.hasOwn(upstream("provider: demo, options: {}"), "options"), false);
});

test("every fault of the options is told with its path, and no variable's value is", () => {
  assert.deepEqual(refused(cloud), [
    'upstreams[0].options.region: is missing; provider "cloud" requires a region like eu-west-1',
  ]);
  assert.deepEqual(refused(`${cloud}, options: { regoin: eu-west-1, size: -1, isOn: [yes] }`), [
    'upstreams[0].options.region: is missing; provider "cloud" requires a region like eu-west-1',
    'upstreams[0].options.regoin: provider "cloud" has no option "regoin"; did you mean "region"? (options: region, size, isOn)',
    'upstreams[0].options.size: "-1" is not allowed; enter a whole number',
    "upstreams[0].options.isOn: must be a single plain value: true or false",
  ]);
  assert.deepEqual(refused(`${cloud}, options: { region: "\${BAD}" }`), [
    'upstreams[0].options.region: "${BAD}" is not allowed; enter a region like eu-west-1',
  ]);
  assert.deepEqual(refused(`${cloud}, options: { region: "\${NONE}" }`).length, 1);
  assert.deepEqual(refused(`${cloud}, options: { region: "\${EMPTY}" }`), [
    "upstreams[0].options.region: is empty because its variable is empty; enter a region like eu-west-1",
  ]);
  assert.deepEqual(refused(`${cloud}, options: { region: null }`), [
    "upstreams[0].options.region: must be text: a region like eu-west-1",
  ]);
  for (const wrong of ["x", "[region]", "null", "7"]) {
    assert.equal(
      refused(`${cloud}, options: ${wrong}`)[0],
      "upstreams[0].options: must be a mapping of names to values",
    );
  }
  for (const name of ["region", "__proto__", "constructor"]) {
    assert.deepEqual(refused(`provider: demo, options: { ${name}: x }`), [
      `upstreams[0].options.${name}: provider "demo" has no options`,
    ]);
  }
});

test("control characters and endless values are refused whatever the pattern says", () => {
  const loose = [
    {
      id: "loose",
      needs: {
        baseUrl: false,
        credentials: false,
        options: { a: { help: message("form.other", { text: "x" }), pattern: /./s } },
      },
    },
  ];
  for (const value of ["a\nb", "a\u0000", "x".repeat(1_025)]) {
    const text = JSON.stringify({
      upstreams: [{ id: "m", provider: "loose", options: { a: value } }],
      models: [],
    });
    assert.equal(readCatalogFile(text, { env: {}, fileName: "f", providers: loose }).ok, false);
  }
});

test("every preset that ships is read", () => {
  for (const { id, provider, baseUrl, baseUrlForms, needsKey } of realPresets) {
    const key = needsKey ? ", credentials: [k]" : "";
    const known = [
      { id: provider, baseUrl: "https://provider.example/v1", needs: { baseUrl: true, credentials: false } },
    ];
    const read = (address: string) =>
      readCatalogFile(`models: []\nupstreams: [{ id: m, preset: ${id}${key}${address} }]`, {
        env: {},
        fileName: "f",
        providers: known,
        presets: realPresets,
      });
    const result = read("");
    if (baseUrl !== undefined) {
      assert.ok(result.ok, id);
      assert.equal(result.catalog.upstreams[0]?.baseUrl, baseUrl);
      continue;
    }
    // Its address differs from its provider's and only the operator knows it.
    const fault = `is missing; preset "${id}" has no fixed address: enter its URL, for example ${baseUrlForms?.[0]}`;
    assert.ok(
      !result.ok && result.faults.some((one) => one.includes(fault)),
      `${id}: ${JSON.stringify(result)}`,
    );
    assert.ok(read(", baseUrl: https://mine.example/v1").ok);
  }
});
