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
  assert.equal(
    adviceFor({ code: "missing_required_parameter", status: 400 }, "k").word,
    "fault.invalid_request",
  );
  assert.equal(adviceFor({ code: "odd", status: 418 }, "k").word, "fault.other");
});

/** Those that cannot come from a call of a model made by a page. */
const neverMet =
  /^(not_|sign_|second_|forgery|method_|request_timeout|idempotency|changed_|already_|managed_|unsupported_media|too_many|websocket_)/;

test("no code of the endpoint is left with nothing to say", () => {
  const met = Object.entries(errorCatalogue).filter(([code]) => !neverMet.test(code));
  assert.ok(met.length > 15);
  for (const [code, row] of met) {
    assert.notEqual(adviceFor({ code, status: row.status }, "k").word, "fault.other", code);
  }
});
