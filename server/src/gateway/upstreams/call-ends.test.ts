/** A choice says when its answer began, in the pace of its kind of answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPace, paceSent } from "../../domain/routing/pace.ts";
import { Call, paceOf } from "./call-ends.ts";
import type { CredentialSlot, DeploymentSlot } from "./slots.ts";
import { deploymentOn, liveUpstream } from "./testing/test-upstream-health.ts";

const slotOf = () => ({ streamPace: createPace(), wholePace: createPace() }) as DeploymentSlot;
const held = { index: 1, secret: "s" } as CredentialSlot;
const live = deploymentOn(liveUpstream("a"));

test("streams and whole answers have a pace each", () => {
  const slot = slotOf();
  assert.equal(paceOf(slot, true), slot.streamPace);
  assert.equal(paceOf(slot, false), slot.wholePace);
  assert.equal(new Call(live, slot, held, true).pace, slot.streamPace);
});

test("a choice has the credential it was made with", () => {
  const { credential, credentialIndex } = new Call(live, slotOf(), held, true);
  assert.deepEqual([credential, credentialIndex], ["s", 1]);
});

test("an answer that begins no longer waits, and its time counts from when its call began", () => {
  const slot = slotOf();
  const call = new Call(live, slot, held, true);
  paceSent(slot.streamPace, 10);
  paceSent(slot.streamPace, 40);
  call.beganMs = 10;
  assert.equal(call.hasAnswered, false);
  call.answered(35);
  assert.equal(call.hasAnswered, true);
  const { waiting, sentSumMs, times } = slot.streamPace;
  assert.deepEqual([waiting, sentSumMs, times.count, times.averageMs], [1, 40, 1, 25]);
  assert.equal(slot.wholePace.times.count, 0);
});
