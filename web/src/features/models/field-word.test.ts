import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldText, fieldWord } from "./field-word.ts";
import { emptyDeployment, emptyPrice, emptyTier } from "./values.ts";

/** Every key as itself. */
const t = ((key: string) => key) as Parameters<typeof fieldWord>[0];
const price = { ...emptyPrice, rates: { ...emptyPrice.rates, input: "1", output: "4" } };

test("a field has its name on the page, a part of the price both", () => {
  assert.equal(fieldWord(t, "context"), "context");
  assert.equal(fieldWord(t, "price"), "priceTitle");
  assert.equal(fieldWord(t, "price.rates.cachedInput"), "priceTitle: rate.cachedInput");
  assert.equal(fieldWord(t, "price.perRequest"), "priceTitle: perRequest");
  assert.equal(
    fieldWord(t, "deployments.main+m%2E1.cost.rates.input"),
    "deploymentsTitle: main m.1: cost: rate.input",
  );
  assert.equal(fieldWord(t, "price.tiers.200.above"), "priceTitle: tiers: 200: above");
});

test("what has several values in it is written in words", () => {
  assert.equal(fieldText(t, "price", price), "rate.input 1, rate.output 4");
  assert.equal(
    fieldText(t, "price.tiers", [{ ...emptyTier, above: 200, rates: price.rates }]),
    "above 200: rate.input 1, rate.output 4",
  );
  assert.equal(
    fieldText(t, "scheduled", [{ validFrom: "2027-01-01", price: { ...price, perRequest: "0.1" } }]),
    "2027-01-01: rate.input 1, rate.output 4; perRequest 0.1",
  );
  assert.equal(
    fieldText(t, "deployments", [{ ...emptyDeployment, upstream: "main", model: "m", weight: 2 }]),
    "main m, priority 1, weight 2",
  );
  assert.equal(
    fieldText(t, "deployments.main+m", { ...emptyDeployment, upstream: "main", model: "m" }),
    "main m, priority 1, weight 1",
  );
  assert.equal(fieldText(t, "scheduled.2027-01-01.price.tiers.9.rates.input", "1"), undefined);
  assert.equal(fieldText(t, "name", "x"), undefined);
  assert.equal(fieldText(t, "price", null), undefined);
});
