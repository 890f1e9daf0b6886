/**
 * State kept across snapshots: an upstream's health while its address is the same, a credential's while it is
 * listed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { activeCredential } from "../../domain/routing/credential-health.ts";
import { createSlots, restOf, restSlotOf, standingWith } from "./slots.ts";
import { liveUpstream } from "./testing/test-upstream-health.ts";

const out = { ...activeCredential, out: "auth" } as const;

test("the same upstream and model is the same slot, in whatever snapshot", () => {
  const slots = createSlots();
  const slot = slots.of(liveUpstream("a"), "m");
  assert.equal(slots.of(liveUpstream("a", { concurrency: 5 }), "m"), slot);
  assert.notEqual(slots.of(liveUpstream("a"), "other"), slot);
  assert.equal(slots.of(liveUpstream("a"), "other").upstream, slot.upstream);
  assert.equal(slots.list().length, 1);
});

test("another address, or another provider, is another upstream under the same id", () => {
  const slots = createSlots();
  const slot = slots.of(liveUpstream("a"), "m");
  for (const changes of [{ baseUrl: "http://127.0.0.1:8/v1" }, { provider: "other" }]) {
    assert.notEqual(slots.of(liveUpstream("a", changes), "m"), slot);
  }
});

test("a credential that stays keeps its health and gets its new place; new ones are well; those that go are gone", () => {
  const slots = createSlots();
  const { upstream } = slots.of(liveUpstream("a", { credentials: ["one", "two"] }), "m");
  const [one, two] = upstream.credentials;
  assert.ok(one && two);
  two.health = out;
  slots.of(liveUpstream("a", { credentials: ["two", "three"] }), "m");
  assert.deepEqual(
    upstream.credentials.map(({ secret, index, health }) => [secret, index, health.out]),
    [
      ["two", 0, "auth"],
      ["three", 1, undefined],
    ],
  );
  assert.equal(upstream.credentials[0], two);
});

test("the limits of the newest snapshot hold", () => {
  const slots = createSlots();
  const slot = slots.of(liveUpstream("a", { concurrency: 1 }), "m");
  slots.of(liveUpstream("a", { concurrency: 9 }), "m");
  assert.equal(slot.upstream.live.upstream.concurrency, 9);
});

test("an upstream without credentials has one that is no secret", () => {
  const { upstream } = createSlots().of(liveUpstream("a", { credentials: [] }), "m");
  assert.deepEqual(
    upstream.credentials.map(({ secret, index }) => [secret, index]),
    [["", -1]],
  );
});

test("what is not wanted any more is forgotten, once its last call has ended", () => {
  const slots = createSlots();
  const kept = slots.of(liveUpstream("a"), "m");
  const busy = slots.of(liveUpstream("a"), "busy");
  slots.of(liveUpstream("b"), "m");
  busy.inFlight = 1;
  slots.keepOnly(new Set([kept]));
  assert.deepEqual(
    slots.list().map(({ live, deployments }) => [live.upstream.id, [...deployments.keys()]]),
    [["a", ["m", "busy"]]],
  );
  busy.inFlight = 0;
  slots.keepOnly(new Set());
  assert.deepEqual(slots.list(), []);
});

test("pauses of a credential that is gone are forgotten with it", () => {
  const slots = createSlots();
  const slot = slots.of(liveUpstream("a", { credentials: ["one", "two"] }), "m");
  for (const credential of slot.upstream.credentials) restSlotOf(slot, credential);
  slots.of(liveUpstream("a", { credentials: ["two"] }), "m");
  slots.keepOnly(new Set([slot]));
  assert.deepEqual(
    [...slot.rests.keys()].map(({ secret }) => secret),
    ["two"],
  );
});

test("out comes before resting, and a pause ends by itself", () => {
  const slot = createSlots().of(liveUpstream("a"), "m");
  const [credential] = slot.upstream.credentials;
  assert.ok(credential);
  assert.deepEqual([standingWith(slot, credential, 0), slot.rests.size], ["active", 0]);
  restSlotOf(slot, credential).rest = { sinceMs: 0, untilMs: 10, guesses: 0 };
  assert.equal(restOf(slot, credential).untilMs, 10);
  assert.deepEqual(
    [standingWith(slot, credential, 9), standingWith(slot, credential, 10)],
    ["resting", "active"],
  );
  credential.health = out;
  assert.equal(standingWith(slot, credential, 9), "out");
});
