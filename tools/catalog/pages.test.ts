/** What a vendor's page says goes into its row alone, under the page's name, and only where the packages do not say it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogRow } from "../../server/src/domain/model-catalog.ts";
import { applyPages } from "./pages.ts";
import type { Finding } from "./said.ts";
import { type PageSaying, pageSayings } from "./vendor-pages.ts";

const row: CatalogRow = {
  id: "m",
  name: "M",
  context: 10,
  price: { input: "1", output: "2", tiers: [{ abovePromptTokens: 5, input: "2", output: "4" }] },
  source: "pi@1.0.0",
  date: "2026-11-10",
  filled: [{ source: "genai@1.0.0", date: "2026-09-23", facts: ["price.cacheWrite"] }],
};
const page = { provider: "some", id: "m", page: "https://vendor.example/m", date: "2026-11-20" };

function apply(...sayings: readonly Partial<PageSaying>[]) {
  const findings: Finding[] = [];
  const whole = sayings.map((said) => ({ ...page, ...said }));
  const rows = applyPages("some", [row, { ...row, id: "n" }], whole, findings);
  return { rows, told: findings.map(({ what, id, text }) => `${what} ${id}: ${text}`) };
}

test("a page's facts are in the row of its model under the page's name and day, and told with what they replace", () => {
  const laterPrices = [{ validFrom: "2027-01-01", input: "3", output: "6" }];
  const { rows, told } = apply({ context: 20, longCacheWrite: ["2", "4"], laterPrices });
  const [first, second] = rows;
  assert.deepEqual(first, {
    ...row,
    context: 20,
    price: {
      ...{ input: "1", output: "2", longCacheWrite: "2" },
      tiers: [{ abovePromptTokens: 5, input: "2", output: "4", longCacheWrite: "4" }],
    },
    laterPrices,
    filled: [
      ...(row.filled ?? []),
      { source: page.page, date: page.date, facts: ["context", "laterPrices", "price.longCacheWrite"] },
    ],
  });
  assert.deepEqual(Object.keys(first ?? {}).slice(-5), ["price", "laterPrices", "source", "date", "filled"]);
  assert.deepEqual(second, { ...row, id: "n" });
  assert.equal(told[0], "page m: context: **https://vendor.example/m** 20 — the packages 10");
  assert.match(told[2] ?? "", /the packages nothing$/);
});

test("a page's price takes the place of every figure that another source filled into it", () => {
  const [first] = apply({ price: { input: "3", output: "6" } }).rows;
  assert.deepEqual(first?.price, { input: "3", output: "6" });
  assert.deepEqual(first?.filled, [{ source: page.page, date: page.date, facts: ["price"] }]);
});

test("what the packages say by now is left to them, and the report says that the page can go", () => {
  const { rows, told } = apply({ context: 10 });
  assert.equal(rows[0], row);
  assert.deepEqual(told, [
    "page m: context: the packages say the same as https://vendor.example/m; the page can go",
  ]);
});

test("a page of a model no package lists, and rates that do not fit the tiers, are a fault", () => {
  assert.throws(() => apply({ id: "gone" }), /a page speaks of some gone, no package does/);
  assert.throws(() => apply({ longCacheWrite: ["2"] }), /do not fit the tiers/);
  assert.throws(() => apply({ longCacheWrite: ["2", "4", "8"] }), /do not fit the tiers/);
});

test("every page that is listed has an address and a day, and says something", () => {
  for (const { provider, id, page: address, date, ...said } of pageSayings) {
    assert.match(address, /^https:\/\/[a-z0-9.-]+\/\S+$/, id);
    assert.match(date, /^20\d\d-\d\d-\d\d$/, id);
    assert.ok(Object.keys(said).length > 0, `${provider} ${id}`);
  }
});
