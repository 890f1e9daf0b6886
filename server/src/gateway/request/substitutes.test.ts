/** Which models may replace the one asked for: at what price, with how much output, under which limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Limits, Price } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Hold } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import { liveModel } from "../upstreams/testing/test-upstream-health.ts";
import type { Resolved } from "./phases.ts";
import type { PricedModel } from "./resolve.ts";
import { candidatesOf, substitutesOf } from "./substitutes.ts";

/** NanoUsd per output token; an input token costs one. */
const priceOf = (output: bigint): Price => ({
  input: nanoUsd(1_000_000n),
  output: nanoUsd(output * 1_000_000n),
});

function priced(id: string, output: bigint, limits?: Limits, maxOutput?: number): PricedModel {
  const plain = liveModel(id, []);
  const model = { ...plain, model: { ...plain.model, limits, maxOutput } };
  return { model, price: priceOf(output), priceId: 1 };
}

/** The worst case for a model: output up to its own maximum, or 1,000. */
const worstCaseOf = ({ model }: PricedModel["model"]): WorstCase => ({
  inputTokens: 100,
  sentTokens: 90,
  outputTokens: model.maxOutput ?? 1_000,
  furtherTokens: 0,
  answers: 2,
  isAsked: false,
  outputLimit: model.id === "limited" ? 1_000 : undefined,
  hasAudio: false,
  hasImages: false,
});

const resolved = {
  call: { caller: { key: { id: "key_1" } } },
  endpoint: { worstCase: worstCaseOf },
  read: { fields: {}, body: Buffer.from("") },
} as unknown as Resolved;

const holdOf = (held: bigint | undefined, clampedTo?: number) => ({ held, clampedTo }) as Hold;
const asked = priced("m", 1n);
const worstCase = worstCaseOf(asked.model);

const offered = (hold: Hold, others: readonly PricedModel[], own = worstCase) =>
  candidatesOf(asked, own, hold, substitutesOf(resolved, others)).map(
    ({ resolved: { model }, outputTokensMax }) => [model.model.id, outputTokensMax],
  );

test("each of the others is reckoned by its own cap and at its own price, in the order given", () => {
  const found = substitutesOf(resolved, [priced("b", 3n, undefined, 50), priced("a", 2n)]);
  assert.deepEqual(
    found.map(({ resolved: { model }, basis }) => [model.model.id, basis.outputTokens, basis.price.output]),
    [
      ["b", 50, 3_000_000n],
      ["a", 1_000, 2_000_000n],
    ],
  );
  assert.equal(found[0]?.basis.caller, resolved.call.caller);
});

test("where all the money is there, everybody may answer at full length, the model asked for first", () => {
  assert.deepEqual(offered(holdOf(undefined), [priced("a", 2n), priced("b", 30n)]), [
    ["m", undefined],
    ["a", undefined],
    ["b", undefined],
  ]);
});

test("a dearer one gets the output that its own price leaves, and none that is of no use is offered", () => {
  // 2,100 pays for all of m (100 + 2 × 1,000), for 2 × 500 at price 2, but not for 2 × 256 at price 4.
  assert.deepEqual(offered(holdOf(2_100n), [priced("a", 2n), priced("b", 4n), priced("c", 1n)]), [
    ["m", undefined],
    ["a", 500],
    ["c", undefined],
  ]);
});

test("the model asked for is always offered, with what its own money pays for", () => {
  assert.deepEqual(offered(holdOf(900n, 400), [priced("b", 9n)]), [["m", 400]]);
});

test("what an upstream has to be told is told where the money sets no lower bound", () => {
  const limited = { ...worstCase, outputLimit: 1_000 };
  assert.deepEqual(offered(holdOf(undefined), [priced("limited", 1n)], limited), [
    ["m", 1_000],
    ["limited", 1_000],
  ]);
  assert.deepEqual(offered(holdOf(2_100n, 700), [priced("limited", 2n)], limited), [
    ["m", 700],
    ["limited", 500],
  ]);
});

test("a substitute's own limits are taken by what the request sends; the model's asked for are taken already", () => {
  const limits = { requestsPerMinute: 5 };
  const others = substitutesOf(resolved, [priced("a", 1n, limits, 77), priced("b", 1n)]);
  const [own, first, second] = candidatesOf(asked, worstCase, holdOf(undefined), others);
  assert.equal(own.limitUse, undefined);
  assert.equal(second?.limitUse, undefined);
  const { model, ...use } = first?.limitUse ?? {};
  assert.equal((model as { id: string } | undefined)?.id, "a");
  assert.deepEqual(use, { inputTokens: 90, outputTokens: undefined, answers: 2, maxOutput: 77 });
  const bounded = candidatesOf(asked, { ...worstCase, isAsked: true }, holdOf(undefined), others)[1];
  assert.equal(bounded?.limitUse?.outputTokens, 1_000);
});
