/**
 * A Plaza process loads only the files its catalog needs, so unused protocols cost nothing. A hook on the
 * process's imports reports them. The start-up time with all providers is printed but not checked.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { wires } from "../../../server/src/providers/testing/all.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { recordLoadedFiles } from "../harness/loaded-files.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";
import { startMock } from "./provider-mock.ts";

interface Loaded {
  readonly files: readonly string[];
  readonly readyMs: number;
}

/** Starts Plaza with these providers and makes one call to each. */
async function load(ids: readonly string[]): Promise<Loaded> {
  const folder = temporaryFolder();
  const loaded = recordLoadedFiles(folder);
  const chosen = wires.filter(({ id }) => ids.includes(id));
  const mock = await startMock((place) => ({
    body: chosen.find(({ id }) => id === place)?.whole("ok") ?? "{}",
  }));
  const price = { input: "1", output: "1" };
  const startedMs = performance.now();
  const product = await startProduct({
    // In the sources each provider is known by its folder; a build has the same parts under other names.
    env: { ...loaded.env, LAUNCH_SOURCES: "1" },
    catalog: {
      upstreams: chosen.map(({ id, basePath, credential }) => ({
        id,
        provider: id,
        baseUrl: `${mock.origin}/${id}${basePath}`,
        credentials: [credential],
      })),
      models: chosen.map(({ id }) => ({ id, name: id, price, deployments: [{ upstream: id, model: "m" }] })),
    },
  });
  const readyMs = performance.now() - startedMs;
  try {
    for (const { id } of chosen) {
      const body = JSON.stringify({ model: id, max_tokens: 10, messages: [{ role: "user", content: "x" }] });
      const seen = await post({ url: product.chatUrl, key: product.firstKey, body });
      assert.equal(seen.status, 200, seen.body.toString("utf8"));
    }
  } finally {
    await product.stop();
    await mock.stop();
  }
  const files = loaded.read();
  rmSync(folder, { recursive: true, force: true });
  return { files, readyMs };
}

/** Ids of the providers whose code is among the files. Descriptors do not count. */
const codeOf = (files: readonly string[]): string[] => [
  ...new Set(
    files.flatMap((file) =>
      /\/(?:descriptor|listing)\.ts$/.test(file)
        ? []
        : (wires.find(({ id }) => id !== "openai" && file.includes(`/providers/${id}/`))?.id ?? []),
    ),
  ),
];

test("with OpenAI's protocol alone, no other provider's code is loaded", async () => {
  const { files } = await load(["openai"]);
  assert.ok(
    files.some((file) => file.endsWith("/providers/openai/openai.ts")),
    "the hook sees what is loaded",
  );
  assert.deepEqual(codeOf(files), []);
  assert.deepEqual(
    files.filter((file) => /\/@(?:smithy|aws-sdk|aws-crypto)\//.test(file)),
    [],
  );
});

test("with Anthropic alone, nothing of Google's, Azure's, Bedrock's or AWS's is loaded", async () => {
  const { files } = await load(["anthropic"]);
  assert.deepEqual(codeOf(files), ["anthropic"]);
  assert.ok(!files.some((file) => file.includes("/@smithy/")));
});

test("with all providers configured all are loaded, and it starts", async (context) => {
  const { files, readyMs } = await load(wires.map(({ id }) => id));
  assert.deepEqual(codeOf(files).sort(), wires.flatMap(({ id }) => (id === "openai" ? [] : [id])).sort());
  assert.ok(files.some((file) => file.includes("/@smithy/")));
  context.diagnostic(
    `ready after ${Math.round(readyMs)} ms with ${wires.length} providers (wanted ≤ 1,000), the hook's own work included`,
  );
});
