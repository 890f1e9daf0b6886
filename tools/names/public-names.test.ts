/** tools/names/public-names.txt lists every public name: none disappears unnoticed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { collectNames, readList } from "./collect.ts";

test("every name others may rely on is still there, and every new one is listed", async () => {
  const listed = readList();
  const present = await collectNames();
  assert.ok(present.length > 2_000);
  const gone = listed.filter((name) => !present.includes(name));
  assert.deepEqual(
    gone,
    [],
    "These names are gone, and somebody's dashboard, script or file may use them. Keep each readable for one version with a warning, or migrate it; then take its line out of public-names.txt.",
  );
  const added = present.filter((name) => !listed.includes(name));
  assert.deepEqual(added, [], "New names: npm run names writes them into tools/names/public-names.txt.");
});
