/** What pages read from addresses: wrong values count as none, and what pages write is read back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedSearch } from "./searches.ts";
import { pageTo } from "./shell/page-search.ts";
import { parseSearch } from "./shell/search-text.ts";

const read = (path: string, text: string) =>
  JSON.parse(JSON.stringify(checkedSearch(path, parseSearch(text)))) as unknown;

test("a wrong value counts as none, and the others stay", () => {
  assert.deepEqual(read("/requests", "?period=never&model=a&from=2026-11-01"), {
    model: ["a"],
    from: "2026-11-01",
  });
  assert.deepEqual(read("/operator/models/$id", "?view=nonsense&stop=yes"), {});
  assert.deepEqual(read("/keys", "?status=active&status=lost"), { status: ["active"] });
});

test("of a text that stands twice the first is read, and one value of a list is a list", () => {
  assert.deepEqual(read("/keys", "?q=a&q=b&status=revoked"), { q: "a", status: ["revoked"] });
});

test("names that no page reads stay in the address", () => {
  assert.deepEqual(read("/keys", "?utm=x"), { utm: "x" });
  assert.deepEqual(read("/status", "?utm=x"), { utm: "x" }, "a page that reads nothing");
});

test("what is written for a page is read by it", () => {
  const address = pageTo("/requests", { period: "30d", model: ["a b", "c"], operation: ["chat"] });
  assert.equal(address, "/requests?period=30d&model=a+b&model=c&operation=chat");
  assert.deepEqual(read("/requests", address.slice(address.indexOf("?"))), {
    period: "30d",
    model: ["a b", "c"],
    operation: ["chat"],
  });
});
