import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@plaza/contract/catalog.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import type { CatalogMatch, CatalogRow } from "../domain/catalog/model-catalog.ts";
import { anyCharacter } from "../lib/testing/any-character.ts";
import type { ListedModel } from "../providers/listing.ts";
import { type ProposeAsk, proposeModels } from "./propose.ts";

const row: CatalogRow = {
  id: "gpt",
  name: "GPT",
  context: 1_000,
  maxOutput: 100,
  modalities: { input: ["text", "smell"], output: ["text"] },
  price: { input: "1", output: "2" },
  source: "a@1",
  date: "2026-01-01",
};
const match = (change: Partial<CatalogRow>, sure: CatalogMatch["sure"] = "exact"): CatalogMatch => ({
  sure,
  by: [],
  row: { ...row, ...change },
});

function model(id: string, ...deployments: readonly (readonly [string, string, number])[]): Model {
  return {
    id,
    name: id,
    price: { input: nanoUsd(1n), output: nanoUsd(1n) },
    deployments: deployments.map(([upstream, name, priority]) => ({
      upstream,
      model: name,
      priority,
      weight: 1,
    })),
  };
}

function propose(names: readonly string[], change: Partial<ProposeAsk> = {}) {
  const listed = names.map((name) => ({ name }));
  return proposeModels({
    listed,
    upstreamId: "up",
    models: [],
    find: () => undefined,
    statedPrice: undefined,
    nowMs: Date.parse("2026-02-01T00:00:00Z"),
    ...change,
  });
}

test("facts and price come from the catalog with their source; what the upstream says of itself goes first", () => {
  const listed = [{ name: "gpt", context: 500 }];
  assert.deepEqual(
    propose([], { listed, find: () => match({ isDeprecated: true }, "alias") }),
    [
      {
        upstreamModel: "gpt",
        id: "gpt",
        name: "gpt",
        action: "add",
        context: 500,
        maxOutput: 100,
        modalities: { input: ["text"], output: ["text"] },
        price: { input: "1", output: "2" },
        priceSource: { source: "a@1", date: "2026-01-01" },
        match: "alias",
        isDeprecated: true,
        isPriced: true,
      },
    ].map((proposal) => ({ ...proposal, name: "GPT" })),
  );
});

test("who made it and what it can do are told where a source says so", () => {
  const facts = (change: Partial<CatalogRow>) => {
    const [proposal] = propose(["gpt"], { find: () => match(change) });
    return [proposal?.family, proposal?.capabilities];
  };
  const some = { tools: true, reasoning: false, vision: true };
  assert.deepEqual(facts({ family: "gpt-oss", capabilities: some }), ["OpenAI", ["tools", "vision"]]);
  assert.deepEqual(facts({ family: "nobody's", capabilities: { tools: false } }), [undefined, undefined]);
  assert.deepEqual(facts({ family: "constructor" }), [undefined, undefined]);
});

test("a price that another source filled in is that source's", () => {
  const filled = [
    { source: "b@2", date: "2026-02-02", facts: ["context"] },
    { source: "c@3", date: "2026-03-03", facts: ["price"] },
  ];
  const [proposal] = propose(["gpt"], { find: () => match({ filled }) });
  assert.deepEqual(proposal?.priceSource, { source: "c@3", date: "2026-03-03" });
});

test("an old price says so from the sixty-first day on, and later prices come along until their day", () => {
  const laterPrices = [{ validFrom: "2026-04-01", input: "3", output: "6" }];
  const on = (text: string) => {
    const [one] = propose(["gpt"], { find: () => match({ laterPrices }), nowMs: Date.parse(text) });
    return [one?.price?.input, one?.priceSource?.isOld, one?.laterPrices];
  };
  assert.deepEqual(on("2026-03-02T23:00:00Z"), ["1", undefined, laterPrices]);
  assert.deepEqual(on("2026-03-03T00:00:00Z"), ["1", true, laterPrices]);
  assert.deepEqual(on("2026-04-01T00:00:00Z"), ["3", true, undefined]);
});

test("what nobody knows stays unknown; a stated price fills only that in, and says whose it is", () => {
  assert.deepEqual(propose(["x"]), [
    { upstreamModel: "x", id: "x", name: "x", action: "add", isPriced: false },
  ]);
  const statedPrice = { input: "5", output: "6" };
  const find = (name: string) => (name === "known" ? match({}) : undefined);
  const [known, unknown] = propose(["known", "unknown"], { statedPrice, find });
  assert.equal(known?.price?.input, "1");
  assert.deepEqual(unknown?.price, statedPrice);
  assert.deepEqual(unknown?.priceSource, { source: "--price" });
});

test("a model the file has gets a deployment after those it has; what is there already is left alone", () => {
  const models = [model("gpt", ["other", "x", 1], ["other", "y", 3]), model("named", ["up", "its-name", 1])];
  const [joined, present] = propose(["gpt", "its-name"], { models });
  assert.deepEqual([joined?.action, joined?.priority, joined?.isPriced], ["deploy", 4, true]);
  assert.deepEqual([present?.action, present?.id], ["present", "named"]);
});

