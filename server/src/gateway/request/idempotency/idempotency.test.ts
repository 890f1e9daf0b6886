/**
 * Which calls count as the same call, seen from the store's requests. test/behaviour/requests has the rest.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { CallTarget } from "../../endpoints/endpoint.ts";
import { endpoints } from "../../endpoints/index.ts";
import { claimKey, type IdempotencyContext, KeyClaim } from "./idempotency.ts";

/** The fingerprint a claim is taken with. */
async function fingerprintOf(path: string, body: string, more: Partial<CallTarget> = {}): Promise<string> {
  const asked: { fingerprint: string }[] = [];
  const context = {
    store: {
      claimIdempotencyKey: async (claim: { fingerprint: string }) => {
        asked.push(claim);
        return { kind: "claimed" };
      },
    },
    leases: { holderId: "h1" },
    settings: { idempotencyKeptMs: 1 },
    clock: { wallMs: () => 1 },
  } as unknown as IdempotencyContext;
  const target = { tail: "", query: "", ...more };
  const endpoint = endpoints.find((one) => one.path === path);
  assert.ok(endpoint !== undefined, path);
  const request = { key: "k", accountId: "a", requestId: "r", endpoint, target, body: Buffer.from(body) };
  assert.ok((await claimKey(context, request)) instanceof KeyClaim);
  return asked[0]?.fingerprint ?? "";
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const chat = "/v1/chat/completions";
const completions = "/v1/completions";

test("the same body at another path is another call", async () => {
  const paths = [chat, completions, "/v1/embeddings", "/v1/messages", "/v1/responses"];
  const prints = await Promise.all(paths.map((path) => fingerprintOf(path, "{}")));
  assert.equal(new Set(prints).size, paths.length);
  assert.deepEqual(await Promise.all(paths.map((path) => fingerprintOf(path, "{}"))), prints);
  assert.notEqual(await fingerprintOf(completions, "{} "), prints[1]);
});

test("the same body at another model, method or form of a path is another call; the key in a query is none of it", async () => {
  const path = "/v1beta/models/*:generateContent";
  const asked = { tail: "m", query: "alt=sse" };
  const print = await fingerprintOf(path, "{}", asked);
  for (const other of [{ tail: "n" }, { query: "" }])
    assert.notEqual(await fingerprintOf(path, "{}", { ...asked, ...other }), print, JSON.stringify(other));
  assert.notEqual(await fingerprintOf("/v1beta/models/*:streamGenerateContent", "{}", asked), print);
  assert.equal(await fingerprintOf(path, "{}", { ...asked, query: "key=a&alt=sse" }), print);
});

test("keys that were taken before there were other paths are still their calls'", async () => {
  assert.equal(await fingerprintOf(chat, "{}", { query: "api-version=1" }), hash("{}"));
  assert.equal(await fingerprintOf(completions, "{}"), hash("completion\n{}"));
  assert.equal(await fingerprintOf("/v1/embeddings", "{}"), hash("embeddings\n{}"));
});

test("a fingerprint says the target at every path that came after those", async () => {
  const old = new Set([chat, completions, "/v1/embeddings"]);
  const target = { tail: "m", query: "a=1" };
  for (const { path } of endpoints.filter((endpoint) => !old.has(endpoint.path)))
    assert.equal(await fingerprintOf(path, "{}", target), hash(`${path} m a=1\n{}`), path);
});
