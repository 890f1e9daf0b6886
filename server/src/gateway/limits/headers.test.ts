/** Rate limit headers and errors: the tightest limit of each kind in OpenAI's format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalBucket } from "./bucket.ts";
import { blocked, exceeded, tooLarge } from "./errors.ts";
import { addHeaders, formatReset } from "./headers.ts";

test("times until a limit is whole again, as OpenAI writes them", () => {
  for (const [ms, text] of [
    [-5, "0s"],
    [0, "0s"],
    [0.2, "1ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [360_001, "6m1s"],
    [3_600_000, "1h0m0s"],
    [3_661_000, "1h1m1s"],
  ] as const) {
    assert.equal(formatReset(ms), text, String(ms));
  }
});

/** A bucket with this many units left. */
function bucketOf(limit: number, left: number): LocalBucket {
  const bucket = new LocalBucket("key", "k", "rpm", limit);
  bucket.debt = limit - left;
  return bucket;
}

const told = (...buckets: LocalBucket[]) => {
  const into: string[] = [];
  addHeaders("requests", buckets, 0, into);
  return into;
};

test("of several limits the one with the smallest share left is told, of equals the smaller one", () => {
  assert.deepEqual(told(bucketOf(100, 50), bucketOf(60, 15)), [
    "x-ratelimit-limit-requests",
    "60",
    "x-ratelimit-remaining-requests",
    "15",
    "x-ratelimit-reset-requests",
    "45s",
  ]);
  assert.deepEqual(told(bucketOf(100, 50), bucketOf(60, 30), bucketOf(80, 40))[1], "60");
});

test("a limit of nothing is the tightest, and is never whole again; none at all says nothing", () => {
  assert.deepEqual(
    told(bucketOf(10, 1), bucketOf(0, 0)).filter((_, at) => at % 2 === 1),
    ["0", "0", "0s"],
  );
  assert.deepEqual(told(), []);
});

test("refusals name whose limit it is and how much, and say when to come back only where that helps", () => {
  const of = (kind: "rpm" | "tpm" | "conc", scope: "key" | "account" | "model" | "all" = "key") =>
    new LocalBucket(scope, "secret-id", kind, 60);
  for (const scope of ["key", "account", "model", "all"] as const) {
    for (const kind of ["rpm", "tpm", "conc"] as const) {
      const error = exceeded(of(kind, scope), 5, 1_234);
      assert.deepEqual([error.code, error.detail.retryAfterMs], ["rate_limit_exceeded", 1_234]);
      assert.match(error.message, /60/);
      assert.doesNotMatch(error.message, /secret-id/);
    }
  }
  assert.match(exceeded(of("rpm"), 1, 1_234).message, /1\.3/);
  assert.match(exceeded(of("rpm"), 1, 0).message, /0\.1/);
  assert.doesNotMatch(blocked(of("rpm")).message, /secret-id/);
  for (const error of [blocked(of("rpm")), tooLarge(of("tpm"), 99)]) {
    assert.deepEqual([error.detail.shouldRetry, error.detail.retryAfterMs], [false, undefined]);
  }
  assert.match(tooLarge(of("tpm"), 99).message, /99/);
});
