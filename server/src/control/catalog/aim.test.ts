/** Which credentials from the environment the wizard uses, and for which service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AimDocument } from "@plaza/contract/api/catalog.ts";
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { Store } from "../../store/store.ts";
import { meantBy } from "./aim.ts";

const secret = "sk-of-the-environment";
const env = {
  OPENAI_API_KEY: ` ${secret}\n`,
  AZURE_OPENAI_API_KEY: secret,
  ANTHROPIC_API_KEY: " ",
  PLAZA_SECRET_KEY: secret,
};

const store = {
  showCatalog: async () => ({ upstreams: [], models: [], limits: {}, installation: {}, keptLimits: {} }),
} as unknown as Store;

const aim = (changes: Partial<AimDocument>): AimDocument => ({
  upstreamId: null,
  service: null,
  baseUrl: null,
  credential: null,
  useEnvironment: null,
  options: {},
  headers: {},
  ...changes,
});

test("a service's own variable is taken for the service itself", async () => {
  const plain = await meantBy(store, aim({ service: "openai", useEnvironment: "OPENAI_API_KEY" }), null, env);
  assert.deepEqual([plain.upstream.id, plain.upstream.credentials], ["openai", [secret]]);
  const baseUrl = "https://mine.openai.azure.com";
  const azure = await meantBy(
    store,
    aim({ service: "azure", baseUrl, useEnvironment: "AZURE_OPENAI_API_KEY" }),
    "mine",
    env,
  );
  assert.deepEqual([azure.upstream.id, azure.upstream.credentials], ["mine", [secret]]);
});

test("no variable is sent elsewhere, and no other is read at all", async () => {
  const cases: Partial<AimDocument>[] = [
    { service: "openai", useEnvironment: "PLAZA_SECRET_KEY" },
    { service: "openai", useEnvironment: "AZURE_OPENAI_API_KEY" },
    { service: "openai", baseUrl: "http://127.0.0.1:9/v1", useEnvironment: "OPENAI_API_KEY" },
    {
      service: "openai",
      baseUrl: "https://api.openai.com.evil.example/v1",
      useEnvironment: "OPENAI_API_KEY",
    },
    { service: "azure", baseUrl: "https://evil.example", useEnvironment: "AZURE_OPENAI_API_KEY" },
    { service: "azure", baseUrl: "http://x.openai.azure.com", useEnvironment: "AZURE_OPENAI_API_KEY" },
    { service: "anthropic", useEnvironment: "ANTHROPIC_API_KEY" },
    { baseUrl: "http://127.0.0.1:9/v1", useEnvironment: "OPENAI_API_KEY" },
    { service: "openai" },
  ];
  for (const changes of cases)
    await assert.rejects(meantBy(store, aim(changes), null, env), (error: GatewayError) => {
      assert.equal(error.code, "invalid_request", JSON.stringify(changes));
      assert.ok(!JSON.stringify(error.detail).includes(secret));
      return true;
    });
});
