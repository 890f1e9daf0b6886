/** What is remembered of refused headers has a bound, whatever callers send. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { RefusedHeaders } from "./refused-headers.ts";

const error = new GatewayError("invalid_api_key");

test("a refused header gets the same error again, and another one gets none", () => {
  const refused = new RefusedHeaders();
  assert.equal(refused.add("Bearer a", error), error);
  assert.equal(refused.get("Bearer a"), error);
  assert.equal(refused.get("Bearer b"), undefined);
  refused.clear();
  assert.equal(refused.get("Bearer a"), undefined);
});

test("a long header is refused and not remembered", () => {
  const refused = new RefusedHeaders();
  const [longest, beyond] = ["x".repeat(200), "x".repeat(201)];
  for (const header of [longest, beyond]) assert.equal(refused.add(header, error), error);
  assert.deepEqual([refused.get(longest), refused.get(beyond)], [error, undefined]);
});

test("after 4,096 headers all are forgotten, and the newest is remembered", () => {
  const refused = new RefusedHeaders();
  for (let index = 0; index < 4_096; index += 1) refused.add(`k${index}`, error);
  assert.equal(refused.get("k0"), error);
  refused.add("one more", error);
  assert.deepEqual(
    [refused.get("k0"), refused.get("k4095"), refused.get("one more")],
    [undefined, undefined, error],
  );
});
