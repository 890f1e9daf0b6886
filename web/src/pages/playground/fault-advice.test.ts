/** Every code a caller can meet has words, and the ones a page can help with lead there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCatalogue } from "@plaza/contract/errors.ts";
import { adviceFor } from "./fault-advice.ts";

test("money leads to billing, keys to the key, models to the plaza", () => {
  assert.equal(adviceFor({ code: "insufficient_balance", status: 402 }, "key_1").link?.to, "/billing");
  for (const code of ["budget_exceeded", "model_not_allowed", "api_key_disabled"]) {
    assert.equal(adviceFor({ code, status: 403 }, "key/1").link?.to, "/keys/key%2F1");
  }
  assert.equal(adviceFor({ code: "model_not_found", status: 404 }, "k").link?.to, "/models");
});

test("what an upstream did is told so, what the caller sent, too", () => {
  assert.equal(adviceFor({ code: "upstream_timeout", status: 504 }, "k").word, "fault.upstream");
  assert.equal(adviceFor({ code: "upstream_error", status: 200 }, "k").word, "fault.upstream");
  assert.equal(adviceFor({ code: "missing_required_parameter", status: 400 }, "k").word, "fault.invalid_request");
  assert.equal(adviceFor({ code: "odd", status: 418 }, "k").word, "fault.other");
});

test("no code of the endpoint is left with nothing to say", () => {
  const vague = Object.entries(errorCatalogue)
    .filter(([code, row]) => adviceFor({ code, status: row.status }, "k").word === "fault.other")
    .map(([code]) => code);
  // These cannot come from a call of a model made by a page.
  assert.deepEqual(vague, [
    "not_signed_in",
    "sign_in_failed",
    "second_factor_required",
    "not_permitted",
    "forgery_suspected",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "idempotency_in_flight",
    "idempotency_answer_not_kept",
    "changed_meanwhile",
    "already_exists",
    "managed_by_file",
    "already_used",
    "unsupported_media_type",
    "idempotency_key_reused",
    "too_many_attempts",
  ]);
});
