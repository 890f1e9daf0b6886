/** What every store must do with the catalog. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import {
  type Catalog,
  type Deployment,
  defaultTimeouts,
  type Model,
  type Upstream,
} from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import { pricesFrom } from "../domain/price-schedule.ts";
import type { NewFixture } from "./behaviour.ts";
import type { Store } from "./store.ts";

/** A catalog as it was applied: without the ids the store gives to prices. */
export function withoutPriceRows(catalog: Catalog | undefined): Catalog | undefined {
  if (catalog === undefined) return undefined;
  return { ...catalog, models: catalog.models.map(({ priceRows: _, ...rest }) => rest) };
}

const load = async (store: Store): Promise<Catalog | undefined> =>
  withoutPriceRows(await store.loadCatalog());

/** Times no test will see come, and one long gone. */
const past = Date.UTC(2020, 0);
const soon = Date.UTC(2090, 0);
const later = Date.UTC(2095, 0);

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
        longCacheWrite: nanoUsd(2n),
        reasoning: nanoUsd(3n),
        audioInput: nanoUsd(4n),
        audioOutput: nanoUsd(5n),
        imageInput: nanoUsd(6n),
        imageOutput: nanoUsd(7n),
        perRequest: nanoUsd(8n),
        tiers: [
          { abovePromptTokens: 1, input: nanoUsd(9_007_199_254_740_993n), output: nanoUsd(0n) },
          { abovePromptTokens: 200_000, input: nanoUsd(9n), output: nanoUsd(10n), imageOutput: nanoUsd(11n) },
        ],
      },
      scheduledPrices: [
        { validFrom: soon, price: { input: nanoUsd(1n), output: nanoUsd(2n), perRequest: nanoUsd(0n) } },
        { validFrom: later, price: { input: nanoUsd(0n), output: nanoUsd(0n) } },
      ],
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
    assert.deepEqual(await load(store), full);
    assert.deepEqual(await load(await reopen()), full);
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
    assert.deepEqual(await load(store), empty);
    assert.deepEqual(
      (await store.listChanges(0)).map(({ kind, subject }) => [kind, subject]),
      [["catalog", ""]],
    );
    await store.applyCatalog(empty);
    assert.equal((await store.listChanges(0)).length, 1);
  });
}

const cheap = { input: nanoUsd(1n), output: nanoUsd(1n) };
const base = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };

/** Each differs from the price every test model has, and from all others. */
const priceChanges: [string, Partial<Model>][] = [
  ["price per request", { price: { ...base, perRequest: nanoUsd(0n) } }],
  ["audio", { price: { ...base, audioInput: nanoUsd(5n) } }],
  ["tier", { price: { ...base, tiers: [{ ...cheap, abovePromptTokens: 5 }] } }],
  ["size of a tier", { price: { ...base, tiers: [{ ...cheap, abovePromptTokens: 6 }] } }],
  ["schedule", { scheduledPrices: [{ validFrom: soon, price: cheap }] }],
  ["time of a schedule", { scheduledPrices: [{ validFrom: later, price: cheap }] }],
  [
    "price of a schedule",
    { scheduledPrices: [{ validFrom: soon, price: { ...cheap, reasoning: nanoUsd(0n) } }] },
  ],
];

