/**
 * One pass serves many calls, is renewed before its end and when it was
 * refused, and is asked for once at a time.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasses } from "./passes.ts";

function rig() {
  const state = { nowMs: 0, made: 0 };
  const passes = createPasses(
    async (keyId) => {
      state.made += 1;
      return { secret: `${keyId}-${state.made}`, expiresAt: new Date(state.nowMs + 300_000).toISOString() };
    },
    () => state.nowMs,
  );
  return { state, passes };
}

test("kept while it lasts, renewed before its end", async () => {
  const { state, passes } = rig();
  assert.equal(await passes.get("a"), "a-1");
  state.nowMs = 260_000;
  assert.equal(await passes.get("a"), "a-1");
  state.nowMs = 271_000;
  assert.equal(await passes.get("a"), "a-2");
  assert.equal(await passes.get("b"), "b-3");
});

test("calls at once share one", async () => {
  const { state, passes } = rig();
  assert.deepEqual(await Promise.all([passes.get("a"), passes.get("a")]), ["a-1", "a-1"]);
  assert.equal(state.made, 1);
});

test("a refused one is replaced, a later one is not thrown away for it", async () => {
  const { passes } = rig();
  const first = await passes.get("a");
  passes.drop("a", first);
  const second = await passes.get("a");
  assert.notEqual(second, first);
  passes.drop("a", first);
  assert.equal(await passes.get("a"), second);
});

test("a failure is not kept", async () => {
  let isUp = false;
  const passes = createPasses(
    async () => {
      if (!isUp) throw new Error("down");
      return { secret: "s", expiresAt: new Date(1_000_000).toISOString() };
    },
    () => 0,
  );
  await assert.rejects(passes.get("a"), /down/);
  isUp = true;
  assert.equal(await passes.get("a"), "s");
});
