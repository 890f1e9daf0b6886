import assert from "node:assert/strict";
import { test } from "node:test";
import { findProvider, type ProviderId, providers } from "./index.ts";

test("every provider is found by its id, ids are unique, others are not found", () => {
  const ids: readonly ProviderId[] = providers.map(({ id }) => id);
  assert.equal(new Set(ids).size, providers.length);
  for (const provider of providers) assert.equal(findProvider(provider.id), provider);
  for (const id of ["", "OpenAI", "anthropic", "constructor"]) assert.equal(findProvider(id), undefined);
});

test("a provider with a network needs a base URL, one without needs nothing", () => {
  for (const { transport, needs } of providers) {
    assert.equal(needs.baseUrl, transport === "http");
    if (transport === "local") assert.equal(needs.credentials, false);
  }
});
