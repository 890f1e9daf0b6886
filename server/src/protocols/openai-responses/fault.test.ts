/** Responses errors in all of their shapes, and the faults they mean. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOfResponses } from "./fault.ts";

const rows: readonly (readonly [code: string, kind: string])[] = [
  ["server_error", "server"],
  ["rate_limit_exceeded", "rate_limit"],
  ["slow_down", "rate_limit"],
  ["server_is_overloaded", "overloaded"],
  ["insufficient_quota", "upstream_quota"],
  ["context_length_exceeded", "context_length"],
  ["invalid_prompt", "bad_request"],
  ["image_content_policy_violation", "content_filter"],
  ["cyber_policy", "content_filter"],
  ["invalid_image_url", "bad_request"],
  ["image_parse_error", "bad_request"],
  ["a_code_of_next_month", "server"],
];

test("inside a 200: an event, an event that nests it, a failed response", () => {
  for (const [code, kind] of rows) {
    const error = { code, message: "It is so." };
    for (const body of [
      { type: "error", sequence_number: 3, ...error, param: null },
      { type: "error", error },
      { type: "response.failed", response: { id: "resp_1", status: "failed", error } },
      { id: "resp_1", status: "failed", error },
      { error },
    ])
      assert.equal(
        faultOfResponses(200, {}, JSON.stringify(body)).kind,
        kind,
        `${code} ${JSON.stringify(body)}`,
      );
  }
});

test("a failed response that was cut off says its error all the same", () => {
  const error = { code: "rate_limit_exceeded", message: "Slow." };
  const response = { id: "resp_1", status: "failed", error, instructions: "x".repeat(1_000) };
  const body = JSON.stringify({ type: "response.failed", response }).slice(0, 400);
  assert.equal(faultOfResponses(200, {}, body).kind, "rate_limit");
  assert.equal(faultOfResponses(200, {}, '{"type":"response.fai').kind, "server");
  assert.equal(faultOfResponses(200, {}, JSON.stringify({ response: { status: "failed" } })).kind, "server");
  assert.equal(faultOfResponses(200, {}, "").kind, "server");
});

test("with a status it is as everywhere; text of the upstream is for the caller's own mistakes alone", () => {
  const body = (error: object): string => JSON.stringify({ error });
  assert.equal(faultOfResponses(401, {}, body({ code: "invalid_api_key" })).kind, "upstream_auth");
  assert.equal(faultOfResponses(503, {}, body({ code: "slow_down" })).kind, "overloaded");
  const refused = faultOfResponses(
    400,
    {},
    body({ code: "unknown_parameter", param: "input[0].x", message: "No." }),
  );
  assert.deepEqual(
    [refused.kind, refused.param, refused.code],
    ["bad_request", "input[0].x", "unknown_parameter"],
  );
  const inBand = faultOfResponses(200, {}, body({ code: "server_error", message: "secret prompt" }));
  assert.equal(inBand.message, undefined);
});
