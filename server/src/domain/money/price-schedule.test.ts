import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, Price, PriceRow } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import { priceAt } from "./price.ts";
import { priceText, rateNames } from "./price-classes.ts";
import { pricesFrom, pricesOfRows, rowsFrom, rowsToAdd } from "./price-schedule.ts";

const cents = (input: number): Price => ({ input: nanoUsd(BigInt(input)), output: nanoUsd(1n) });
const row = (id: number, validFrom: number, input: number | undefined): PriceRow => ({
  id,
  validFrom,
  price: input === undefined ? undefined : cents(input),
});
const at = (validFrom: number, input: number) => ({ validFrom, price: cents(input) });

/** The rows after adding those that `wanted` needs, with ids as a database assigns them. */
function applied(rows: readonly PriceRow[], wanted: Partial<Model>, nowMs: number): PriceRow[] {
  const added = rowsToAdd(rows, wanted, nowMs);
  return [...rows, ...added.map((change, index) => ({ ...change, id: rows.length + index + 1 }))];
}

test("a scheduled price whose time has come is the price; one that changes nothing is none", () => {
  const wanted = { price: cents(1), scheduledPrices: [at(200, 2), at(300, 2), at(400, 3)] };
  assert.deepEqual(pricesFrom(wanted, 100), { price: cents(1), scheduledPrices: [at(200, 2), at(400, 3)] });
  assert.deepEqual(pricesFrom(wanted, 200), { price: cents(2), scheduledPrices: [at(400, 3)] });
  assert.deepEqual(pricesFrom(wanted, 400), { price: cents(3) });
  assert.deepEqual(pricesFrom({}, 400), {});
});

test("applying the same file before and after its schedule's time adds rows once", () => {
  const wanted = { price: cents(1), scheduledPrices: [at(200, 2), at(300, 3)] };
  const rows = applied([], wanted, 100);
  assert.deepEqual(rows, [row(1, 100, 1), row(2, 200, 2), row(3, 300, 3)]);
  for (const nowMs of [100, 101, 199, 200, 250, 300, 9_999])
    assert.deepEqual(rowsToAdd(rows, wanted, nowMs), []);
});

test("a schedule that changes or goes is overruled by a row that begins with it", () => {
  const rows = applied([], { price: cents(1), scheduledPrices: [at(200, 2), at(300, 3)] }, 100);
  const changed = { price: cents(1), scheduledPrices: [at(200, 5), at(300, 3)] };
  assert.deepEqual(rowsToAdd(rows, changed, 110), [at(200, 5)]);
  const withdrawn = { price: cents(1), scheduledPrices: [at(300, 3)] };
  assert.deepEqual(rowsToAdd(rows, withdrawn, 110), [at(200, 1)]);
  assert.deepEqual(rowsToAdd(rows, { price: cents(1) }, 110), [at(200, 1), at(300, 1)]);
  const after = applied(rows, { price: cents(1) }, 110);
  assert.deepEqual(pricesOfRows(after, 110), { price: cents(1) });
  // A row that repeats a price is still a row: a charge after 200 refers to the one in force.
  assert.deepEqual(
    rowsFrom(after, 110).map(({ id }) => id),
    [1, 4, 5],
  );
  const moved = { price: cents(1), scheduledPrices: [at(250, 2)] };
  assert.deepEqual(rowsToAdd(rows, moved, 110), [at(200, 1), at(250, 2), at(300, 2)]);
});

test("a price that goes takes its schedule with it; a schedule can come before any price", () => {
  const rows = applied([], { price: cents(1), scheduledPrices: [at(200, 2)] }, 100);
  assert.deepEqual(rowsToAdd(rows, {}, 150), [
    { validFrom: 150, price: undefined },
    { validFrom: 200, price: undefined },
  ]);
  const later = applied([], { scheduledPrices: [at(200, 2)] }, 100);
  assert.deepEqual(later, [row(1, 100, undefined), row(2, 200, 2)]);
  assert.equal(priceAt(later, 50)?.price, undefined);
  assert.deepEqual(rowsToAdd([], {}, 100), []);
});

test("a clock set back does not bring old prices back", () => {
  let rows = applied([], { price: cents(1) }, 1_000);
  rows = applied(rows, { price: cents(2) }, 3_000);
  rows = applied(rows, { price: cents(3) }, 500);
  for (const nowMs of [500, 999, 1_000, 3_000, 9_000])
    assert.deepEqual(pricesOfRows(rows, nowMs), { price: cents(3) }, String(nowMs));
});

const anyPrice = fc.integer({ min: 1, max: 3 }).map(cents);
const anyPrices = fc.record(
  {
    price: anyPrice,
    scheduledPrices: fc.uniqueArray(
      fc.record({ validFrom: fc.integer({ min: 1, max: 40 }), price: anyPrice }),
      { selector: ({ validFrom }) => validFrom, maxLength: 4 },
    ),
  },
  { requiredKeys: [] },
);

test("after any sequence of catalogs and clocks, exactly the last one's prices apply from then on", () => {
  const steps = fc.array(fc.tuple(anyPrices, fc.integer({ min: 0, max: 45 })), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(steps, (sequence) => {
      let rows: PriceRow[] = [];
      for (const [drawn, nowMs] of sequence) {
        const wanted = structuredClone(drawn);
        rows = applied(rows, wanted, nowMs);
        assert.deepEqual(rowsToAdd(rows, wanted, nowMs), [], "applying again adds nothing");
        for (let time = nowMs; time < 50; time++) {
          const begun = (wanted.scheduledPrices ?? []).filter(({ validFrom }) => validFrom <= time);
          const expected = begun.toSorted((a, b) => b.validFrom - a.validFrom)[0]?.price ?? wanted.price;
          assert.equal(priceText(priceAt(rows, time)?.price), priceText(expected), `at ${time}`);
          assert.deepEqual(rowsToAdd(rows, wanted, time), [], "nor does applying it later");
          assert.deepEqual(pricesOfRows(rows, time), pricesFrom(wanted, time));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("every class, perRequest and every field of a tier tell two prices apart", () => {
  const tier = { abovePromptTokens: 5, ...cents(1) };
  const base: Price = { ...cents(1), tiers: [tier] };
  const others: Price[] = [
    { ...base, perRequest: nanoUsd(0n) },
    cents(1),
    { ...base, tiers: [tier, { ...tier, abovePromptTokens: 6 }] },
    { ...base, tiers: [{ ...tier, abovePromptTokens: 6 }] },
    ...rateNames.map((name) => ({ ...base, [name]: nanoUsd(7n) })),
    ...rateNames.map((name) => ({ ...base, tiers: [{ ...tier, [name]: nanoUsd(7n) }] })),
  ];
  const texts = [undefined, base, ...others].map(priceText);
  assert.equal(new Set(texts).size, texts.length);
  assert.equal(priceText(structuredClone(base)), priceText(base));
  assert.equal(priceText({ ...cents(1), tiers: [] }), priceText(cents(1)));
});
