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

test("a body of the right shape is checked by the rules of its route, however deep", () => {
  const deployment = { upstream: "main", model: "", cost: { input: "1", output: "much" } };
  const model = { id: "m", price: null, deployments: [deployment] };
  const faults = bodyFaults("post /operator/models", model);
  assert.deepEqual(
    faults.map(({ path, id, message }) => `${path} ${id}: ${message.split(";")[0]}`),
    [
      "deployments.0.model form.sentence: Is empty",
      'deployments.0.cost.output form.sentence: "much" contains a currency or a word',
    ],
  );
  const { id: _, ...change } = model;
  assert.deepEqual(bodyFaults("put /operator/models/{id}", { ...change, revision: 1 }), faults);
  const right = { ...model, deployments: [{ upstream: "main", model: "m" }] };
  assert.deepEqual(bodyFaults("post /operator/models", right), []);
  assert.deepEqual(
    bodyFaults("put /operator/upstreams/{id}", { provider: "demo", concurrency: 0, revision: 1 }).map(
      ({ path }) => path,
    ),
    ["concurrency"],
  );
});

test("no code is made from text", (context) => {
  const made = context.mock.method(globalThis, "Function", () => {
    throw new Error("A policy refuses this.");
  });
  assert.equal(bodyFaults("post /keys", { ...key, name: "" }).length, 1);
  assert.equal(made.mock.callCount(), 0);
});
