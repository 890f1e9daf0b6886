/** What callers and operators see of Anthropic's errors. The fixtures cover the classification. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorBody } from "../../providers/anthropic/fixtures/build.ts";
import { faultOfMessages } from "./fault.ts";

const faultOf = (status: number, type: string, text: string) =>
  faultOfMessages(status, {}, JSON.stringify(errorBody(type, text)));

test("a mistake of the caller's is told, without secrets", () => {
  const fault = faultOf(
    400,
    "invalid_request_error",
    "max_tokens: 9 > 8 for sk-ant-api03-abcdefghijklmnop at https://api.anthropic.com/v1",
  );
  assert.equal(fault.kind, "bad_request");
  assert.match(fault.message ?? "", /^max_tokens: 9 > 8/);
  assert.doesNotMatch(fault.message ?? "", /abcdef|anthropic\.com/);
});

test("nothing of our own account is told or noted", () => {
  for (const fault of [
    faultOf(401, "authentication_error", "invalid x-api-key SECRET"),
    faultOf(400, "invalid_request_error", "Your credit balance is too low SECRET"),
    faultOf(400, "invalid_request_error", "This organization has been disabled. SECRET"),
    faultOf(429, "rate_limit_error", "organization SECRET is over its limit"),
  ]) {
    assert.equal(fault.message, undefined);
    assert.doesNotMatch(JSON.stringify(fault), /SECRET/);
  }
});

test("what a caller put into an error's text does not turn it into ours", () => {
  for (const echoed of [
    "This organization has been disabled",
    "Output blocked by content filtering policy",
    "invalid x-api-key",
  ]) {
    assert.equal(
      faultOf(400, "invalid_request_error", `messages.0.content: got "${echoed}"`).kind,
      "bad_request",
    );
  }
});

test("any body is classified", () => {
  for (const body of [
    "",
    "null",
    "[]",
    '{"error":null}',
    '{"error":"x"}',
    '{"error":{"details":"x","type":5}}',
    "<html>",
  ]) {
    assert.equal(faultOfMessages(500, {}, body).kind, "server", body);
  }
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  assert.equal(faultOfMessages(400, {}, `{"error":{"message":${deep}}}`).kind, "bad_request");
});
