import assert from "node:assert/strict";
import { test } from "node:test";
import { type EntryValues, entryBodyOf, newReference } from "./entry-values.ts";

const values: EntryValues = {
  kind: "topup",
  direction: "take",
  amount: " 5 ",
  reason: "",
  reference: "r-1",
  requestId: "req_1",
  expiresAt: "2026-03-28",
};

test("a top-up is never negative, names no request, and ends with its day in the zone, also when clocks change", () => {
  assert.deepEqual(entryBodyOf(values, "Europe/Berlin"), {
    kind: "topup",
    amount: "5",
    reference: "r-1",
    expiresAt: "2026-03-28T23:00:00.000Z",
  });
  assert.equal(
    entryBodyOf({ ...values, expiresAt: "2026-03-29" }, "Europe/Berlin").expiresAt,
    "2026-03-29T22:00:00.000Z",
  );
});

test("an adjustment takes away when it is told to", () => {
  const body = entryBodyOf({ ...values, kind: "adjustment", reason: " typo " }, "UTC");
  assert.deepEqual(body, { kind: "adjustment", amount: "-5", reason: "typo", reference: "r-1" });
  assert.equal(entryBodyOf({ ...values, kind: "adjustment", direction: "add" }, "UTC").amount, "5");
});

test("a refund names its request and does not expire", () => {
  assert.deepEqual(entryBodyOf({ ...values, kind: "refund" }, "UTC"), {
    kind: "refund",
    amount: "5",
    reference: "r-1",
    requestId: "req_1",
  });
});

test("a reference tells its day and is not guessed", () => {
  assert.equal(newReference(Date.UTC(2026, 10, 21), new Uint8Array([1, 255])), "console-2026-11-21-01ff");
});
