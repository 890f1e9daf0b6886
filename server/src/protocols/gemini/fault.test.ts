import assert from "node:assert/strict";
import { test } from "node:test";
import { googleError } from "../../providers/google/fixtures/pieces.ts";
import { faultOfGoogle } from "./fault.ts";

const json = (value: unknown): string => JSON.stringify(value);
const secret = "AIzaSyA1234567890abcdefghijklmnopqrstuv";

test("nothing of the upstream's text is noted, and what a caller is told is scrubbed", () => {
  const text = `Consumer projects/12345 of https://x.googleapis.com with key ${secret} said: my prompt`;
  for (const [code, status] of [
    [400, "INVALID_ARGUMENT"],
    [400, "FAILED_PRECONDITION"],
    [401, "UNAUTHENTICATED"],
    [403, "PERMISSION_DENIED"],
    [404, "NOT_FOUND"],
    [429, "RESOURCE_EXHAUSTED"],
    [500, "INTERNAL"],
  ] as const) {
    const fault = faultOfGoogle(code, {}, json(googleError(code, status, text)));
    const told = json(fault);
    assert.doesNotMatch(told, /AIza|12345|googleapis/, status);
    if (fault.kind === "bad_request") assert.match(fault.message ?? "", /my prompt/);
    else assert.doesNotMatch(told, /prompt/, status);
  }
});

test("a fault that becomes another keeps nothing for the caller", () => {
  const info = [{ reason: "API_KEY_INVALID" }];
  const fault = faultOfGoogle(400, {}, json(googleError(400, "INVALID_ARGUMENT", "Bad thing", info)));
  assert.deepEqual(fault, {
    kind: "upstream_auth",
    status: 400,
    retryAfterMs: undefined,
    note: "400: upstream_auth by Google's own reason",
  });
});

test("the wait is the longest that is named, at most an hour; what is no duration is none", () => {
  const waits = (details: readonly object[], headers = {}) =>
    faultOfGoogle(429, headers, json(googleError(429, "RESOURCE_EXHAUSTED", "x", details))).retryAfterMs;
  assert.equal(waits([{ retryDelay: "2s" }, { retryDelay: "0.0005s" }]), 2_000);
  assert.equal(waits([{ retryDelay: "2s" }], { "retry-after": "5" }), 5_000);
  assert.equal(waits([{ retryDelay: "999999s" }]), 3_600_000);
  for (const retryDelay of ["", "s", "-1s", "1e9s", "5", 5, null, { seconds: 5 }, "1m"]) {
    assert.equal(waits([{ retryDelay }]), undefined, String(retryDelay));
  }
});

test("errors of any shape are classified by their status", () => {
  for (const body of [
    "",
    "null",
    "[]",
    "[null]",
    '{"error":[]}',
    '{"error":{"details":5}}',
    '{"error":{"details":[1,null,{"violations":[null]}]}}',
  ]) {
    assert.equal(faultOfGoogle(503, {}, body).kind, "overloaded", body);
    assert.equal(faultOfGoogle(200, {}, body).kind, "server", body);
  }
  const odd = googleError(400, "INVALID_ARGUMENT", "x", [{ reason: "constructor" }]);
  assert.equal(faultOfGoogle(400, {}, json(odd)).kind, "bad_request");
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const nested = json(googleError(400, "INVALID_ARGUMENT", "x", [{ reason: "DEEP" }])).replace(
    '"DEEP"',
    deep,
  );
  assert.equal(faultOfGoogle(400, {}, nested).kind, "bad_request");
});
