/** What each origin is granted. Requested headers are echoed only if they are a list of names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { corsHeaders, preflightHeaders } from "./cors.ts";

/** What this origin is granted; undefined = nothing. */
const grantedTo = (allowed: string, origin: string | undefined): string | undefined =>
  corsHeaders(allowed, origin)?.[1];

test("only a page is answered with CORS headers, and only one that may call", () => {
  assert.equal(grantedTo("*", undefined), undefined, "no page");
  assert.equal(grantedTo("", "https://a.example"), undefined, "no page may call");
  assert.equal(grantedTo("*", "https://a.example"), "*");
  const listed = "https://a.example, http://localhost:3000";
  assert.equal(grantedTo(listed, "https://a.example"), "https://a.example");
  assert.equal(grantedTo(listed, "http://localhost:3000"), "http://localhost:3000");
  for (const other of ["https://b.example", "http://a.example", "https://a.example.evil", "null", "*", ""]) {
    assert.equal(grantedTo(listed, other), undefined, other);
  }
});

test("a granted page may read the headers it needs, and caches know that the answer is for its origin", () => {
  const headers = corsHeaders("*", "https://a.example") ?? [];
  const textOf = (name: string): string => headers[headers.indexOf(name) + 1] ?? "";
  const exposed = textOf("access-control-expose-headers").split(", ");
  for (const name of [
    "x-request-id",
    "request-id",
    "retry-after",
    "x-plaza-charge",
    "x-ratelimit-reset-tokens",
  ]) {
    assert.ok(exposed.includes(name), name);
  }
  assert.equal(textOf("vary"), "origin");
});

test("a preflight is granted the headers it asks for, where they are names", () => {
  const allowedFor = (asked: string | undefined): string | undefined => preflightHeaders(asked)[3];
  assert.equal(allowedFor("x-a, X-B"), "x-a, X-B");
  for (const asked of [undefined, "", "x-a\r\nset-cookie: b", "x-a;", "a".repeat(2_001)]) {
    const granted = new Set(allowedFor(asked)?.split(", "));
    for (const name of [
      ...["authorization", "x-api-key", "api-key", "x-goog-api-key", "idempotency-key"],
      ...["anthropic-version", "anthropic-beta", "x-goog-api-client", "x-stainless-retry-count"],
    ])
      assert.ok(granted.has(name), `${asked}: ${name}`);
  }
  assert.equal(preflightHeaders(undefined)[1], "GET, POST, DELETE, OPTIONS", "answers can be deleted");
});
