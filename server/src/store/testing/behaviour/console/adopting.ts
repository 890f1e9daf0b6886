/**
 * What every store must do with a catalog file that adopts what the console manages. A part of
 * `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import type { NewFixture } from "../../fixture.ts";

const upstream = (id: string) => ({
  id,
  provider: "demo",
  baseUrl: "",
  credentials: [],
  timeouts: defaultTimeouts,
});

const model = (id: string) => ({
  id,
  name: id,
  deployments: [{ upstream: "up", model: id, priority: 1, weight: 1 }],
});

/** Registers the tests. */
export function adoptingBehaviour(newFixture: NewFixture): void {
  test("a file adopts the items and limits of the console that it lists, when told to", async (context) => {
    const { store } = await newFixture(context);
    await store.createUpstream(upstream("up"));
    await store.createModel(model("one"));
    await store.createModel(model("two"));
    const { keptLimits } = await store.showCatalog();
    await store.changeLimits({ limits: { concurrency: 5 }, installation: {} }, keptLimits.revision ?? 0);
    const file: Catalog = { upstreams: [upstream("up")], models: [model("one")], limits: { concurrency: 5 } };
    await assert.rejects(store.applyCatalog(file), { code: "invalid", message: /managed in the console/ });
    const difference = {
      added: [],
      changed: ["upstream up", "model one", "limits"],
      removed: [],
    };
    assert.deepEqual(await store.compareCatalog(file, { adopts: true }), difference);
    assert.deepEqual(await store.applyCatalog(file, { adopts: true }), difference);
    const shown = await store.showCatalog();
    assert.deepEqual([...shown.upstreams, ...shown.models].map(({ id, source }) => [id, source]).toSorted(), [
      ["one", "file"],
      ["two", "console"],
      ["up", "file"],
    ]);
    assert.equal(shown.keptLimits.source, "file");
    assert.deepEqual(await store.applyCatalog(file), { added: [], changed: [], removed: [] });
    await assert.rejects(
      store.applyCatalog({ upstreams: [], models: [], limits: {} }, { adopts: true }),
      { code: "invalid", message: /upstream up is no longer in the file/ },
      "what stays the console's still needs it",
    );
  });
}
