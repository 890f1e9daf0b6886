import assert from "node:assert/strict";
import { test } from "node:test";
import { aimAt, aimOf, isAt } from "./aim.ts";
import { ConnectFailure } from "./failure.ts";

const failureOf = (act: () => unknown): ConnectFailure => {
  try {
    act();
  } catch (error) {
    if (error instanceof ConnectFailure) return error;
    throw error;
  }
  return assert.fail("nothing was refused");
};

test("a service that is no more is refused with the day and what there is now, at its own address only", () => {
  const upstream = {
    provider: "openai",
    preset: "perplexity",
    baseUrl: "https://api.perplexity.ai",
  } as never;
  for (const act of [
    () => aimAt("perplexity", undefined),
    () => aimAt("perplexity", "https://api.perplexity.ai"),
    () => aimAt(undefined, "https://api.perplexity.ai"),
    () => aimOf(upstream),
  ]) {
    const { code, field, message } = failureOf(act);
    assert.deepEqual([code, field], ["service_ended", "service"]);
    assert.match(message, /^Perplexity was discontinued on 2026-09-27\. .*Agent API/);
  }
  assert.match(failureOf(() => aimAt("github-models", undefined)).message, /2026-07-30/);
  // Another server may still speak its protocol.
  assert.equal(aimAt("perplexity", "http://127.0.0.1:9000").target.id, "perplexity");
  assert.doesNotMatch(failureOf(() => aimAt(undefined, undefined)).message, /perplexity/);
});

test("a service whose address only the operator knows is asked for it by its form", () => {
  const { code, field, message } = failureOf(() => aimAt("cortex", undefined));
  assert.deepEqual([code, field], ["address_unknown", "baseUrl"]);
  assert.match(
    message,
    /enter its base URL, for example https:\/\/\{account\}\.snowflakecomputing\.com\/api\/v2\/cortex\/v1$/,
  );
  const filled = aimAt("bedrock-mantle", undefined, { region: "us-east-1" });
  assert.equal(filled.baseUrl, "https://bedrock-mantle.us-east-1.api.aws/v1");
  assert.equal(isAt(filled), false, "no key of anybody's is shown there unasked");
  const vertex =
    "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers";
  assert.equal(aimAt(undefined, `${vertex}/anthropic`).target.id, "vertex-anthropic");
  assert.equal(aimAt(undefined, `${vertex}/google`).target.id, "google");
});
