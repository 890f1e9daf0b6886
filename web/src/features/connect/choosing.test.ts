/** What is chosen at first, what is sent, and which typed prices count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  atListPrice,
  byOperation,
  chosenModels,
  firstChoice,
  isServed,
  matching,
  type Proposal,
  priceState,
  toggled,
  withPrice,
  withPriceForAll,
} from "./choosing.ts";

const proposal = (over: Partial<Proposal>): Proposal => ({
  upstreamModel: "there-a",
  id: "a",
  name: "A",
  action: "add",
  reason: null,
  reasonMessage: null,
  operations: ["chat"],
  family: null,
  context: 1000,
  maxOutput: null,
  modalities: null,
  capabilities: null,
  isDeprecated: false,
  price: { input: "1", output: "2", cachedInput: "0.1" },
  priceSource: null,
  listPrice: null,
  laterPrices: [],
  isOtherSpelling: false,
  isPriced: true,
  ...over,
});

const models = [
  proposal({}),
  proposal({ upstreamModel: "old", id: "old", isDeprecated: true }),
  proposal({ upstreamModel: "bare", id: "bare", price: null, isPriced: false }),
  proposal({ upstreamModel: "again", id: "again", action: "present" }),
  proposal({ upstreamModel: "picture", id: "picture", action: "leave" }),
];

test("what can be called at once is chosen at first", () => {
  assert.deepEqual([...firstChoice(models).names], ["there-a"]);
});

test("a price that was proposed is sent whole, a typed one as typed, and what cannot be taken is never sent", () => {
  let choosing = toggled(firstChoice(models), "picture", true);
  choosing = withPrice(choosing, "bare", { input: " 0 ", output: "0.5" });
  const sent = chosenModels(models, choosing);
  assert.deepEqual(
    sent.map((one) => [one.upstreamModel, one.id, one.price]),
    [
      ["there-a", "a", { input: "1", output: "2", cachedInput: "0.1" }],
      ["bare", "bare", { input: "0", output: "0.5" }],
    ],
  );
});

test("announced prices go with a proposed price, and not with a typed one", () => {
  const laterPrices = [{ validFrom: "2027-01-01", input: "2", output: "4" }];
  const dated = [proposal({ laterPrices }), proposal({ upstreamModel: "b", id: "b", laterPrices })];
  const choosing = withPrice(firstChoice(dated), "b", { input: "9", output: "9" });
  assert.deepEqual(
    chosenModels(dated, choosing).map((one) => one.scheduledPrices),
    [laterPrices, []],
  );
});

test("a price by half or no amount is none", () => {
  assert.equal(priceState(undefined), "none");
  assert.equal(priceState({ input: " ", output: "" }), "none");
  assert.equal(priceState({ input: "1", output: "" }), "partial");
  assert.equal(priceState({ input: "1", output: "-2" }), "bad");
  assert.equal(priceState({ input: "1e3", output: "2" }), "bad");
  const choosing = withPrice(firstChoice(models), "bare", { input: "1", output: "" });
  assert.equal(isServed(proposal({ upstreamModel: "bare", isPriced: false }), choosing), false);
  assert.equal(chosenModels(models, choosing)[1]?.price, null);
});

test("one price for all goes to new models without one, and to no other", () => {
  const choosing = withPriceForAll(firstChoice(models), models, { input: "0", output: "0" });
  assert.deepEqual(Object.keys(choosing.prices), ["bare"]);
  assert.deepEqual([...choosing.names].sort(), ["bare", "there-a"]);
});

test("search looks at every name", () => {
  assert.deepEqual(
    matching(models, "THERE").map((one) => one.id),
    ["a"],
  );
  assert.equal(matching(models, " ").length, models.length);
});

test("a maker's price is taken only when asked, and a typed one wins", () => {
  const listPrice = {
    price: { input: "1.25", output: "10", cachedInput: "0.125" },
    source: { name: "a@1", date: "2026-11-10", isOld: false },
  };
  const unknown = proposal({ upstreamModel: "gpt", id: "gpt", price: null, isPriced: false, listPrice });
  const first = firstChoice([unknown]);
  assert.deepEqual([...first.names], []);
  assert.equal(isServed(unknown, first), false);
  const taken = atListPrice(first, [unknown, proposal({})]);
  assert.deepEqual([...taken.names], ["gpt"]);
  assert.equal(isServed(unknown, taken), true);
  assert.deepEqual(chosenModels([unknown], taken)[0]?.price, listPrice.price);
  const typed = withPrice(taken, "gpt", { input: "2", output: "3" });
  assert.deepEqual(chosenModels([unknown], typed)[0]?.price, { input: "2", output: "3" });
  // Chosen without taking it, the model has no price.
  assert.equal(chosenModels([unknown], toggled(first, "gpt", true))[0]?.price, null);
});

test("models are in the order of what they are for, then in that of the upstream", () => {
  const embed = proposal({ upstreamModel: "embed", operations: ["embeddings"] });
  const chat = proposal({ upstreamModel: "chat", operations: ["completion", "chat"] });
  const other = proposal({ upstreamModel: "other", operations: [] });
  const names = byOperation([other, embed, chat, proposal({})]).map((one) => one.upstreamModel);
  assert.deepEqual(names, ["chat", "there-a", "embed", "other"]);
});
