import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { LiveDeployment, LiveModel, Snapshot } from "../snapshot.ts";
import type { Caller } from "./authenticate.ts";
import { resolve, resolveOthers } from "./resolve.ts";

const price: Price = { input: parseUsd("1"), output: parseUsd("2") };
const deployment = {} as LiveDeployment;

/** A model with a price and a deployment, unless it is to lack one. */
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
    live("dead", {}, "price"),
    live("bare", {}, "deployment"),
  ]),
} as unknown as Snapshot;

const caller = (...models: string[]): Caller =>
  ({ models: models.length === 0 ? undefined : new Set(models) }) as Caller;

/** Ids of what may take the place of `id`. */
function others(id: string, listed?: readonly string[], who = caller()): string[] {
  const asked = { resolved: resolve(snapshot, who, id, 1), listed };
  return resolveOthers(snapshot, who, asked, 1).map(({ model }) => model.model.id);
}

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
    refused(() => resolve(snapshot, caller(), "nobody", 1)),
    ["model_not_found", "model"],
  );
});
