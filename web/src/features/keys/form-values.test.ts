/** The form of a key: what it sends, what it refuses, and how two people's changes are put together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApiKey,
  addressesOf,
  bodyOf,
  differing,
  faultsOf,
  newKeyValues,
  valuesOfKey,
} from "./form-values.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const words = { expiresAt: "when?", models: "which?" };

const key: ApiKey = {
  id: "key_1",
  name: "Website",
  visiblePrefix: "sk-plaza-AbCd",
  status: "active",
  models: ["a", "b"],
  ips: ["203.0.113.7", "2001:db8::/32"],
  limits: { requestsPerMinute: 10, tokensPerMinute: null, concurrency: 0 },
  budget: { amount: "12.50", period: "day", spent: "1", resetsAt: "2026-11-22T00:00:00.000Z" },
  expiresAt: "2026-12-24T17:00:00.000Z",
  project: "search",
  tags: ["batch", "team a"],
  createdAt: "2026-11-01T00:00:00.000Z",
  createdBy: null,
  lastUsedAt: null,
  last30Days: { requests: 0, charge: "0" },
  revision: 3,
};

test("an untouched form makes a key without any restriction", () => {
  assert.deepEqual(bodyOf({ ...newKeyValues, name: "x" }, "UTC", nowMs), {
    name: "x",
    expiresAt: null,
    models: null,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
    budget: null,
    ips: null,
    project: null,
    tags: [],
  });
});

test("a key's form sends back what the key has", () => {
  const body = bodyOf(valuesOfKey(key, "Europe/Berlin"), "Europe/Berlin", nowMs);
  assert.deepEqual(body, {
    name: key.name,
    expiresAt: key.expiresAt,
    models: key.models,
    limits: key.limits,
    budget: { amount: "12.50", period: "day" },
    ips: key.ips,
    project: "search",
    tags: ["batch", "team a"],
  });
});

test("days until expiry count from now; a limit of 0 is a limit", () => {
  assert.equal(bodyOf({ ...newKeyValues, expiry: "30" }, "UTC", nowMs).expiresAt, "2026-12-21T12:00:00.000Z");
  const limits = { ...newKeyValues.limits, requestsPerMinute: 0 };
  assert.equal(bodyOf({ ...newKeyValues, limits }, "UTC", nowMs).limits?.requestsPerMinute, 0);
});

test("what was chosen and not given is told beside its field", () => {
  const named = { ...newKeyValues, name: "x" };
  assert.deepEqual(faultsOf(named, words), []);
  assert.deepEqual(faultsOf({ ...named, expiry: "at", modelChoice: "some" }, words), [
    { path: "expiresAt", message: "when?" },
    { path: "models", message: "which?" },
  ]);
});

test("addresses may stand in lines or between commas", () => {
  assert.deepEqual(addressesOf(" 10.0.0.1\n\n10.0.0.0/8, ::1;fe80::/10\r\n"), [
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "fe80::/10",
  ]);
});

test("another's change is told by setting, and taken by setting", () => {
  const base = valuesOfKey(key, "UTC");
  const mine = { ...base, name: "Mine", budget: "1" };
  const theirs = { ...base, budget: "2", budgetPeriod: "month" as const, ips: "" };
  assert.deepEqual(differing(base, mine), ["name", "budget"]);
  assert.deepEqual(differing(base, theirs), ["budget", "ips"]);
});
