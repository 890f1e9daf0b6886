import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { LiveDeployment, LiveModel, Snapshot } from "../snapshot.ts";
import type { Caller } from "./authenticate.ts";
import { fallbacksOf, resolve, resolveFirst, resolveOthers } from "./resolve.ts";

const price: Price = { input: parseUsd("1"), output: parseUsd("2") };
const deployment = {} as LiveDeployment;

/** A model with a price and a deployment, or without the one named by `lacks`. */
function live(id: string, more: Partial<Model> = {}, lacks?: "price" | "deployment"): [string, LiveModel] {
  const priceRows = lacks === "price" ? [] : [{ id: 1, validFrom: 0, price }];
  const model = { id, name: id, deployments: [], priceRows, ...more };
  return [id, { model, deployments: lacks === "deployment" ? [] : [deployment] }];
}

const snapshot = {
  models: new Map([
    live("a", { fallbacks: ["b", "c", "dead", "bare"] }),
    live("b"),
    live("c"),
    live("d", { fallbacks: ["a"] }),
    live("dead", { fallbacks: ["bare", "c"] }, "price"),
    live("bare", {}, "deployment"),
    live("vectors", { operations: ["embeddings"], fallbacks: ["other-vectors"] }),
    live("other-vectors", { operations: ["embeddings"] }),
    live("both", { operations: ["chat", "completion"], fallbacks: ["instruct", "vectors", "b"] }),
    live("instruct", { operations: ["completion"] }),
    live("voice", { operations: ["speech", "transcription"] }),
    live("unpriced-vectors", { operations: ["embeddings"] }, "price"),
    live("e", { fallbacks: ["off", "b"] }),
  ]),
  disabled: new Map([
    ["off", ["dead", "vectors", "b", "c"]],
    ["out", []],
    ["no-vectors", ["vectors"]],
  ]),
} as unknown as Snapshot;

const caller = (...models: string[]): Caller =>
  ({ models: models.length === 0 ? undefined : new Set(models) }) as Caller;

/** Ids of the models that a call of `id` tries, in order. */
function tried(
  id: string,
  listed?: readonly string[],
  who = caller(),
  operation: Operation = "chat",
): string[] {
  const named = { model: id, otherModels: listed };
  const { id: first } = resolveFirst(snapshot, who, named, 1, operation).model.model;
  const further = { first, listed, fallbacks: fallbacksOf(snapshot, id) };
  const others = resolveOthers(snapshot, who, further, 1, operation);
  return [first, ...others.map(({ model }) => model.model.id)];
}

/** Ids of the models that may replace `id`. */
const others = (...[id, ...more]: Parameters<typeof tried>): string[] => {
  const [first, ...rest] = tried(id, ...more);
  assert.equal(first, id);
  return rest;
};

function refused(work: () => unknown): [string, string | undefined] {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  assert.fail("nothing was refused");
}

test("the caller's list comes first, then the catalog's fallbacks, none twice, and what cannot be served is left out", () => {
  assert.deepEqual(others("b"), []);
  assert.deepEqual(others("a"), ["b", "c"]);
  assert.deepEqual(others("a", ["d", "c", "a"]), ["d", "c", "b"]);
  assert.deepEqual(others("b", ["dead", "d"]), ["d"]);
});

test("a disabled model is refused like one without a price, and skipped where another may serve", () => {
  for (const [id, reason] of Object.entries({ off: "modelDisabled", dead: "modelNotPriced" })) {
    assert.throws(() => resolve(snapshot, caller(), id, 1, "chat"), {
      code: "no_available_upstream",
      detail: { message: { id: `call.${reason}`, params: { model: id } }, shouldRetry: false },
    });
  }
  assert.deepEqual(
    refused(() => resolve(snapshot, caller("a"), "off", 1, "chat")),
    ["model_not_allowed", "model"],
  );
  assert.deepEqual(others("b", ["off", "d"]), ["d"]);
  assert.deepEqual(others("e"), ["b"]);
});

test("a call of a model that cannot be called goes to the next: of the caller's list, then of its fallbacks", () => {
  assert.deepEqual(tried("off"), ["b", "c"]);
  assert.deepEqual(tried("off", ["dead", "out", "d", "off"]), ["d", "b", "c"]);
  assert.deepEqual(tried("out", ["off", "a"]), ["a"], "fallbacks of others are not followed");
  assert.deepEqual(tried("dead"), ["c"], "one without a price, too");
  assert.deepEqual(tried("bare", ["b"]), ["b"], "and one without a deployment");
  assert.deepEqual(tried("off", undefined, caller("off", "c")), ["c"]);
});

