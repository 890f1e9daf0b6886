import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@plaza/contract/catalog.ts";
import { capabilitiesOf, modelObject } from "./model-facts.ts";

const model = (facts: Partial<Model>): Model => ({ id: "m", name: "M", deployments: [], ...facts });
const shown = (facts: Partial<Model>) => modelObject(model(facts), () => null, 0, undefined);
const images = { input: ["text", "image"], output: ["text"] };

test("who made it, what it can do and until when are shown; unknown is null", () => {
  const nothing = shown({});
  assert.deepEqual([nothing.family, nothing.capabilities, nothing.deprecated], [null, null, null]);
  const known = shown({ family: "Qwen", capabilities: ["tools"], deprecatedAt: Date.UTC(2027, 0, 31) });
  assert.deepEqual(
    [known.family, known.capabilities, known.deprecated],
    ["Qwen", ["tools"], "2027-01-31T00:00:00.000Z"],
  );
  assert.deepEqual(shown({ capabilities: [] }).capabilities, []);
  assert.equal(shown({ createdAt: 1_790_000_000_999 }).created, 1_790_000_000);
});

test("a model that takes images sees, where anything at all is said of it", () => {
  assert.deepEqual(capabilitiesOf(model({ capabilities: ["tools"], modalities: images })), [
    "tools",
    "vision",
  ]);
  assert.deepEqual(capabilitiesOf(model({ capabilities: ["vision"], modalities: images })), ["vision"]);
  assert.equal(capabilitiesOf(model({ modalities: images })), undefined);
});
