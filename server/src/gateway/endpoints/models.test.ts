import assert from "node:assert/strict";
import { test } from "node:test";
import type { Limits, Model, Price, Rates } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { rateNames } from "../../domain/money/price-classes.ts";
import type { AccountLimits } from "../../store/accounts/account-shapes.ts";
import type { Caller } from "../request/authenticate.ts";
import type { Snapshot } from "../snapshot.ts";
import { getModel, listModels } from "./models.ts";

const noLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
const caller = { key: { ...noLimits }, models: undefined, accountLimits: noLimits } as unknown as Caller;
const noon = Date.UTC(2026, 10, 21, 12);
const dollars = (input: bigint, output: bigint): Price => ({
  input: nanoUsd(input * 10n ** 9n),
  output: nanoUsd(output * 10n ** 9n),
});

const at = (nowMs: number) => ({ nowMs, measuredOf: () => undefined });

function shown(model: Partial<Model>, nowMs = noon) {
  const live = { model: { id: "m", name: "M", deployments: [], ...model }, deployments: [] };
  const snapshot: Snapshot = { models: new Map([["m", live]]), limits: {} };
  const object = getModel(snapshot, caller, "m", at(nowMs));
  assert.deepEqual(listModels(snapshot, caller, at(nowMs)).data, [object]);
  return object;
}

test("pricing shows every class that has a rate, as decimal strings of dollars", () => {
  const rates = Object.fromEntries(
    rateNames.map((name, index) => [name, nanoUsd(BigInt(index) * 250_000_000n)]),
  ) as unknown as Rates;
  const tier = { abovePromptTokens: 200_000, ...dollars(9n, 10n), cachedInput: nanoUsd(1n) };
  const { pricing } = shown({ price: { ...rates, perRequest: nanoUsd(1_000_000n), tiers: [tier] } });
  assert.deepEqual(pricing, {
    input: "0.00",
    output: "0.25",
    cached_input: "0.50",
    cache_write: "0.75",
    long_cache_write: "1.00",
    reasoning: "1.25",
    audio_input: "1.50",
    audio_output: "1.75",
    image_input: "2.00",
    image_output: "2.25",
    per_request: "0.001",
    tiers: [{ above_prompt_tokens: 200_000, input: "9.00", output: "10.00", cached_input: "0.000000001" }],
    unit: "USD per 1M tokens",
  });
  assert.deepEqual(shown({ price: dollars(1n, 2n) }).pricing, {
    input: "1.00",
    output: "2.00",
    unit: "USD per 1M tokens",
  });
});

test("a schedule is shown until its time and is the price from then on, without the catalog being loaded again", () => {
  const priceRows = [
    { id: 1, validFrom: 0, price: dollars(1n, 2n) },
    { id: 2, validFrom: noon + 1, price: dollars(3n, 4n) },
  ];
  const model = { price: dollars(1n, 2n), priceRows };
  assert.deepEqual(shown(model).pricing, {
    input: "1.00",
    output: "2.00",
    unit: "USD per 1M tokens",
    scheduled: [{ valid_from: "2026-11-21T12:00:00.001Z", input: "3.00", output: "4.00" }],
  });
  const after = { input: "3.00", output: "4.00", unit: "USD per 1M tokens" };
  assert.deepEqual(shown(model, noon + 1).pricing, after);
  const { priceRows: _, ...withoutRows } = {
    ...model,
    scheduledPrices: [{ validFrom: noon + 1, price: dollars(3n, 4n) }],
  };
  assert.deepEqual(shown(withoutRows, noon + 1).pricing, after);
});

test("no price now is no pricing, and an explicit 0 is a price", () => {
  const unpriced = shown({ priceRows: [{ id: 1, validFrom: 0, price: undefined }] });
  assert.equal(unpriced.pricing, null);
  assert.equal(unpriced.status, "unpriced");
  assert.equal(shown({ price: dollars(0n, 0n) }).pricing?.input, "0.00");
  assert.equal(shown({ price: dollars(0n, 0n) }).status, "down");
});

test("limits show the tightest of key, account and model, each kind for itself; the default is the account's", () => {
  const limitsFor = (
    ofKey: Partial<AccountLimits>,
    ofAccount: Partial<AccountLimits>,
    ofModel: Limits | undefined,
    defaults: Limits = {},
  ) => {
    const model = { id: "m", name: "M", deployments: [], limits: ofModel };
    const snapshot: Snapshot = { models: new Map([["m", { model, deployments: [] }]]), limits: defaults };
    const who = {
      key: { ...noLimits, ...ofKey },
      models: undefined,
      accountLimits: { ...noLimits, ...ofAccount },
    } as unknown as Caller;
    const { limits } = getModel(snapshot, who, "m", at(noon));
    return [limits.requests_per_minute, limits.tokens_per_minute, limits.concurrency];
  };
  assert.deepEqual(limitsFor({}, {}, undefined), [null, null, null]);
  const three = (rpm: number, tpm: number, concurrency: number) => ({
    requestsPerMinute: rpm,
    tokensPerMinute: tpm,
    concurrency,
  });
  assert.deepEqual(limitsFor(three(1, 20, 30), three(10, 2, 30), three(10, 20, 3)), [1, 2, 3]);
  // A key's limit cannot exceed its account's; an account's own limit replaces the default; 0 is a limit.
  assert.deepEqual(limitsFor({ requestsPerMinute: 100 }, {}, undefined, three(60, 0, 5)), [60, 0, 5]);
  assert.deepEqual(limitsFor({}, { requestsPerMinute: 600 }, {}, three(60, 9, 5)), [600, 9, 5]);
  assert.deepEqual(limitsFor({}, {}, { concurrency: 0 }, three(60, 9, 5)), [60, 9, 0]);
  assert.deepEqual(limitsFor({}, { concurrency: 0 }, undefined, three(60, 9, 5)), [60, 9, 0]);
});

test("one list is read by the SDKs of OpenAI and of Anthropic", () => {
  const live = (id: string, createdAt?: number) => {
    const model = { id, name: id.toUpperCase(), deployments: [] };
    return { model: createdAt === undefined ? model : { ...model, createdAt }, deployments: [] };
  };
  const models = new Map([
    ["a", live("a", noon)],
    ["b", live("b")],
  ]);
  const list = listModels({ models, limits: {} }, caller, at(noon));
  const { data, ...page } = list;
  assert.deepEqual(page, { object: "list", has_more: false, first_id: "a", last_id: "b" });
  assert.deepEqual(
    data.map(({ object, type, display_name, created, created_at }) => [
      object,
      type,
      display_name,
      created,
      created_at,
    ]),
    [
      ["model", "model", "A", noon / 1_000, "2026-11-21T12:00:00.000Z"],
      ["model", "model", "B", 0, "1970-01-01T00:00:00.000Z"],
    ],
  );
  const empty = listModels({ models: new Map(), limits: {} }, caller, at(noon));
  assert.deepEqual([empty.data, empty.first_id, empty.last_id], [[], null, null]);
});

test("every model says what it is for, and all of them are listed", () => {
  assert.deepEqual(shown({}).operations, ["chat"]);
  assert.deepEqual(shown({ operations: ["embeddings"] }).operations, ["embeddings"]);
  assert.deepEqual(shown({ operations: ["chat", "completion"] }).operations, ["chat", "completion"]);
});
