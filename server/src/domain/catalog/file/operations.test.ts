/** Warnings for models whose upstreams lack their operations, in the file and in the console. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operationNames, operationPaths } from "@plaza/contract/operations.ts";
import { lacksOperation, providers } from "../../../providers/index.ts";
import { presets } from "../../../providers/presets/presets.ts";
import { readCatalogFile } from "../file.ts";
import { operationLacking } from "./operations.ts";

const upstreams = `upstreams:
  - { id: open, provider: openai, baseUrl: "http://127.0.0.1:9/v1", credentials: [k] }
  - { id: groq, preset: groq, credentials: [k] }
  - { id: claude, provider: anthropic, credentials: [k] }
`;

/** The warnings for a file with a model at these upstreams. */
function warnings(operations: string, ...used: readonly string[]): readonly string[] {
  const deployments = used.map((upstream) => `{ upstream: ${upstream}, model: x }`).join(", ");
  const text = `${upstreams}models:\n  - { id: a, operations: [${operations}], deployments: [${deployments}] }\n`;
  const result = readCatalogFile(text, { env: {}, fileName: "f", providers, presets, lacksOperation });
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  return result.warnings.filter((line) => line.includes("serves"));
}

test("an operation that no upstream of a model serves is a warning, because the file was good before", () => {
  const told = (operations: string) => [
    `f:6:5 models[0]: none of its upstreams serves ${operations}, so such calls of this model are refused`,
  ];
  assert.deepEqual(warnings("completion", "claude"), told("completion"));
  assert.deepEqual(warnings("chat, completion", "groq", "claude"), told("completion"));
  assert.deepEqual(warnings("completion", "claude", "open"), []);
  assert.deepEqual(warnings("chat", "claude", "groq"), []);
  // Plaza does not serve this operation yet, so the upstreams do not matter.
  for (const name of operationNames.filter((name) => !operationPaths[name].isServed)) {
    assert.deepEqual(warnings(name, "claude"), [], name);
  }
});

test("a model without upstreams that are known is not told of", () => {
  const model = { id: "a", name: "a", operations: ["completion"], deployments: [] } as const;
  assert.equal(
    operationLacking(
      model,
      () => undefined,
      () => true,
    ),
    undefined,
  );
});
