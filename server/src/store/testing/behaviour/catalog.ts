/** What every store must do with the catalog. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type Catalog, defaultTimeouts, type Model } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import fc from "fast-check";
import { pricesFrom } from "../../../domain/money/price-schedule.ts";
import {
  base,
  cheap,
  costChanges,
  full,
  later,
  load,
  model,
  negativeCosts,
  nothing,
  on,
  past,
  placeChanges,
  priceChanges,
  routingChanges,
  soon,
  upstream,
} from "../catalog-samples.ts";
import type { NewFixture } from "../fixture.ts";
import { priceBehaviour } from "./prices.ts";

function applying(newFixture: NewFixture): void {
  test("a catalog is loaded exactly as it was applied", async (context) => {
    const { store, reopen } = await newFixture(context);
    assert.equal(await store.loadCatalog(), undefined);
    const expected = {
      added: [
        "upstream main",
        "upstream spare",
        "model zeta",
        "model alpha",
        "model beta",
        "limits",
        "installation",
      ],
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
      ...[...priceChanges, ...routingChanges].map(([name, changes]): [string, Catalog, object] => [
        name,
        { ...before, models: [model("x", changes), model("y")] },
        { changed: ["model x"] },
      ]),
      ...placeChanges.map(([name, changes]): [string, Catalog, object] => [
        name,
        { ...before, upstreams: [upstream("main", changes), upstream("b")] },
        { changed: ["upstream main"] },
      ]),
      [
        "weight",
        { ...before, models: [model("x"), model("y", { deployments: [{ ...on("main"), weight: 2 }] })] },
        { changed: ["model y"] },
      ],
      ...costChanges.map(([name, cost]): [string, Catalog, object] => [
        name,
        { ...before, models: [model("x"), model("y", { deployments: [{ ...on("main"), cost }] })] },
        { changed: ["model y"] },
      ]),
      [
        "model gone, another here",
        { ...before, models: [model("w"), model("y")] },
        { added: ["model w"], removed: ["model x"] },
      ],
      ["limit", { ...before, limits: { concurrency: 6 } }, { changed: ["limits"] }],
      ["another limit", { ...before, limits: { requestsPerMinute: 5 } }, { changed: ["limits"] }],
      ["a limit that blocks", { ...before, limits: { concurrency: 0 } }, { changed: ["limits"] }],
      [
        "limit of the installation",
        { ...before, installation: { concurrency: 0 } },
        { added: ["installation"] },
      ],
      ["no limits", { ...before, limits: {} }, { removed: ["limits"] }],
      ["order", { ...before, models: [model("y"), model("x")] }, { changed: ["order of models"] }],
    ];
    for (const [name, next, expected] of cases) {
      await store.applyCatalog(before);
      assert.deepEqual(await store.applyCatalog(next), { ...nothing, ...expected }, name);
      assert.deepEqual(await load(store), next, name);
    }
  });
}

function refusing(newFixture: NewFixture): void {
  test("a catalog that contradicts itself is refused and nothing changes", async (context) => {
    const { store } = await newFixture(context);
    await store.applyCatalog(full);
    const last = await store.lastChangeId();
    const lost = { ...full, upstreams: full.upstreams.slice(1) };
    await assert.rejects(store.applyCatalog(lost), {
      code: "invalid",
      message: "model zeta has a deployment on upstream main, which is not in the catalog",
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
    await assert.rejects(
      store.applyCatalog({ ...full, models: [model("x", { fallbacks: ["y"] })] }),
      /model x has the fallback y, which is not in the catalog/,
    );
    const negative = model("x", { price: { input: nanoUsd(-1n), output: nanoUsd(0n) } });
    await assert.rejects(store.applyCatalog({ ...full, models: [negative] }), { code: "invalid" });
    for (const cost of negativeCosts) {
      const gift = model("x", { deployments: [{ ...on("main"), cost }] });
      await assert.rejects(store.applyCatalog({ ...full, models: [gift] }), { code: "invalid" });
    }
    assert.deepEqual(await load(store), full);
    assert.equal(await store.lastChangeId(), last);
  });
}

function sealing(newFixture: NewFixture): void {
  test("with another key the credentials stay closed until the lost one is given up and the catalog applied again", async (context) => {
    const { store, reopen } = await newFixture(context);
    await store.applyCatalog(full);
    const stranger = await reopen(randomBytes(32));
    await assert.rejects(stranger.loadCatalog(), {
      code: "unreadable_credentials",
      message: /cannot be opened \(upstream main: sealed with another key/,
    });
    assert.deepEqual(await stranger.compareCatalog(full), { ...nothing, changed: ["upstream main"] });
    await assert.rejects(stranger.applyCatalog(full), { code: "another_secret_key" });
    await stranger.resetSealingKey();
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
/**
 * A key of an object, without backslashes: V8 in Node 24.21 parses the key of `{"":"","\\"":""}` as a
 * backslash once it has parsed an object with the keys "" and a backslash. No option has such a name.
 */
