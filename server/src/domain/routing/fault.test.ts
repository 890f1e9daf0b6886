/** Every row of the fault table, stated again from what upstreams, SDKs and operators rely on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCatalogue } from "@plaza/contract/errors.ts";
import {
  type CountsAgainst,
  canFallBack,
  canFallBackToModel,
  countsAgainst,
  type FaultKind,
  type FaultOutcome,
  type FaultOwner,
  faultRules,
  findFaultRule,
  isOwnEnding,
  isPrivateFault,
  isRepeatable,
} from "./fault.ts";

type Expected = readonly [
  status: number,
  code: string,
  /** Sent as `x-should-retry` after one attempt, and after several. */
  retry: "yes yes" | "yes no" | "no no",
  /** Whether another deployment and another model may be tried. */
  fallback: "both" | "model" | "neither",
  owner: FaultOwner,
  against: CountsAgainst,
  outcome: FaultOutcome,
];

/**
 * Status and fallback. A caller's mistake is a 4xx that is not retried. A problem between Plaza and its
 * upstreams is a 5xx, never the upstream's 401, 402, 403 or 404, and goes to another deployment. OpenAI's
 * SDKs retry 429 and 5xx, so the answer forbids a retry that is pointless or would multiply Plaza's own
 * attempts.
 */
const expected: Record<FaultKind, Expected> = {
  bad_request: [400, "invalid_request", "no no", "neither", "caller", "nothing", "refused"],
  unsupported: [400, "unsupported_parameter", "no no", "both", "caller", "nothing", "refused"],
  context_length: [400, "context_length_exceeded", "no no", "model", "caller", "nothing", "refused"],
  content_filter: [400, "content_filter", "no no", "neither", "caller", "nothing", "refused"],
  too_large: [413, "request_too_large", "no no", "both", "caller", "nothing", "refused"],
  model_unavailable: [502, "upstream_error", "no no", "both", "operator", "deployment", "failed"],
  upstream_auth: [502, "upstream_error", "no no", "both", "credential", "credential_refused", "failed"],
  upstream_quota: [503, "no_available_upstream", "no no", "both", "credential", "credential_quota", "failed"],
  rate_limit: [429, "rate_limit_exceeded", "yes yes", "both", "upstream", "credential_pace", "rate_limited"],
  request_over_limit: [429, "rate_limit_exceeded", "no no", "both", "caller", "nothing", "rate_limited"],
  overloaded: [503, "no_available_upstream", "yes no", "both", "upstream", "deployment", "overloaded"],
  server: [502, "upstream_error", "yes no", "both", "upstream", "deployment", "failed"],
  timeout: [504, "upstream_timeout", "yes no", "both", "upstream", "deployment", "timeout"],
  network: [502, "upstream_error", "yes no", "both", "upstream", "deployment", "failed"],
  stopping: [503, "overloaded", "yes yes", "neither", "process", "nothing", "stopped"],
  key_ended: [401, "invalid_api_key", "no no", "neither", "process", "nothing", "stopped"],
};

const kinds = Object.keys(expected) as FaultKind[];

test("the table has the kinds that are expected, and no other", () => {
  assert.deepEqual(Object.keys(faultRules).toSorted(), kinds.toSorted());
});

for (const kind of kinds) {
  test(`what follows from ${kind}`, () => {
    const rule = faultRules[kind];
    const { status, retryable } = errorCatalogue[rule.code];
    const said = (isRetried: boolean) => (isRetried ? "yes" : "no");
    const once = rule.shouldRetry ?? retryable;
    const retry = `${said(once)} ${said(once && rule.isRetriedAfterAttempts === true)}`;
    const toModel = canFallBackToModel({ kind }) ? "model" : "neither";
    const fallback = canFallBack({ kind }) ? "both" : toModel;
    assert.deepEqual(
      [status, rule.code, retry, fallback, rule.owner, countsAgainst({ kind }), rule.outcome],
      expected[kind],
    );
    if (fallback === "both") assert.ok(canFallBackToModel({ kind }));
  });
}

const kindsWhere = (holds: (kind: FaultKind) => boolean): FaultKind[] => kinds.filter(holds).toSorted();

test("only waits that an upstream stated are told, and a rate limit always has one", () => {
  assert.deepEqual(
    kindsWhere((kind) => faultRules[kind].wait !== undefined),
    ["overloaded", "rate_limit"],
  );
  assert.equal(faultRules.rate_limit.wait, "stated_or_second");
  assert.equal(faultRules.overloaded.wait, "stated");
});

test("an upstream's words reach the caller only where they are about its own request", () => {
  assert.deepEqual(
    kindsWhere((kind) => faultRules[kind].isTextShown === true),
    ["bad_request", "content_filter", "context_length", "too_large", "unsupported"],
  );
});

test("the operator's trouble with an upstream is private", () => {
  assert.deepEqual(kindsWhere(isPrivateFault), ["model_unavailable", "upstream_auth", "upstream_quota"]);
  assert.deepEqual([null, "superseded", "toString"].map(isPrivateFault), [false, false, false]);
  assert.equal(findFaultRule("hasOwnProperty"), undefined);
});

test("what Plaza ended itself says nothing about the upstream", () => {
  assert.deepEqual(
    kindsWhere((kind) => isOwnEnding({ kind })),
    ["key_ended", "stopping"],
  );
});

test("the same deployment is tried again after a broken connection, and after a 5xx that asked for no wait", () => {
  assert.deepEqual(
    kindsWhere((kind) => isRepeatable({ kind, status: 500 })),
    ["network", "server"],
  );
  assert.deepEqual(
    kindsWhere((kind) => isRepeatable({ kind, status: 502, retryAfterMs: 0 })),
    ["network"],
  );
  assert.deepEqual(
    kindsWhere((kind) => isRepeatable({ kind, status: 424 })),
    ["network"],
  );
  assert.equal(isRepeatable({ kind: "server" }), false);
});

test("a 4xx that could only be called a failure of the server is held against nothing, but 424 is the model's", () => {
  const against = (status?: number) => countsAgainst({ kind: "server", status });
  assert.deepEqual([400, 409, 431, 499].map(against), ["nothing", "nothing", "nothing", "nothing"]);
  assert.deepEqual([undefined, 200, 399, 424, 500, 520].map(against), Array(6).fill("deployment"));
  assert.equal(countsAgainst({ kind: "timeout", status: 408 }), "deployment");
});
