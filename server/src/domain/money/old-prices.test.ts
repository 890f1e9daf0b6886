/** A price is old after sixty days, counted in UTC days, at any time of day. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Model, Upstream } from "@plaza/contract/catalog.ts";
import {
  type CatalogRow,
  indexRows,
  type ModelCatalog,
  priceOf,
  pricesAt,
} from "../catalog/model-catalog.ts";
import { isOld, oldAfterDays, oldFrom, oldPrices } from "./old-prices.ts";

const at = (text: string): Date => new Date(text);

test("sixty days are not old, the day after them is", () => {
  assert.equal(oldAfterDays, 60);
  assert.equal(oldFrom("2026-09-23"), "2026-11-23");
  assert.equal(isOld("2026-09-23", at("2026-11-22T23:59:59.999Z")), false);
  assert.equal(isOld("2026-09-23", at("2026-11-23T00:00:00Z")), true);
  assert.equal(isOld("2026-11-23", at("2026-11-22T00:00:00Z")), false);
  assert.equal(oldFrom("2026-12-31"), "2027-03-02");
  assert.equal(oldFrom("2027-12-31"), "2028-03-01");
});

const row: CatalogRow = {
  id: "m",
  name: "M",
  price: { input: "1", output: "2" },
  laterPrices: [
    { validFrom: "2026-12-01", input: "2", output: "4" },
    { validFrom: "2027-01-01", input: "3", output: "6" },
  ],
  source: "pi@1.0.0",
  date: "2026-09-23",
  filled: [{ source: "https://vendor.example/m", date: "2026-11-20", facts: ["laterPrices"] }],
};

test("a later price is the price from its day on, by the word of whoever announced it", () => {
  const { laterPrices: _, filled: __, ...plain } = row;
  const own = { source: "pi@1.0.0", date: "2026-09-23" };
  const page = { source: "https://vendor.example/m", date: "2026-11-20" };
  assert.deepEqual(pricesAt(row, at("2026-11-30T23:59:59Z")), {
    price: row.price,
    later: row.laterPrices,
    source: own,
  });
  assert.deepEqual(pricesAt(row, at("2026-12-01T00:00:00Z")), {
    price: { input: "2", output: "4" },
    later: row.laterPrices?.slice(1),
    source: page,
  });
  assert.deepEqual(pricesAt(row, at("2027-06-01T00:00:00Z")).price, { input: "3", output: "6" });
  assert.deepEqual(pricesAt(row, at("2027-06-01T00:00:00Z")).later, []);
  assert.deepEqual(pricesAt(plain, at("2027-06-01T00:00:00Z")), { price: row.price, later: [], source: own });
  const { price: ___, ...unpriced } = row;
  assert.equal(pricesAt(unpriced, at("2027-06-01T00:00:00Z")).price, undefined);
});

const upstream = (id: string, baseUrl: string) => ({ id, provider: "openai", baseUrl }) as Upstream;
const upstreams = [
  upstream("vendor", "https://api.openai.com/v1"),
  upstream("proxy", "https://proxy.example/v1"),
];
const rows: readonly CatalogRow[] = [
  { id: "old", name: "Old", price: { input: "1", output: "2" }, source: "pi@1.0.0", date: "2026-09-23" },
  { id: "new", name: "New", price: { input: "1", output: "2" }, source: "pi@1.0.0", date: "2026-11-10" },
  { ...row, id: "dated" },
];
const find = indexRows("openai", rows);
const shipped: ModelCatalog = {
  findModel: (provider, name) => (provider === "openai" ? find(name) : undefined),
  listModels: () => rows,
};

/** Finds price files as the product does. */
const shelfOf = (baseUrl: string): string | undefined =>
  baseUrl === "https://api.openai.com/v1" ? "openai" : undefined;

function model(id: string, on: string, name: string, input = "1"): Model {
  const price = priceOf({ input, output: "2" });
  return { id, name: id, price, deployments: [{ upstream: on, model: name, priority: 1, weight: 1 }] };
}

test("a model is told whose price is still what the catalog said long ago, and no other", () => {
  const { price: _, ...unpriced } = model("unpriced", "vendor", "old");
  const catalog: Catalog = {
    upstreams,
    models: [
      model("mine", "vendor", "old"),
      model("own-price", "vendor", "old", "0.9"),
      model("fresh", "vendor", "new"),
      model("elsewhere", "proxy", "old"),
      model("unknown", "vendor", "nobody-knows"),
      model("dated", "vendor", "dated"),
      unpriced,
    ],
    limits: {},
  };
  const on = (text: string) =>
    oldPrices(catalog, { shipped, shelfOf }, at(text)).map(({ id, date }) => `${id} ${date}`);
  assert.deepEqual(on("2026-11-22T12:00:00Z"), []);
  assert.deepEqual(on("2026-11-23T12:00:00Z"), ["mine 2026-09-23", "dated 2026-09-23"]);
  // The new price applies already, and this is not it.
  assert.deepEqual(on("2026-12-01T12:00:00Z"), ["mine 2026-09-23"]);
  assert.deepEqual(on("2027-02-01T12:00:00Z"), ["mine 2026-09-23", "fresh 2026-11-10"]);
});