const anyName = anyText.filter((text) => !text.includes("\\"));
const anyCount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyTimers = { connectMs: anyCount, firstTokenMs: anyCount, idleMs: anyCount, totalMs: anyCount };
const anyLimit = fc.maxSafeNat();
const anyLimits = { requestsPerMinute: anyLimit, tokensPerMinute: anyLimit, concurrency: anyLimit };
/** A part is absent when it would have no fields. */
const someOf = <T extends object>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(fields, { requiredKeys: [] }).filter((value) => Object.keys(value).length > 0);
const anyUpstream = fc.record(
  {
    id: fc.constantFrom("u1", "u2", "u3"),
    provider: fc.constantFrom("openai", "demo"),
    baseUrl: anyText,
    credentials: fc.array(anyText, { maxLength: 3 }),
    timeouts: fc.record(
      { ...anyTimers, firstByteMs: anyCount },
      { requiredKeys: ["connectMs", "firstTokenMs", "idleMs", "totalMs"] },
    ),
    onDisconnect: fc.constant("finish" as const),
    concurrency: anyCount,
    queue: fc.nat(),
    affinity: fc.constant("none" as const),
    preset: anyText,
    options: fc.dictionary(anyName, anyText, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ["id", "provider", "baseUrl", "credentials", "timeouts"] },
);
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
  // Few values, so that neighbours are sometimes equal.
  fc.constantFrom(cheap, base),
  fc.record({ ...anyRates, perRequest: anyMoney, tiers: anyTiers }, { requiredKeys: ["input", "output"] }),
);
const anyModel = (upstreamIds: readonly string[]) =>
  fc.record(
    {
      id: fc.constantFrom("m1", "m2", "m3", "m4"),
      name: anyText,
      description: anyText,
      operations: fc.constantFrom<readonly Operation[]>(["embeddings"], ["chat", "completion"]),
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
      limits: someOf(anyLimits),
      hedge: fc.record({ afterMs: anyCount }, { requiredKeys: [] }),
      deployments:
        upstreamIds.length === 0
          ? fc.constant([])
          : fc.array(
              fc.record(
                {
                  upstream: fc.constantFrom(...upstreamIds),
                  model: anyText,
                  priority: fc.integer({ min: -5, max: 5 }),
                  weight: fc.double({ min: 0, max: 100, noNaN: true }).map((weight) => weight + 0),
                  cost: anyPrice,
                  timeouts: someOf({ ...anyTimers, firstByteMs: anyCount }),
                },
                { requiredKeys: ["upstream", "model", "priority", "weight"] },
              ),
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
    limits: fc.record(anyLimits, { requiredKeys: [] }),
    installation: fc.option(someOf(anyLimits), { nil: undefined }),
  }),
);

/** Each model falls back to the later ones that `chosen` selects. */
function withFallbacks({ installation, ...catalog }: Catalog, chosen: readonly boolean[]): Catalog {
  const ids = catalog.models.map(({ id }) => id);
  const models = catalog.models.map((one, index) => {
    const fallbacks = ids.slice(index + 1).filter((_, after) => chosen[index + after]);
    return fallbacks.length === 0 ? one : { ...one, fallbacks };
  });
  return { ...catalog, models, ...(installation === undefined ? {} : { installation }) };
}

/** The model with the prices that apply now. */
function asApplies({ price, scheduledPrices, ...rest }: Model): Model {
  return { ...rest, ...pricesFrom({ price, scheduledPrices }, Date.now()) };
}

function anySequence(newFixture: NewFixture): void {
  test("any catalog after any other is loaded as applied", async (context) => {
    const { store } = await newFixture(context);
    await fc.assert(
      fc.asyncProperty(anyCatalog, fc.array(fc.boolean()), async (drawn, chosen) => {
        const catalog = withFallbacks(structuredClone(drawn), chosen);
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
  refusing(newFixture);
  priceBehaviour(newFixture);
  sealing(newFixture);
  anySequence(newFixture);
}
