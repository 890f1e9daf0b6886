/** The schemas of the contract as the console's forms use them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyFaults } from "./body-faults.ts";

const key = { name: "x", limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null } };

test("a body that the server takes has no fault", () => {
  assert.deepEqual(bodyFaults("post /keys", key), []);
  assert.deepEqual(bodyFaults("post /keys/{id}/revoke", undefined), [], "a route without a body");
});

test("each fault has the server's path, text and id", () => {
  const limits = { ...key.limits, concurrency: 1.5 };
  const faults = bodyFaults("post /keys", { ...key, name: " ", limits, ips: ["10.0.0.1", ""] });
  assert.deepEqual(
    faults.map(({ path, id, message }) => `${path} ${id}: ${message}`),
    [
      "name form.nameMissing: Enter a name.",
      "ips.1 form.address: Enter an IP address, for example 203.0.113.7, or a network, for example 203.0.113.0/24.",
      "limits.concurrency form.limitNotWhole: A limit must be a whole number.",
    ],
  );
});

test("no code is made from text", (context) => {
  const made = context.mock.method(globalThis, "Function", () => {
    throw new Error("A policy refuses this.");
  });
  assert.equal(bodyFaults("post /keys", { ...key, name: "" }).length, 1);
  assert.equal(made.mock.callCount(), 0);
});
