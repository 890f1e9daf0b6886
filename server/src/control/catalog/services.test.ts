import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { aimAt } from "../../connect/aim.ts";
import { findOffers, services } from "./services.ts";

const secret = "sk-of-the-environment";

test("every service of the wizard can be meant by its id, and says what it wants", () => {
  for (const service of services) {
    const { id, hasAddress, baseUrl, baseUrlForm, needsCredential, keyVariables, options, ended } = service;
    if (id === "demo") {
      assert.deepEqual([hasAddress, needsCredential], [false, false]);
      continue;
    }
    assert.ok(baseUrl !== null || baseUrlForm !== null, id);
    const address = ended === null ? (baseUrl ?? "https://there.example/v1") : "https://there.example/v1";
    assert.equal(aimAt(id, address).target.id, id);
    assert.ok(!needsCredential || keyVariables.length > 0 || baseUrlForm !== null, id);
    assert.notEqual(service.source, null, id);
    for (const { help } of options) assert.match(help, /^[A-Z].*\.$/);
  }
  assert.equal(new Set(services.map(({ id }) => id)).size, services.length);
});

test("offers name variables and servers, never a secret; what is connected is said to be", async (context) => {
  const body = JSON.stringify({ object: "list", data: [{ id: "a" }, { id: "b" }] });
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const local = { id: "ollama", name: "Ollama", baseUrl: `http://127.0.0.1:${port}/v1` };
  const look = {
    // GitHub's token has other uses, and this Snowflake's address is unknown.
    env: { OPENAI_API_KEY: secret, MISTRAL_API_KEY: " ", GITHUB_TOKEN: secret, SNOWFLAKE_PAT: secret },
    servers: [local, { ...local, baseUrl: "http://127.0.0.1:9/v1" }],
    ownPort: 9,
    timeoutMs: 5_000,
  };
  const offers = await findOffers({ ...look, connected: [`http://127.0.0.1:${port}/other`, ""] });
  assert.deepEqual(
    offers.map(({ service, variable, models, isConnected }) => [service, variable, models, isConnected]),
    [
      ["openai", "OPENAI_API_KEY", null, false],
      ["ollama", null, 2, true],
    ],
  );
  assert.ok(!JSON.stringify(offers).includes(secret));
});
