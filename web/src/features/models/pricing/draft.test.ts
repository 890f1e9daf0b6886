/** Changes are counted, sent with what they began with, and never lost or made unseen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import {
  type Drafts,
  documentOf,
  faultyRates,
  isOutdated,
  type PriceDraft,
  rebased,
  shownPriceOf,
  withBulk,
  withoutDrafts,
  withRate,
} from "./draft.ts";

const deployment = {
  upstream: "main",
  model: "m",
  priority: 1,
  weight: 1,
  cost: null,
  timeouts: null,
  formats: null,
};

function model(id: string, more: Partial<ShownModelDocument> = {}): ShownModelDocument {
  return {
    id,
    name: id,
    description: null,
    operations: ["chat"],
    family: null,
    context: 1_000,
    maxOutput: null,
    modalities: null,
    capabilities: null,
    deprecated: null,
    price: { input: "1.00", output: "2.00", cachedInput: "0.10" },
    scheduledPrices: [],
    deployments: [deployment],
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
    fallbacks: [],
    hedge: null,
    disabled: false,
    status: "available",
    createdAt: null,
    source: "console",
    revision: 7,
    ...more,
  };
}

const none: Drafts = new Map();
const only = (drafts: Drafts): PriceDraft => [...drafts.values()][0] as PriceDraft;

test("a changed rate is a change; the same amount written otherwise, or typed back, is none", () => {
  const a = model("a");
  const changed = withRate(none, a, "input", "1.5");
  assert.equal(shownPriceOf(changed, a).input, "1.5");
  assert.equal(withRate(changed, a, "input", "1").size, 0);
  assert.equal(withRate(none, a, "output", "2").size, 0);
});

test("a model without a price has one once both rates are typed; emptied it is as before", () => {
  const a = model("a", { price: null });
  const half = withRate(none, a, "input", "1");
  assert.deepEqual(faultyRates(only(half)), ["output"]);
  assert.deepEqual(faultyRates(only(withRate(half, a, "output", "3"))), []);
  assert.equal(withRate(half, a, "input", "").size, 0);
});

test("bulk changes set, scale and copy; models of the file and unknown costs stay", () => {
  const cost = { input: "0.5", output: "1" };
  const a = model("a", { deployments: [{ ...deployment, cost }] });
  const [b, file, bare] = [model("b"), model("file", { source: "file" }), model("bare", { price: null })];
  const all = [a, b, file, bare];
  const idsOf = (drafts: Drafts) => [...drafts.keys()];
  assert.deepEqual(idsOf(withBulk(none, all, { kind: "cost" })), ["a"]);
  const scaled = withBulk(none, all, { kind: "scale", percent: "150" });
  assert.deepEqual(idsOf(scaled), ["a", "b"]);
  assert.deepEqual(shownPriceOf(scaled, b), { input: "1.5", output: "3", cachedInput: "0.15" });
  const set = withBulk(none, all, { kind: "set", input: "9", output: "" });
  assert.deepEqual(idsOf(set), ["a", "b", "bare"]);
  assert.equal(shownPriceOf(set, a).output, "2.00");
});

test("what is sent is the model as the change found it, with its revision and the new price", () => {
  const sent = documentOf(only(withRate(none, model("a"), "input", " 1.5 ")));
  assert.deepEqual(sent.price, { input: "1.5", output: "2.00", cachedInput: "0.10" });
  assert.equal(sent.revision, 7);
  assert.equal(sent.context, 1_000);
  assert.ok(!("id" in sent));
});

test("another user's change is noticed, and keeping ours keeps theirs elsewhere", () => {
  const drafts = withRate(none, model("a"), "input", "1.5");
  const theirs = model("a", { revision: 8, context: 2_000, price: { input: "4", output: "5" } });
  assert.ok(isOutdated(only(drafts), theirs));
  assert.ok(isOutdated(only(drafts), undefined));
  // Until that is decided the change goes on from where it began.
  assert.equal(only(withRate(drafts, theirs, "output", "6")).base.revision, 7);
  const kept = rebased(drafts, theirs);
  assert.ok(!isOutdated(only(kept), theirs));
  assert.equal(documentOf(only(kept)).context, 2_000);
  assert.deepEqual(documentOf(only(kept)).price, { input: "1.5", output: "5" });
  assert.equal(withoutDrafts(kept, ["a"]).size, 0);
});
