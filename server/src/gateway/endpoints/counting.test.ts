/** A count of tokens is asked of the deployments that can say it, and costs nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormatId } from "@plaza/contract/formats.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Provider } from "../../providers/provider.ts";
import type { PricedModel } from "../request/resolve.ts";
import type { LiveModel } from "../snapshot.ts";
import { deploymentOn, liveModel, liveUpstream } from "../upstreams/testing/test-upstream-health.ts";
import { countedBy, isCounted, nothingUsed } from "./counting.ts";

const spoken = (format: FormatId, counter?: object): object => ({ format, counter });
const at = (id: string, provider: object) =>
  deploymentOn({ ...liveUpstream(id), provider: provider as unknown as Provider });

const counts = at("counts", { transport: "http", formats: [spoken("openai-chat"), spoken("gemini", {})] });
const silent = at("silent", { transport: "http", formats: [spoken("openai-chat")] });
const local = at("local", { transport: "local", counter: {} });
const mute = at("mute", { transport: "local" });

const asking = { protocol: { writeCount: () => Buffer.alloc(0) } } as unknown as Parameters<
  typeof countedBy
>[0];
const answering = { protocol: {} } as Parameters<typeof countedBy>[0];
const price = { input: nanoUsd(5n), output: nanoUsd(5n) };
const priced = (model: LiveModel): PricedModel => ({ model, price, priceId: 3 });
const modelOf = (...deployments: LiveModel["deployments"]): LiveModel => {
  const live = liveModel("m", deployments);
  return { ...live, model: { ...live.model, fallbacks: ["other"] } };
};

test("an endpoint that answers gets the model as it is", () => {
  const resolved = priced(modelOf(silent));
  assert.equal(countedBy(answering, resolved), resolved);
});

test("a count goes to those that count alone, to no other model, and is free", () => {
  const counted = countedBy(asking, priced(modelOf(silent, counts, mute, local)));
  assert.deepEqual(counted.model.deployments, [counts, local]);
  assert.deepEqual(
    [counted.model.model.id, counted.model.model.fallbacks, counted.price.input, counted.price.output],
    ["m", undefined, 0n, 0n],
  );
  assert.equal(counted.priceId, 3);
  assert.deepEqual([nothingUsed.inputTokens, nothingUsed.outputTokens, nothingUsed.answers], [0, 0, 1]);
});

test("a model is made once, so that what is known of its deployments stays", () => {
  const model = modelOf(counts);
  assert.equal(countedBy(asking, priced(model)).model, countedBy(asking, priced(model)).model);
});

test("a model nobody counts for is not found, by name", () => {
  assert.throws(() => countedBy(asking, priced(modelOf(silent, mute))), {
    code: "not_found",
    message: /m/,
  });
});

test("of a model with several operations only the deployments for chat are asked", () => {
  assert.deepEqual([isCounted(modelOf(counts)), isCounted(modelOf(silent))], [true, false]);
  const split = { ...modelOf(counts, silent), byOperation: { chat: modelOf(silent) } };
  assert.equal(isCounted(split), false);
});
