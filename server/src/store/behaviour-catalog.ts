/** What every store must do with the catalog. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  type Catalog,
  type Deployment,
  defaultTimeouts,
  type Model,
  type Upstream,
} from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import type { NewFixture } from "./behaviour.ts";

const nothing = { added: [], changed: [], removed: [] };

const upstream = (id: string, changes: Partial<Upstream> = {}): Upstream => ({
  id,
  provider: "openai",
  baseUrl: "http://127.0.0.1:9000/v1",
  credentials: [`sk-${id}-1`, `sk-${id}-2`],
  timeouts: defaultTimeouts,
  ...changes,
});

const on = (upstreamId: string): Deployment => ({
  upstream: upstreamId,
  model: "its-name",
  priority: 1,
  weight: 1,
});

const model = (id: string, changes: Partial<Model> = {}): Model => ({
  id,
  name: `Model ${id}`,
  price: { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) },
  deployments: [on("main")],
  ...changes,
});

const full: Catalog = {
  upstreams: [
    upstream("main"),
    upstream("spare", {
      provider: "demo",
      baseUrl: "",
      credentials: [],
      timeouts: { connectMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 },
    }),
  ],
  models: [
    model("zeta", {
      description: 'All facts, even "quoted" ones',
      context: 400_000,
      maxOutput: 128_000,
      modalities: { input: ["text", "image"], output: ["text"] },
      price: {
        input: nanoUsd(9_007_199_254_740_993n),
        output: nanoUsd(10n ** 18n),
        cachedInput: nanoUsd(0n),
        cacheWrite: nanoUsd(1n),
      },
      deployments: [on("spare"), { upstream: "main", model: "other", priority: 2, weight: 0.5 }],
    }),
    model("alpha", { deployments: [] }),
  ],
  limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, concurrency: 100 },
};

function applying(newFixture: NewFixture): void {
  test("a catalog is loaded exactly as it was applied", async (context) => {
    const { store, reopen } = await newFixture(context);
    assert.equal(await store.loadCatalog(), undefined);
    const expected = {
      added: ["upstream main", "upstream spare", "model zeta", "model alpha", "limits"],
      changed: [],
      removed: [],
    };
    assert.deepEqual(await store.compareCatalog(full), expected);
    assert.equal(await store.loadCatalog(), undefined);
    assert.deepEqual(await store.applyCatalog(full), expected);
    assert.deepEqual(await store.loadCatalog(), full);
    assert.deepEqual(await (await reopen()).loadCatalog(), full);
  });

  test("applying the same catalog again changes nothing", async (context) => {
    const { store, reopen } = await newFixture(context);
    await store.applyCatalog(full);
    const last = await store.lastChangeId();
    assert.deepEqual(await store.applyCatalog(full), nothing);
    assert.deepEqual(await (await reopen()).compareCatalog(structuredClone(full)), nothing);
    assert.equal(await store.lastChangeId(), last);
  });

  test("an empty catalog is a catalog", async (context) => {
    const { store } = await newFixture(context);
    const empty = { upstreams: [], models: [], limits: {} };
    assert.deepEqual(await store.applyCatalog(empty), nothing);
    assert.deepEqual(await store.loadCatalog(), empty);
    assert.deepEqual(
      (await store.listChanges(0)).map(({ kind, subject }) => [kind, subject]),
      [["catalog", ""]],
    );
    await store.applyCatalog(empty);
    assert.equal((await store.listChanges(0)).length, 1);
  });
}

function comparing(newFixture: NewFixture): void {
  test("the difference names exactly what is different", async (context) => {
    const { store } = await newFixture(context);
    const base: Catalog = {
      upstreams: [upstream("main"), upstream("b")],
      models: [model("x"), model("y")],
      limits: { concurrency: 5 },
    };
    const cases: [string, Catalog, object][] = [
      [
        "credential",
        { ...base, upstreams: [upstream("main", { credentials: ["sk-main-1"] }), upstream("b")] },
        { changed: ["upstream main"] },
      ],
      [
        "credential order",
        {
          ...base,
          upstreams: [upstream("main", { credentials: ["sk-main-2", "sk-main-1"] }), upstream("b")],
        },
        { changed: ["upstream main"] },
      ],
      [
        "timeout",
        {
          ...base,
          upstreams: [upstream("main", { timeouts: { ...defaultTimeouts, idleMs: 1 } }), upstream("b")],
        },
        { changed: ["upstream main"] },
      ],
      ["upstream gone", { ...base, upstreams: [upstream("main")] }, { removed: ["upstream b"] }],
      [
        "price",
        {
          ...base,
          models: [
            model("x", { price: { input: nanoUsd(0n), output: nanoUsd(2_000_000_000n) } }),
            model("y"),
          ],
        },
        { changed: ["model x"] },
      ],
      [
        "price class",
        {
          ...base,
          models: [
            model("x", {
              price: {
                input: nanoUsd(250_000_000n),
                output: nanoUsd(2_000_000_000n),
                cacheWrite: nanoUsd(0n),
              },
            }),
            model("y"),
          ],
        },
        { changed: ["model x"] },
      ],
      [
        "weight",
        { ...base, models: [model("x"), model("y", { deployments: [{ ...on("main"), weight: 2 }] })] },
        { changed: ["model y"] },
      ],
      [
        "model gone, another here",
        { ...base, models: [model("w"), model("y")] },
        { added: ["model w"], removed: ["model x"] },
      ],
      ["limit", { ...base, limits: { concurrency: 6 } }, { changed: ["limits"] }],
      ["another limit", { ...base, limits: { requestsPerMinute: 5 } }, { changed: ["limits"] }],
      ["no limits", { ...base, limits: {} }, { removed: ["limits"] }],
      ["order", { ...base, models: [model("y"), model("x")] }, { changed: ["order of models"] }],
    ];
    for (const [name, next, expected] of cases) {
      await store.applyCatalog(base);
      assert.deepEqual(await store.applyCatalog(next), { ...nothing, ...expected }, name);
      assert.deepEqual(await store.loadCatalog(), next, name);
    }
  });

  test("a catalog that contradicts itself is refused and nothing changes", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(full);
    const last = await store.lastChangeId();
    const lost = { ...full, upstreams: full.upstreams.slice(1) };
    await assert.rejects(store.applyCatalog(lost), {
      code: "invalid",
      message: "model zeta has a deployment on upstream main, which the catalog does not have",
    });
    await assert.rejects(store.compareCatalog(lost), { code: "invalid" });
    await assert.rejects(
      store.applyCatalog({ ...full, models: [model("x"), model("x")] }),
      /two models named x/,
    );
    await assert.rejects(
      store.applyCatalog({ ...full, upstreams: [...full.upstreams, upstream("main")] }),
      /two upstreams named main/,
    );
    const negative = model("x", { price: { input: nanoUsd(-1n), output: nanoUsd(0n) } });
    await assert.rejects(store.applyCatalog({ ...full, models: [negative] }), { code: "invalid" });
    assert.deepEqual(await store.loadCatalog(), full);
    assert.equal(await store.lastChangeId(), last);
  });
}

function prices(newFixture: NewFixture): void {
  test("a price can change, go, and come back with its model", async (context) => {
    const { store } = await newFixture(context);
    const catalogWith = (models: Model[]): Catalog => ({ upstreams: [upstream("main")], models, limits: {} });
    const cheap = model("x", { price: { input: nanoUsd(1n), output: nanoUsd(1n) } });
    const { price: _, ...unpriced } = model("x");
    for (const models of [
      [model("x")],
      [cheap],
      [model("x")],
      [unpriced],
      [cheap],
      [],
      [cheap],
      [],
      [unpriced],
      [model("x")],
    ]) {
      await store.applyCatalog(catalogWith(models));
      assert.deepEqual(await store.loadCatalog(), catalogWith(models));
      assert.deepEqual(await store.applyCatalog(catalogWith(models)), nothing);
    }
  });
}

function sealing(newFixture: NewFixture): void {
  test("with another key the credentials stay closed until the catalog is applied again", async (context) => {
    const { store, reopen } = await newFixture(context);
    await store.applyCatalog(full);
    const stranger = await reopen(randomBytes(32));
    await assert.rejects(stranger.loadCatalog(), {
      code: "unreadable_credentials",
      message: /cannot be opened \(upstream main: sealed with another key/,
    });
    assert.deepEqual(await stranger.compareCatalog(full), { ...nothing, changed: ["upstream main"] });
    assert.deepEqual(await stranger.applyCatalog(full), { ...nothing, changed: ["upstream main"] });
    assert.deepEqual(await stranger.loadCatalog(), full);
    await assert.rejects(store.loadCatalog(), { code: "unreadable_credentials" });
  });
}

const anyMoney = fc.bigInt({ min: 0n, max: 10n ** 18n }).map(nanoUsd);
const anyText = fc.string({
  maxLength: 12,
  unit: fc.constantFrom("a", '"', "\\", "é", "中", "🙂", " ", "'"),
});
const anyCount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyUpstream = fc.record({
  id: fc.constantFrom("u1", "u2", "u3"),
  provider: fc.constantFrom("openai", "demo"),
  baseUrl: anyText,
  credentials: fc.array(anyText, { maxLength: 3 }),
  timeouts: fc.record({ connectMs: anyCount, firstTokenMs: anyCount, idleMs: anyCount, totalMs: anyCount }),
});
const anyModel = (upstreamIds: readonly string[]) =>
  fc.record(
    {
      id: fc.constantFrom("m1", "m2", "m3", "m4"),
      name: anyText,
      description: anyText,
      context: anyCount,
      maxOutput: anyCount,
      modalities: fc.record({
        input: fc.array(anyText, { maxLength: 2 }),
        output: fc.array(anyText, { maxLength: 2 }),
      }),
      price: fc.record(
        { input: anyMoney, output: anyMoney, cachedInput: anyMoney, cacheWrite: anyMoney },
        { requiredKeys: ["input", "output"] },
      ),
      deployments:
        upstreamIds.length === 0
          ? fc.constant([])
          : fc.array(
              fc.record({
                upstream: fc.constantFrom(...upstreamIds),
                model: anyText,
                priority: fc.integer({ min: -5, max: 5 }),
                weight: fc.double({ min: 0, max: 100, noNaN: true }).map((weight) => weight + 0),
              }),
              { maxLength: 3 },
            ),
    },
    { requiredKeys: ["id", "name", "deployments"], noNullPrototype: true },
  );
const byId = { selector: ({ id }: { id: string }) => id, maxLength: 4 };
const anyCatalog: fc.Arbitrary<Catalog> = fc.uniqueArray(anyUpstream, byId).chain((upstreams) =>
  fc.record({
    upstreams: fc.constant(upstreams),
    models: fc.uniqueArray(anyModel(upstreams.map(({ id }) => id)), byId),
    limits: fc.record(
      { requestsPerMinute: anyCount, tokensPerMinute: anyCount, concurrency: anyCount },
      { requiredKeys: [] },
    ),
  }),
);

function anySequence(newFixture: NewFixture): void {
  test("any catalog after any other is loaded as applied", async (context) => {
    const { store } = await newFixture(context);
    await fc.assert(
      fc.asyncProperty(anyCatalog, async (drawn) => {
        const catalog = structuredClone(drawn);
        const expected = await store.compareCatalog(catalog);
        assert.deepEqual(await store.applyCatalog(catalog), expected);
        assert.deepEqual(await store.loadCatalog(), catalog);
        assert.deepEqual(await store.compareCatalog(catalog), nothing);
      }),
      { numRuns: 40 },
    );
  });
}

export function catalogBehaviour(newFixture: NewFixture): void {
  applying(newFixture);
  comparing(newFixture);
  prices(newFixture);
  sealing(newFixture);
  anySequence(newFixture);
}
