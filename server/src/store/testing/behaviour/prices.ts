/** What every store must do with prices over time. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Catalog, Model } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Store } from "../../store.ts";
import {
  base,
  cheap,
  later,
  load,
  model,
  nothing,
  past,
  priceChanges,
  soon,
  upstream,
} from "../catalog-samples.ts";
import type { NewFixture } from "../fixture.ts";

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
    // The second of two equal prices changes nothing, so it is not a schedule of its own.
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

export function priceBehaviour(newFixture: NewFixture): void {
  prices(newFixture);
  schedules(newFixture);
}
