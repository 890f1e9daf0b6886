/** A key's own requests: never another key's, and nothing about upstreams. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../store/requests/shapes.ts";
import type { Caller } from "../request/authenticate.ts";
import { getRequest, type RequestsContext } from "./requests.ts";

const row = {
  id: "req_1",
  createdAt: 1_763_700_000_999,
  accountId: "acc_1",
  keyId: "key_1",
  operation: "chat",
  modelId: "m",
  upstreamId: "hidden-upstream",
  upstreamModel: "hidden-model",
  isStream: true,
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 10,
  cachedInputTokens: 2,
  cacheWriteTokens: 3,
  outputTokens: 5,
  reasoningTokens: 4,
  usageSource: "exact",
  usageParts: null,
  firstTokenMs: 30,
  durationMs: 90,
  attemptLog: null,
  queueMs: 4,
  priceId: 7,
  cost: nanoUsd(123_456n),
  charge: nanoUsd(20_000n),
  loss: nanoUsd(0n),
} as unknown as StoredRequest;

const price = {
  id: 7,
  validFrom: 0,
  price: { input: nanoUsd(1_000_000_000n), output: nanoUsd(2_000_000_000n) },
};

async function shown(changes: object = {}, priced: object | null = price, keyId = "key_1") {
  const logged: string[] = [];
  const context = {
    store: { findRequest: async () => ({ request: { ...row, ...changes }, price: priced }) },
    log: { warn: (event: string) => logged.push(event) },
  } as unknown as RequestsContext;
  return getRequest(context, { key: { id: keyId, accountId: "acc_1" } } as Caller, "req_1");
}

test("usage by class, the price it was charged by, and the charge", async () => {
  const found = await shown();
  assert.deepEqual(found.usage, {
    source: "exact",
    input: 10,
    cached_input: 2,
    cache_write: 3,
    output: 5,
    reasoning: 4,
  });
  assert.deepEqual(
    [found.created, found.charge, found.price?.id, found.price?.valid_from],
    [1_763_700_000, "0.00002", 7, "1970-01-01T00:00:00.000Z"],
  );
  assert.deepEqual([found.price?.input, found.price?.output], ["1.00", "2.00"]);
  assert.equal("covered_by_operator" in found, false);
  assert.deepEqual(
    [found.queue_ms, found.attempts],
    [4, [{ outcome: "answered", status: null, start_ms: 4, duration_ms: 86 }]],
  );
});

test("a request of another key is not there, in the words for one that never was, be it of the same account", async () => {
  const unknown = { store: { findRequest: async () => undefined }, log: {} } as unknown as RequestsContext;
  const messages: string[] = [];
  for (const asking of [
    shown({}, price, "key_2"),
    getRequest(unknown, { key: { id: "key_1" } } as Caller, "req_9"),
  ]) {
    await assert.rejects(asking, (error: Error & { code: string }) => {
      assert.equal(error.code, "not_found");
      messages.push(error.message);
      return true;
    });
  }
  assert.equal(messages[0], messages[1]);
});

test("nothing names an upstream, or what it bills", async () => {
  const attemptLog = [
    {
      upstreamId: "hidden-upstream",
      upstreamModel: "hidden-model",
      fault: "server",
      status: 500,
      startMs: 1,
      durationMs: 5,
      cost: "9.87",
    },
    {
      upstreamId: "hidden-upstream",
      upstreamModel: "hidden-model",
      fault: null,
      status: null,
      durationMs: 6,
    },
  ];
  const found = await shown({ attemptLog, attempts: 2 });
  assert.doesNotMatch(JSON.stringify(found), /hidden|9\.87|123456/);
  assert.deepEqual(
    found.attempts.map(({ status, start_ms, duration_ms }) => [status, start_ms, duration_ms]),
    [
      [500, 1, 5],
      [null, null, 6],
    ],
  );
});

test("the status of a failure that is the operator's business is not told", async () => {
  const of = (fault: string, status: number) =>
    shown({ attemptLog: [{ upstreamId: "u", upstreamModel: "m", fault, status, durationMs: 1 }] });
  assert.equal((await of("upstream_auth", 401)).attempts[0]?.status, null);
  assert.equal((await of("upstream_quota", 402)).attempts[0]?.status, null);
  assert.equal((await of("model_unavailable", 404)).attempts[0]?.status, null);
  assert.equal((await of("rate_limit", 429)).attempts[0]?.status, 429);
});

test("where nothing was used there is no usage, and where nothing was priced no price", async () => {
  const found = await shown({ usageSource: "none", priceId: null, charge: nanoUsd(0n) }, null);
  assert.deepEqual([found.usage, found.price, found.charge], [null, null, "0.00"]);
  assert.equal((await shown({}, { id: 7, validFrom: 0, price: undefined })).price, null);
});

test("parts of usage are shown where there are any, and what the operator bore where it did", async () => {
  const usageParts = { audioInput: 1, imageInput: 0, audioOutput: 2, longCacheWrite: 3 };
  const found = await shown({ usageParts, loss: nanoUsd(1_000_000n) });
  const { audio_input, audio_output, long_cache_write } = found.usage ?? {};
  assert.deepEqual([audio_input, audio_output, long_cache_write], [1, 2, 3]);
  assert.equal(found.usage !== null && "image_input" in found.usage, false);
  assert.equal(found.covered_by_operator, "0.001");
});

test("a store that cannot be asked is a 503, not a request that is not there", async () => {
  const logged: string[] = [];
  const context = {
    store: { findRequest: () => Promise.reject(new Error("gone")) },
    log: { warn: (event: string) => logged.push(event) },
  } as unknown as RequestsContext;
  const asking = getRequest(context, { key: { id: "key_1" } } as Caller, "req_1");
  await assert.rejects(asking, { code: "ledger_unavailable" });
  assert.deepEqual(logged, ["request_not_read"]);
});