function comparing(newFixture: NewFixture): void {
  test("the difference names exactly what is different", async (context) => {
    const { store } = await newFixture(context);
    const before: Catalog = {
      upstreams: [upstream("main"), upstream("b")],
      models: [model("x"), model("y")],
      limits: { concurrency: 5 },
    };
    const cases: [string, Catalog, object][] = [
      [
        "credential",
        { ...before, upstreams: [upstream("main", { credentials: ["sk-main-1"] }), upstream("b")] },
        { changed: ["upstream main"] },
      ],
      [
        "credential order",
        {
          ...before,
          upstreams: [upstream("main", { credentials: ["sk-main-2", "sk-main-1"] }), upstream("b")],
        },
        { changed: ["upstream main"] },
      ],
      [
        "timeout",
        {
          ...before,
          upstreams: [upstream("main", { timeouts: { ...defaultTimeouts, idleMs: 1 } }), upstream("b")],
        },
        { changed: ["upstream main"] },
      ],
      ["upstream gone", { ...before, upstreams: [upstream("main")] }, { removed: ["upstream b"] }],
      [
        "price",
        {
          ...before,
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
          ...before,
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
      ...priceChanges.map(([name, changes]): [string, Catalog, object] => [
        name,
        { ...before, models: [model("x", changes), model("y")] },
        { changed: ["model x"] },
      ]),
      [
        "weight",
        { ...before, models: [model("x"), model("y", { deployments: [{ ...on("main"), weight: 2 }] })] },
        { changed: ["model y"] },
      ],
      [
        "model gone, another here",
        { ...before, models: [model("w"), model("y")] },
        { added: ["model w"], removed: ["model x"] },
      ],
      ["limit", { ...before, limits: { concurrency: 6 } }, { changed: ["limits"] }],
      ["another limit", { ...before, limits: { requestsPerMinute: 5 } }, { changed: ["limits"] }],
      ["no limits", { ...before, limits: {} }, { removed: ["limits"] }],
      ["order", { ...before, models: [model("y"), model("x")] }, { changed: ["order of models"] }],
    ];
    for (const [name, next, expected] of cases) {
      await store.applyCatalog(before);
      assert.deepEqual(await store.applyCatalog(next), { ...nothing, ...expected }, name);
      assert.deepEqual(await load(store), next, name);
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
    assert.deepEqual(await load(store), full);
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
      assert.deepEqual(await load(store), catalogWith(models));
      assert.deepEqual(await store.applyCatalog(catalogWith(models)), nothing);
    }
  });
}

const only = (changes: Partial<Model>): Catalog => ({
  upstreams: [upstream("main")],
  models: [model("x", changes)],
  limits: {},
});

async function priceRowsOf(store: Store) {
  return (await store.loadCatalog())?.models[0]?.priceRows ?? [];
}

function schedules(newFixture: NewFixture): void {
  test("a schedule can change, go and come back", async (context) => {
    const { store } = await newFixture(context);
    const sequence: Partial<Model>[] = priceChanges.map(([, changes]) => changes);
    const both = { scheduledPrices: [soon, later].map((validFrom) => ({ validFrom, price: cheap })) };
    for (const changes of [...sequence, {}, ...sequence.toReversed(), { price: undefined }, ...sequence]) {
      const catalog = only(changes);
      if ("price" in changes && changes.price === undefined)
        delete (catalog.models[0] as { price?: unknown }).price;
      assert.deepEqual((await store.applyCatalog(catalog)).removed, []);
      assert.deepEqual(await load(store), catalog);
      assert.deepEqual(await store.compareCatalog(catalog), nothing);
    }
    // The second of two equal prices changes nothing, so it is no schedule of its own.
    await store.applyCatalog(only(both));
    assert.deepEqual(await load(store), only({ scheduledPrices: both.scheduledPrices.slice(0, 1) }));
    assert.deepEqual(await store.applyCatalog(only(both)), nothing);
  });

  test("rows are the one in force and those that take over, each with an id of its own", async (context) => {
    const { store } = await newFixture(context);
    const before = Date.now();
    await store.applyCatalog(only({ scheduledPrices: [{ validFrom: soon, price: cheap }] }));
    const first = await priceRowsOf(store);
    assert.deepEqual(
      first.map(({ price }) => price),
      [base, cheap],
    );
    const [now, then] = first;
    assert.ok(now !== undefined && now.validFrom >= before && now.validFrom <= Date.now());
    assert.equal(then?.validFrom, soon);
    await store.applyCatalog(only({}));
    const second = await priceRowsOf(store);
    assert.deepEqual(second[0], now, "the price in force did not change");
    assert.deepEqual(
      second.map(({ validFrom, price }) => [validFrom, price]),
      [
        [now.validFrom, base],
        [soon, base],
      ],
    );
    assert.ok((second[1]?.id ?? 0) > (then?.id ?? 0), "the row written last overrules");
    await store.applyCatalog(only({ price: cheap }));
    const third = await priceRowsOf(store);
    assert.deepEqual(
      third.map(({ price }) => price),
      [cheap, cheap],
    );
    assert.equal(new Set([...first, ...second, ...third].map(({ id }) => id)).size, 5);
  });

  test("a schedule whose time is past is the price, and applying it again changes nothing", async (context) => {
    const { store } = await newFixture(context);
    const catalog = only({ scheduledPrices: [{ validFrom: past, price: cheap }] });
    await store.applyCatalog(catalog);
    assert.deepEqual(await load(store), only({ price: cheap }));
    assert.deepEqual(await store.applyCatalog(catalog), nothing);
    assert.equal((await priceRowsOf(store)).length, 1);
    assert.deepEqual(await store.applyCatalog(only({})), { ...nothing, changed: ["model x"] });
    assert.deepEqual(await load(store), only({}));
  });

  test("a schedule takes over by itself, and applying its file again then changes nothing", async (context) => {
    const { store } = await newFixture(context);
    const catalog = only({ scheduledPrices: [{ validFrom: Date.now() + 50, price: cheap }] });
    await store.applyCatalog(catalog);
    const change = await store.lastChangeId();
    while ((await priceRowsOf(store)).length > 1) await nextTick();
    assert.deepEqual(await load(store), only({ price: cheap }));
    const rows = await priceRowsOf(store);
    assert.deepEqual(await store.compareCatalog(catalog), nothing);
    assert.deepEqual(await store.applyCatalog(catalog), nothing);
    assert.deepEqual(await priceRowsOf(store), rows);
    assert.equal(await store.lastChangeId(), change);
  });

  test("a model that left and came back costs what its file says, whatever was scheduled for it", async (context) => {
    const { store } = await newFixture(context);
    const scheduled = only({ scheduledPrices: [{ validFrom: soon, price: cheap }] });
    await store.applyCatalog(scheduled);
    await store.applyCatalog({ ...scheduled, models: [] });
    await store.applyCatalog(only({}));
    assert.deepEqual(await load(store), only({}));
    assert.deepEqual(
      (await priceRowsOf(store)).map(({ price }) => price),
      [base, base],
    );
  });

  test("amounts below zero are refused whole, of every class", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(only({}));
    const below = nanoUsd(-1n);
    for (const price of [
      { ...base, perRequest: below },
      { ...base, reasoning: below },
      { ...base, imageOutput: below },
    ]) {
      await assert.rejects(store.applyCatalog(only({ price })), { code: "invalid" });
    }
    assert.deepEqual(await load(store), only({}));
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
    assert.deepEqual(await load(stranger), full);
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
const anyRates = {
  input: anyMoney,
  output: anyMoney,
  cachedInput: anyMoney,
  cacheWrite: anyMoney,
  longCacheWrite: anyMoney,
  reasoning: anyMoney,
  audioInput: anyMoney,
  audioOutput: anyMoney,
  imageInput: anyMoney,
  imageOutput: anyMoney,
};
const anyTiers = fc.uniqueArray(
  fc.record(
    { abovePromptTokens: anyCount, ...anyRates },
    { requiredKeys: ["abovePromptTokens", "input", "output"] },
  ),
  { selector: ({ abovePromptTokens }) => abovePromptTokens, minLength: 1, maxLength: 2 },
);
const anyPrice = fc.oneof(
  // Few, so that neighbours are sometimes equal.
  fc.constantFrom(cheap, base),
  fc.record({ ...anyRates, perRequest: anyMoney, tiers: anyTiers }, { requiredKeys: ["input", "output"] }),
);
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
      price: anyPrice,
      scheduledPrices: fc.uniqueArray(
        fc.record({ validFrom: fc.constantFrom(past, past + 1, soon, later), price: anyPrice }),
        { selector: ({ validFrom }) => validFrom, maxLength: 3 },
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

/** The model with its prices as they apply now. */
function asApplies({ price, scheduledPrices, ...rest }: Model): Model {
  return { ...rest, ...pricesFrom({ price, scheduledPrices }, Date.now()) };
}

function anySequence(newFixture: NewFixture): void {
  test("any catalog after any other is loaded as applied", async (context) => {
    const { store } = await newFixture(context);
    await fc.assert(
      fc.asyncProperty(anyCatalog, async (drawn) => {
        const catalog = structuredClone(drawn);
        const asOfNow = { ...catalog, models: catalog.models.map(asApplies) };
        const expected = await store.compareCatalog(catalog);
        assert.deepEqual(await store.applyCatalog(catalog), expected);
        assert.deepEqual(await load(store), asOfNow);
        assert.deepEqual(await store.compareCatalog(catalog), nothing);
        assert.deepEqual(await store.compareCatalog(asOfNow), nothing);
      }),
      { numRuns: 40 },
    );
  });
}

export function catalogBehaviour(newFixture: NewFixture): void {
  applying(newFixture);
  comparing(newFixture);
  prices(newFixture);
  schedules(newFixture);
  sealing(newFixture);
  anySequence(newFixture);
}
