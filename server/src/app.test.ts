/** What a start may do before it knows the catalog: it must never be what a start fails of. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppOptions } from "./app/options.ts";
import { prepareApp } from "./app.ts";

test("a stored catalog that cannot be read does not fail a start: the file may replace it", async () => {
  let asked = 0;
  const store = {
    async loadCatalog() {
      asked += 1;
      throw new Error("unreadable");
    },
  } as unknown as AppOptions["store"];
  const config = { transport: "own" } as AppOptions["config"];
  await prepareApp({ config, store });
  assert.equal(asked, 1);
});
