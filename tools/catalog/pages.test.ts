/**
 * Facts from vendors' pages are added to their row only, with the page's name, and only where packages lack
 * them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogRow } from "../../server/src/domain/catalog/model-catalog.ts";
import { applyPages } from "./pages.ts";
import type { Finding } from "./said.ts";
import { type LongWriteRule, longWriteRules, type PageSaying, pageSayings } from "./vendor-pages.ts";

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
  const pages = { sayings: whole, rules: [] };
  const rows = applyPages("some", [row, { ...row, id: "n" }], pages, findings);
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

test("a rule gives long writes to rows its other figures fit, tiers and all, and to no other", () => {
  const { page: address, date } = page;
  const rule: LongWriteRule = {
    ...{ provider: "some", form: /^claude-/, page: address, date },
    ...{ short: 125n, long: 200n },
  };
  const plain = (id: string, price: CatalogRow["price"]): CatalogRow => ({
    ...{ id, name: id, source: "pi@1.0.0", date: "2026-11-10" },
    ...(price === undefined ? {} : { price }),
  });
  const tier = { abovePromptTokens: 5, input: "0.5", output: "2.5", cacheWrite: "0.625" };
  const left = [
    plain("other", { input: "4", output: "20", cacheWrite: "5" }),
    plain("claude-cheap", { input: "4", output: "20", cacheWrite: "4.8" }),
    plain("claude-none", { input: "4", output: "20" }),
    plain("claude-said", { input: "4", output: "20", cacheWrite: "5", longCacheWrite: "9" }),
    plain("claude-unpriced", undefined),
    plain("claude-tier", {
      input: "4",
      output: "20",
      cacheWrite: "5",
      tiers: [{ ...tier, cacheWrite: "1" }],
    }),
  ];
  const meant = [
    plain("claude-a", { input: "4", output: "20", cacheWrite: "5" }),
    plain("claude-b", { input: "0.1", output: "0.5", cacheWrite: "0.125", tiers: [tier] }),
  ];
  const findings: Finding[] = [];
  const rows = applyPages("some", [...left, ...meant], { sayings: [], rules: [rule] }, findings);
  assert.deepEqual(rows.slice(0, left.length), left);
  const [a, b] = rows.slice(left.length);
  assert.deepEqual([a?.price?.longCacheWrite, b?.price?.longCacheWrite], ["8", "0.2"]);
  assert.equal(b?.price?.tiers?.[0]?.longCacheWrite, "1");
  assert.deepEqual(a?.filled, [{ source: address, date, facts: ["price.longCacheWrite"] }]);
  assert.match(findings.map(({ text }) => text).join(), / 2 times input in 2 rows/);
  assert.deepEqual(applyPages("else", meant, { sayings: [], rules: [rule] }, []), meant);
});

test("every page that is listed has an address and a day, and says something", () => {
  for (const { provider, id, page: address, date, ...said } of pageSayings) {
    assert.match(address, /^https:\/\/[a-z0-9.-]+\/\S+$/, id);
    assert.match(date, /^20\d\d-\d\d-\d\d$/, id);
    assert.ok(Object.keys(said).length > 0, `${provider} ${id}`);
  }
  for (const { provider, page: address, date } of longWriteRules) {
    assert.match(address, /^https:\/\/[a-z0-9.-]+\/\S+$/, provider);
    assert.match(date, /^20\d\d-\d\d-\d\d$/, provider);
  }
});
