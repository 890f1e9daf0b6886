import assert from "node:assert/strict";
import { test } from "node:test";
import { standingOf } from "./standing.ts";

test("what no process speaks of is unused, and nothing is made up before the answer is there", () => {
  const main = { id: "main", kind: "out", count: 1, inFlight: 4 } as const;
  assert.equal(standingOf([main], "main"), main);
  const unused = { kind: "unused", count: 0, inFlight: 0 };
  assert.deepEqual([standingOf([main], "other"), standingOf(undefined, "main")], [unused, unused]);
});