test("where no other model can be called, the error is that of the one asked for", () => {
  const error = (id: string) => ({
    code: "no_available_upstream",
    detail: { message: { id: "call.modelDisabled", params: { model: id } }, shouldRetry: false },
  });
  assert.throws(() => tried("out"), error("out"));
  assert.throws(() => tried("out", ["off", "dead"]), error("out"));
  assert.throws(() => tried("off", undefined, caller("off", "dead")), error("off"));
  assert.throws(() => tried("no-vectors", ["vectors"], caller(), "embeddings"), error("no-vectors"));
});

test("a list is checked whole where its first cannot be called, and a key learns nothing of others' models", () => {
  for (const [listed, who, code] of [
    [["b", "nobody"], caller(), "model_not_found"],
    [["b", "vectors"], caller(), "wrong_endpoint"],
    [["b", "d"], caller("off", "b"), "model_not_allowed"],
  ] as const)
    assert.deepEqual(
      refused(() => tried("off", listed, who)),
      [code, "models"],
    );
  assert.deepEqual(
    refused(() => tried("off", ["b"], caller("b"))),
    ["model_not_allowed", "model"],
  );
});

test("a model is resolved with the deployments that serve the operation, and refused where none does", () => {
  const [, whole] = live("mixed", { operations: ["chat", "completion"] });
  const chat = { ...whole, deployments: [deployment] };
  const byOperation = { chat, completion: { ...whole, deployments: [] } };
  const mixed = { models: new Map([["mixed", { ...whole, byOperation }]]) } as unknown as Snapshot;
  assert.equal(resolve(mixed, caller(), "mixed", 1, "chat").model, chat);
  assert.throws(() => resolve(mixed, caller(), "mixed", 1, "completion"), {
    code: "no_available_upstream",
    message: /No upstream of the model 'mixed' serves completion/,
  });
});

test("fallbacks of a fallback are not followed", () => {
  assert.deepEqual(others("b", ["a"]), ["a"]);
  assert.deepEqual(others("d"), ["a"]);
});

test("a key's list of models holds for all of them: its own are refused, the catalog's passed over", () => {
  assert.deepEqual(others("a", undefined, caller("a", "c")), ["c"]);
  assert.deepEqual(
    refused(() => others("a", ["d"], caller("a", "c"))),
    ["model_not_allowed", "models"],
  );
  assert.deepEqual(
    refused(() => others("a", ["nobody"])),
    ["model_not_found", "models"],
  );
  assert.deepEqual(
    refused(() => resolve(snapshot, caller(), "nobody", 1, "chat")),
    ["model_not_found", "model"],
  );
});

/** The error message for an operation the model does not support. */
function told(id: string, operation: Operation): string {
  try {
    resolve(snapshot, caller(), id, 1, operation);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.deepEqual([error.code, error.detail.param], ["wrong_endpoint", "model"]);
    return error.message;
  }
  assert.fail(`${id} was not refused`);
}

test("a model asked for what it is not for is refused with the path that serves it, or with word that none does", () => {
  for (const operation of ["embeddings", "completion", "speech"] as const)
    assert.equal(told("a", operation), "The model 'a' is for chat. Use POST /v1/chat/completions.");
  assert.equal(
    told("both", "embeddings"),
    "The model 'both' is for chat and text completion. Use POST /v1/chat/completions.",
  );
  assert.equal(
    told("voice", "chat"),
    "The model 'voice' is for text to speech and speech to text, which this version of Plaza does not support yet.",
  );
  // A reason the caller can act on comes before one only the operator can.
  assert.match(told("unpriced-vectors", "chat"), /is for embeddings/);
  for (const operation of ["chat", "completion"] as const)
    assert.equal(resolve(snapshot, caller(), "both", 1, operation).model.model.id, "both");
});

test("a key learns nothing of models it may not use from what they are for", () => {
  assert.deepEqual(
    refused(() => resolve(snapshot, caller("a"), "vectors", 1, "chat")),
    ["model_not_allowed", "model"],
  );
});

test("nothing takes the place of a model for another operation, and nothing at all that of embeddings", () => {
  assert.deepEqual(others("both"), ["b"]);
  assert.deepEqual(others("both", undefined, caller(), "completion"), ["instruct"]);
  assert.deepEqual(others("vectors", undefined, caller(), "embeddings"), []);
  assert.deepEqual(others("vectors", ["other-vectors"], caller(), "embeddings"), []);
  assert.deepEqual(
    refused(() => others("a", ["vectors"])),
    ["wrong_endpoint", "models"],
  );
});
