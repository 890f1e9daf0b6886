/**
 * Which calls count as the same call, seen from the store's requests. test/behaviour/requests has the rest.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { type Operation, operationPaths } from "@plaza/contract/operations.ts";
import { claimKey, type IdempotencyContext, KeyClaim } from "./idempotency.ts";

/** The fingerprint sent with a claim. */
async function fingerprintOf(
  operation: Operation,
  body: string,
  path: string = operationPaths[operation].path,
): Promise<string> {
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
  const request = { key: "k", accountId: "a", requestId: "r", operation, path, body: Buffer.from(body) };
  assert.ok((await claimKey(context, request)) instanceof KeyClaim);
  return asked[0]?.fingerprint ?? "";
}

test("the same body at another path is another call", async () => {
  const [chat, completion] = [await fingerprintOf("chat", "{}"), await fingerprintOf("completion", "{}")];
  assert.notEqual(chat, completion);
  assert.equal(await fingerprintOf("completion", "{}"), completion);
  assert.notEqual(await fingerprintOf("completion", "{} "), completion);
});

test("the same body in another format of the same operation is another call", async () => {
  const paths = [operationPaths.chat.path, "/v1/messages", "/v1beta/models/a:x", "/v1beta/models/b:x"];
  const seen = await Promise.all(paths.map((path) => fingerprintOf("chat", "{}", path)));
  assert.equal(new Set(seen).size, paths.length);
});

test("a key that was taken for a chat before there were other paths is still its own", async () => {
  assert.equal(await fingerprintOf("chat", "{}"), createHash("sha256").update("{}").digest("hex"));
});
