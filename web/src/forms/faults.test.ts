/** Faults on their way into the form's library and out of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtOrBelow, isShownBelow, listedFaults, nestedFaults } from "./faults.ts";

const upstream = { path: "deployments.1.upstream", message: "Unknown upstream.", id: "model.upstream" };
const name = { path: "name", message: "Missing." };

test("faults keep their path, message and id on the way through", () => {
  const listed = listedFaults(nestedFaults([upstream, name]));
  assert.deepEqual(
    listed.map(({ path, message, id }) => ({ path, message, id })),
    [upstream, { ...name, id: undefined }],
  );
});

test("of two faults at one field the first is kept; a field called type is a field", () => {
  const listed = listedFaults(
    nestedFaults([name, { ...name, message: "Too long." }, { ...name, path: "type" }]),
  );
  assert.deepEqual(
    listed.map(({ path, message }) => `${path}: ${message}`),
    ["name: Missing.", "type: Missing."],
  );
});

test("a path belongs to a field at or above it, not to one that begins like it", () => {
  assert.equal(isAtOrBelow("limits.concurrency", "limits"), true);
  assert.equal(isAtOrBelow("limits", "limits"), true);
  assert.equal(isAtOrBelow("limitsOfOthers", "limits"), false);
});

test("a fault moves with its row", () => {
  const errors = nestedFaults<{ deployments: { upstream: string }[] }>([upstream]);
  const rest = { deployments: (errors.deployments as unknown as unknown[]).slice(1) };
  assert.deepEqual(
    listedFaults(rest).map(({ path }) => path),
    ["deployments.0.upstream"],
  );
});

test("a group leaves a fault to a field in it that is on the page", () => {
  const shown = new Set(["headers", "headers.1.name"]);
  assert.equal(isShownBelow("headers.1.name", "headers", shown), true);
  assert.equal(isShownBelow("headers.0.name", "headers", shown), false);
  assert.equal(isShownBelow("headers.1.name", "headers.1.name", shown), false);
});
