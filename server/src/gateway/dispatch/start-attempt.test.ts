import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Model } from "@plaza/contract/catalog.ts";
import { firstByteMsOf } from "./start-attempt.ts";

const model = (capabilities?: Model["capabilities"]): Model => ({
  id: "m",
  name: "m",
  deployments: [],
  ...(capabilities === undefined ? {} : { capabilities }),
});

test("a whole answer may take as long to begin as its timer says, else as its model needs", () => {
  assert.equal(firstByteMsOf({ ...defaultTimeouts, firstByteMs: 7 }, model(["reasoning"]), true), 7);
  assert.equal(firstByteMsOf(defaultTimeouts, model(), true), 240_000);
  assert.equal(firstByteMsOf(defaultTimeouts, model(["tools"]), false), 240_000);
  assert.equal(firstByteMsOf(defaultTimeouts, model(["reasoning"]), true), 600_000);
});

test("where nobody set it, a third of the whole time is left to another deployment", () => {
  const timeouts = { ...defaultTimeouts, totalMs: 30_000 };
  assert.equal(firstByteMsOf(timeouts, model(), true), 20_000);
  assert.equal(firstByteMsOf(timeouts, model(), false), 240_000);
  assert.equal(firstByteMsOf({ ...timeouts, firstByteMs: 29_000 }, model(), true), 29_000);
});
