import assert from "node:assert/strict";
import { test } from "node:test";
import { withStatuses } from "./fresh-status.ts";

const models = [
  { id: "a", status: "available" },
  { id: "b", status: "down" },
  { id: "constructor", status: "available" },
] as const;

test("models get the status of now; who is not named is available, and who is as before stays the same object", () => {
  const fresh = withStatuses(models, { a: "degraded" });
  assert.deepEqual(
    fresh.map(({ status }) => status),
    ["degraded", "available", "available"],
  );
  assert.equal(fresh[2], models[2]);
  assert.equal(withStatuses(models, { b: "down" })[1], models[1]);
});

test("a disabled model stays disabled, although no status names it", () => {
  const disabled = { id: "d", status: "disabled" } as const;
  assert.deepEqual(withStatuses([disabled], { b: "down" }), [disabled]);
});
