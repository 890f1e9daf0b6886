import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { defaultProvider, findProvider, loadProviders, providers } from "./index.ts";

test("every provider is found by its id once it is loaded, ids are unique, others are not found", async () => {
  const ids = providers.map(({ id }) => id);
  assert.equal(new Set(ids).size, providers.length);
  for (const id of ids) assert.equal(findProvider(id), undefined, "nothing is loaded before it is asked for");
  await loadProviders([...ids, "nobody"]);
  for (const { id, transport } of providers) {
    assert.equal(findProvider(id)?.id, id);
    assert.equal(findProvider(id)?.transport, transport);
  }
  for (const id of ["", "OpenAI", "nobody", "constructor"]) assert.equal(findProvider(id), undefined);
});

test("one provider is assumed where nothing is known of a server", () => {
  assert.deepEqual(
    providers.filter(({ isDefault }) => isDefault),
    [defaultProvider],
  );
});

test("a provider with a network needs a base URL, one without needs nothing", () => {
  for (const { transport, needs } of providers) {
    assert.equal(needs.baseUrl, transport === "http");
    if (transport === "local") assert.equal(needs.credentials, false);
  }
});

test("a descriptor says whether its provider can ask the machine for credentials", async () => {
  for (const { id, needs, load } of providers) {
    const provider = await load();
    const hasIdentity = provider.transport === "http" && provider.tokens?.identity !== undefined;
    assert.equal(needs.identity === true, hasIdentity, id);
  }
});

test("a descriptor names every format its provider can speak, the preferred first", async () => {
  for (const descriptor of providers) {
    const provider = await descriptor.load();
    const upstream = {
      id: "u",
      provider: descriptor.id,
      baseUrl: "https://up.test/v1",
      credentials: [],
      timeouts: defaultTimeouts,
    };
    const own = provider.transport === "http" ? (provider.forUpstream?.(upstream) ?? provider) : undefined;
    const named = own?.formats.map(({ format }) => format).filter((format) => format !== "own");
    assert.deepEqual(named ?? [], descriptor.formats ?? [], descriptor.id);
  }
});
