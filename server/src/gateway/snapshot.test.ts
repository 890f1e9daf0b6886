import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Model, Upstream } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { loadProviders } from "../providers/index.ts";
import type { ByOperation, Provider } from "../providers/provider.ts";
import { createSnapshot, type LiveModel, type Upstreams } from "./snapshot.ts";

await loadProviders(["demo"]);

const upstreamOf = (id: string): Upstream => ({
  id,
  provider: "demo",
  baseUrl: "",
  credentials: [],
  timeouts: defaultTimeouts,
});

/** Providers by upstream id, and what each supports. */
const providers: Readonly<Record<string, Provider>> = {
  talks: { id: "talks", transport: "local", scripts: { chat: script }, fault },
  writes: { id: "writes", transport: "http", formats: [], codecs: { completion: { encode } }, fault },
  both: { id: "both", transport: "local", scripts: { chat: script, completion: script }, fault },
};
function script(): never {
  assert.fail("nothing is played");
}
function encode(): never {
  assert.fail("nothing is called");
}
function fault() {
  return { kind: "server" } as const;
}

const upstreams: Upstreams = {
  take: (upstream) => ({ upstream, provider: providers[upstream.id] as Provider, client: undefined }),
  sweep() {},
  close: async () => {},
};

/** The model `m` with these operations at these upstreams. */
function live(operations: Model["operations"], ...ids: string[]): LiveModel {
  const deployments = ids.map((upstream) => ({ upstream, model: "m", priority: 1, weight: 1 }));
  const model: Model = {
    id: "m",
    name: "m",
    deployments,
    ...(operations === undefined ? {} : { operations }),
  };
  const catalog: Catalog = { upstreams: ids.map(upstreamOf), models: [model], limits: {} };
  return createSnapshot(catalog, upstreams).models.get("m") as LiveModel;
}

const idsOf = (model: LiveModel | undefined): string[] | undefined =>
  model?.deployments.map(({ live: { upstream } }) => upstream.id);
const idsBy = (byOperation: ByOperation<LiveModel> | undefined) =>
  Object.fromEntries(Object.entries(byOperation ?? {}).map(([name, model]) => [name, idsOf(model)]));

test("a model that each of its upstreams serves is one and the same for all operations", () => {
  assert.equal(live(undefined, "talks", "both").byOperation, undefined);
  assert.equal(live(["chat", "completion"], "both").byOperation, undefined);
});

test("of an upstream that lacks an operation nothing is left for it, whatever else it serves", () => {
  const mixed = live(["chat", "completion"], "talks", "writes", "both");
  assert.deepEqual(idsOf(mixed), ["talks", "writes", "both"]);
  assert.deepEqual(idsBy(mixed.byOperation), { chat: ["talks", "both"], completion: ["writes", "both"] });
  assert.deepEqual(idsBy(live(["embeddings"], "both", "writes").byOperation), { embeddings: [] });
});
