/** The `formats` field of a deployment: the wire formats that its upstream supports. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { providers } from "../../../providers/index.ts";
import { presets } from "../../../providers/presets/presets.ts";
import { readCatalogFile } from "../file.ts";

const upstreams = `upstreams:
  - { id: open, provider: openai, baseUrl: "http://127.0.0.1:9/v1", credentials: [k] }
  - { id: claude, provider: anthropic, credentials: [k] }
`;

function read(deployment: string) {
  const text = `${upstreams}models:\n  - { id: a, price: { input: "1", output: "1" }, deployments: [{ model: x, ${deployment} }] }\n`;
  return readCatalogFile(text, { env: {}, fileName: "f", providers, presets });
}

test("formats are read, each once; without them nothing is said", () => {
  const formatsOf = (deployment: string) => {
    const result = read(deployment);
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    return result.catalog.models[0]?.deployments[0]?.formats;
  };
  const both = "[openai-responses, openai-chat, openai-responses]";
  assert.deepEqual(formatsOf(`upstream: open, formats: ${both}`), ["openai-responses", "openai-chat"]);
  assert.equal(formatsOf("upstream: open"), undefined);
});

test("an unknown format, none at all, and one the provider cannot speak are faults with their place", () => {
  const faultOf = (deployment: string) => {
    const result = read(deployment);
    return result.ok ? "" : result.faults.join("\n");
  };
  assert.match(faultOf("upstream: open, formats: [openai-response]"), /formats\[0\]: unknown format/);
  assert.match(faultOf("upstream: open, formats: []"), /deployments\[0\]\.formats: /);
  assert.match(
    faultOf("upstream: claude, formats: [openai-responses]"),
    /^f:\d+:\d+ models\[0\]\.deployments\[0\]\.formats: provider anthropic does not speak openai-responses; it speaks anthropic-messages$/,
  );
});
