/**
 * One ephemeral key serves many calls, is renewed before its end and when it was
 * refused, and is asked for once at a time.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEphemeralKeys } from "./ephemeral-keys.ts";

function rig() {
  const state = { nowMs: 0, made: 0 };
  const ephemeralKeys = createEphemeralKeys(
    async (keyId) => {
      state.made += 1;
      return { secret: `${keyId}-${state.made}`, expiresAt: new Date(state.nowMs + 300_000).toISOString() };
    },
    () => state.nowMs,
  );
  return { state, ephemeralKeys };
}

test("kept while it lasts, renewed before its end", async () => {
  const { state, ephemeralKeys } = rig();
  assert.equal(await ephemeralKeys.get("a"), "a-1");
  state.nowMs = 260_000;
  assert.equal(await ephemeralKeys.get("a"), "a-1");
  state.nowMs = 271_000;
  assert.equal(await ephemeralKeys.get("a"), "a-2");
  assert.equal(await ephemeralKeys.get("b"), "b-3");
});

test("calls at once share one", async () => {
  const { state, ephemeralKeys } = rig();
  assert.deepEqual(await Promise.all([ephemeralKeys.get("a"), ephemeralKeys.get("a")]), ["a-1", "a-1"]);
  assert.equal(state.made, 1);
});

test("a refused one is replaced, a later one is not thrown away for it", async () => {
  const { ephemeralKeys } = rig();
  const first = await ephemeralKeys.get("a");
  ephemeralKeys.drop("a", first);
  const second = await ephemeralKeys.get("a");
  assert.notEqual(second, first);
  ephemeralKeys.drop("a", first);
  assert.equal(await ephemeralKeys.get("a"), second);
});

test("a failure is not kept", async () => {
  let isUp = false;
  const ephemeralKeys = createEphemeralKeys(
    async () => {
      if (!isUp) throw new Error("down");
      return { secret: "s", expiresAt: new Date(1_000_000).toISOString() };
    },
    () => 0,
  );
  await assert.rejects(ephemeralKeys.get("a"), /down/);
  isUp = true;
  assert.equal(await ephemeralKeys.get("a"), "s");
});
