/** The model plaza over real HTTP: facts, limits and health, for each kind of visitor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Catalog, defaultTimeouts, type Model } from "@plaza/contract/catalog.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { RequestRow } from "../../../server/src/store/requests/shapes.ts";
import { requestRow } from "../../../server/src/store/testing/behaviour/requests.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const deployments = [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }];

const models: Model[] = [
  {
    id: "maker/large",
    name: "Large",
    family: "Maker",
    context: 1_000,
    modalities: { input: ["text", "image"], output: ["text"] },
    capabilities: ["tools"],
    limits: { requestsPerMinute: 50, concurrency: 9 },
    price: { input: parseUsd("1"), output: parseUsd("10"), perRequest: parseUsd("0.001") },
    deployments,
  },
  { id: "plain", name: "Plain", deployments, operations: ["completion"] },
];

const catalog: Catalog = {
  upstreams: [{ id: "demo", provider: "demo", baseUrl: "", credentials: [], timeouts: defaultTimeouts }],
  models,
  limits: { requestsPerMinute: 40, tokensPerMinute: 1_000 },
};

const start = (context: Parameters<typeof startConsole>[0]) => startConsole(context, { catalog });

async function makePublic({ store }: ConsoleRig): Promise<void> {
  const settings = await store.getSettings();
  assert.ok(await store.changeSettings({ ...settings, plazaIsPublic: true }));
}

async function record({ store, clock }: ConsoleRig, changes: readonly Partial<RequestRow>[]): Promise<void> {
  const base = { modelId: "maker/large", accountId: "acc_a" };
  for (const [index, change] of changes.entries())
    await store.recordRequest(
      requestRow(index, { ...base, createdAt: clock.wallMs() - 60_000 - index, ...change }),
    );
}

test("the plaza is for nobody until the operator says so", async (context) => {
  const rig = await start(context);
  for (const path of ["/plaza", "/plaza/plain"]) {
    const refused = await rig.nobody.call("GET", path);
    assert.deepEqual([refused.status, refused.body.error.code], [401, "not_signed_in"]);
    assert.equal((await rig.as("member").call("GET", path)).status, 200);
    assert.equal((await rig.as("operator").call("GET", path)).status, 200);
  }
  await makePublic(rig);
  for (const path of ["/plaza", "/plaza/plain"])
    assert.equal((await rig.nobody.call("GET", path)).status, 200);
});

test("facts are the catalog's, unknown ones null, and limits those of whoever looks", async (context) => {
  const rig = await start(context);
  await makePublic(rig);
  await rig.store.setAccountLimits("acc_a", { requestsPerMinute: 70 });
  const { body } = await rig.nobody.call("GET", "/plaza");
  const [large, plain] = body.models;
  assert.deepEqual(
    [large.id, large.family, large.capabilities, large.status, large.price, large.health],
    [
      "maker/large",
      "Maker",
      ["tools", "vision"],
      "available",
      { input: "1.00", output: "10.00", perRequest: "0.001" },
      null,
    ],
  );
  assert.deepEqual([large.operations, plain.operations], [["chat"], ["completion"]]);
  assert.deepEqual(
    [plain.status, plain.price, plain.context, plain.capabilities, plain.modalities, plain.deprecatedAt],
    ["unpriced", null, null, null, null, null],
  );
  const limitsFor = async (sender: { call: ConsoleRig["nobody"]["call"] }) =>
    (await sender.call("GET", "/plaza")).body.models[0].myLimits;
  assert.deepEqual(await limitsFor(rig.nobody), {
    requestsPerMinute: 50,
    tokensPerMinute: null,
    concurrency: 9,
  });
  assert.deepEqual(await limitsFor(rig.as("member")), {
    requestsPerMinute: 50,
    tokensPerMinute: 1_000,
    concurrency: 9,
  });
  assert.deepEqual(await limitsFor(rig.as("stranger")), {
    requestsPerMinute: 40,
    tokensPerMinute: 1_000,
    concurrency: 9,
  });
});

test("health is of the traffic there was, without what was not the model's fault", async (context) => {
  const rig = await start(context);
  await record(rig, [
    { firstTokenMs: 200, durationMs: 1_200, outputTokens: 100 },
    { firstTokenMs: 200, durationMs: 2_200, outputTokens: 50 },
    { state: "failed", status: 502, errorCode: "upstream_error", firstTokenMs: null },
    { state: "failed", status: 429, errorCode: "rate_limit_exceeded", firstTokenMs: null },
    { state: "aborted", status: 499, firstTokenMs: null },
    { createdAt: rig.clock.wallMs() - 30 * 3_600_000 },
    { modelId: "invented", state: "failed", status: 404, errorCode: "model_not_found", firstTokenMs: null },
  ]);
  const { body } = await rig.as("stranger").call("GET", "/plaza");
  const [large, plain] = body.models;
  assert.equal(plain.health, null);
  const { firstTokenMs, ...health } = large.health;
  assert.deepEqual(health, { requests: 5, counted: 3, successRate: 0.6666, outputTokensPerSecond: 50 });
  assert.ok(Math.abs(firstTokenMs.p50 - 200) <= 6 && Math.abs(firstTokenMs.p95 - 200) <= 6);
});

test("a model is found by an id with a slash, with its prices and the account's own use", async (context) => {
  const rig = await start(context);
  const nowMs = rig.clock.wallMs();
  await rig.store.applyCatalog({
    ...catalog,
    models: [
      {
        ...(models[0] as Model),
        price: { input: parseUsd("2"), output: parseUsd("20") },
        scheduledPrices: [
          { validFrom: nowMs + 86_400_000, price: { input: nanoUsd(0n), output: nanoUsd(0n) } },
        ],
      },
    ],
  });
  await record(rig, [
    {
      inputTokens: 1_000_000,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 500_000,
      reasoningTokens: 0,
    },
    { accountId: "acc_b" },
  ]);
  const { status, body } = await rig.as("member").call("GET", "/plaza/maker%2Flarge");
  assert.equal(status, 200);
  assert.deepEqual(
    body.history.map(({ when, price }: { when: string; price: { input: string } }) => [when, price.input]),
    [
      ["scheduled", "0.00"],
      ["now", "2.00"],
      ["past", "1.00"],
    ],
  );
  assert.deepEqual(
    [body.lastWeek.requests, body.lastWeek.inputTokens, body.lastWeek.charge, body.lastWeek.chargeNow],
    [1, 1_000_000, "0.00", "12.00"],
  );
  assert.equal((await rig.as("operator").call("GET", "/plaza/maker%2Flarge")).body.lastWeek, null);
  for (const path of ["/plaza/maker%2Fabsent", "/plaza/maker%252Flarge", "/plaza/%E0%A4%A"]) {
    const { status: refused } = await rig.as("member").call("GET", path);
    assert.deepEqual([path, refused], [path, 404]);
  }
});