test("what a model is for is proposed: as the upstream says, else as the catalog does", () => {
  const kinds: Record<string, string> = { "known-embed": "embedding", "old-instruct": "completion" };
  const find = (name: string) => (kinds[name] === undefined ? undefined : match({ kind: kinds[name] }));
  const listed: ListedModel[] = [
    { name: "plain" },
    { name: "embed", operations: ["embeddings"] },
    { name: "known-embed" },
    { name: "old-instruct" },
  ];
  assert.deepEqual(
    propose([], { listed, find, isServed: () => true }).map(({ id, action, operations }) => [
      id,
      action,
      operations,
    ]),
    [
      ["plain", "add", undefined],
      ["embed", "add", ["embeddings"]],
      ["known-embed", "add", ["embeddings"]],
      ["old-instruct", "add", ["completion"]],
    ],
  );
  assert.deepEqual(
    propose([], { listed, find, isServed: (operation) => operation === "chat" }).map(({ action, reason }) => [
      action,
      reason && textOf(reason),
    ]),
    [
      ["add", undefined],
      ["leave", "this version of Plaza does not support embeddings yet"],
      ["leave", "this version of Plaza does not support embeddings yet"],
      ["leave", "this version of Plaza does not support text completion yet"],
    ],
  );
});

test("no deployment joins a model that is for something else", () => {
  const listed: ListedModel[] = [
    { name: "a", operations: ["embeddings"] },
    { name: "b", operations: ["embeddings"] },
  ];
  const models = [
    model("a", ["other", "x", 1]),
    { ...model("b", ["other", "y", 1]), operations: ["embeddings"] as const },
  ];
  const [chat, vectors] = propose([], { listed, models, isServed: () => true });
  assert.deepEqual(
    [chat?.action, chat?.reason && textOf(chat.reason)],
    ["leave", "the model with this ID is for chat"],
  );
  assert.deepEqual([vectors?.action, vectors?.reason], ["deploy", undefined]);
});

test("models for nothing Plaza knows and names that fit no line are left out, with the reason", () => {
  const listed = [
    { name: "other", isOther: true },
    { name: "known-video" },
    { name: "a\nb" },
    { name: "x".repeat(257) },
  ];
  const find = (name: string) => (name === "known-video" ? match({ kind: "video" }) : undefined);
  const proposals = propose([], { listed, find });
  assert.ok(proposals.every(({ action }) => action === "leave"));
  assert.deepEqual(
    proposals.map(({ reason }) =>
      (reason === undefined ? undefined : textOf(reason))?.split(" ").slice(0, 2).join(" "),
    ),
    ["not a", "not a", "its name", "its name"],
  );
});

test("names people see hold nothing invisible", () => {
  const [proposal] = propose(["\u202eevil"]);
  assert.deepEqual([proposal?.id, proposal?.name], ["evil", "evil"]);
});

test("every list gives legal ids, each once, none of the file's, and names that are ids keep them", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: anyCharacter, minLength: 1 }),
    fc.constantFrom("a b", "a-b", "a  b", "模型", "型", "!", "-x", "x".repeat(200), "taken", "Taken!"),
  );
  const form = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), (names) => {
      const proposals = propose(names, { models: [model("taken", ["other", "taken", 1])] });
      const added = proposals.filter(({ action }) => action === "add");
      for (const { id, upstreamModel } of added) {
        assert.match(id, form);
        assert.notEqual(id, "taken");
        if (form.test(upstreamModel)) assert.equal(id, upstreamModel);
      }
      assert.equal(new Set(added.map(({ id }) => id)).size, added.length);
      assert.equal(proposals.length, new Set(names).size);
    }),
  );
});

test("a model without a price is offered what its maker charges, and never costs it unasked", () => {
  const findAtMaker = (name: string) => (name === "gpt" ? match({}) : undefined);
  const [known, unknown] = propose(["gpt", "own"], { findAtMaker });
  assert.deepEqual(known?.listPrice, {
    price: { input: "1", output: "2" },
    source: { source: "a@1", date: "2026-01-01" },
  });
  assert.deepEqual([known?.price, known?.isPriced], [undefined, false]);
  assert.equal(unknown?.listPrice, undefined);
  // A price at the upstream, or one the operator states, needs no offer.
  const priced = propose(["gpt"], { findAtMaker, find: () => match({}) });
  const stated = propose(["gpt"], { findAtMaker, statedPrice: { input: "3", output: "4" } });
  assert.deepEqual([priced[0]?.listPrice, stated[0]?.listPrice], [undefined, undefined]);
});

test("a row of a maker without a price offers nothing", () => {
  const { price: _, ...unpriced } = row;
  const findAtMaker = () => ({ sure: "exact" as const, by: [], row: unpriced });
  assert.equal(propose(["gpt"], { findAtMaker })[0]?.listPrice, undefined);
});
