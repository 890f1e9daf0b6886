import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  activeCredential,
  credentialBegan,
  credentialProbed,
  credentialRefused,
  credentialStanding,
  credentialSucceeded,
  isCredentialProbeDue,
  isResting,
  noRest,
  readPause,
  restMsMax,
  restSucceeded,
  restThrottled,
} from "./credential-health.ts";

const throttled = (rest: typeof noRest, nowMs: number, statedMs?: number) =>
  restThrottled(rest, { statedMs, beganMs: nowMs, nowMs });

test("a throttled one rests for exactly as long as it was told", () => {
  const rest = throttled(noRest, 1_000, 1_234);
  assert.ok(isResting(rest, 2_233));
  assert.ok(!isResting(rest, 2_234));
});

test("the longer pause wins, whatever comes in which order", () => {
  const said = fc.array(
    fc.record({ atMs: fc.integer({ min: 0, max: 1_000 }), statedMs: fc.integer({ min: 1, max: 90_000 }) }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(said, (events) => {
      const sorted = [...events].sort((a, b) => a.atMs - b.atMs);
      const rest = sorted.reduce((at, event) => throttled(at, event.atMs, event.statedMs), noRest);
      assert.equal(rest.untilMs, Math.max(...events.map(({ atMs, statedMs }) => atMs + statedMs)));
      assert.ok(throttled(rest, 1_000).untilMs >= rest.untilMs, "one without a length never shortens it");
    }),
  );
});

test("absurd pauses are bounded: an hour at most, and none that lies in the past", () => {
  assert.deepEqual(readPause(undefined), { pauseMs: undefined, isOdd: false });
  assert.deepEqual(readPause(1_000), { pauseMs: 1_000, isOdd: false });
  assert.deepEqual(readPause(31_536_000_000), { pauseMs: restMsMax, isOdd: true });
  assert.deepEqual(readPause(Number.POSITIVE_INFINITY), { pauseMs: restMsMax, isOdd: true });
  for (const odd of [0, -1, Number.NaN]) {
    assert.deepEqual(readPause(odd), { pauseMs: undefined, isOdd: true });
    assert.equal(throttled(noRest, 0, odd).untilMs, 1_000);
  }
  assert.equal(throttled(noRest, 0, 1e15).untilMs, restMsMax);
});

test("without a length pauses double to a minute; calls under way at once count once, and a success starts anew", () => {
  let rest = noRest;
  let nowMs = 0;
  const lengths: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    rest = throttled(rest, nowMs);
    lengths.push(rest.untilMs - nowMs);
    nowMs = rest.untilMs;
  }
  assert.deepEqual(lengths, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  const again = restThrottled(rest, { statedMs: undefined, beganMs: rest.sinceMs - 1, nowMs });
  assert.equal(again, rest);
  const well = restSucceeded(rest, { beganMs: nowMs });
  assert.equal(throttled(well, nowMs).untilMs, nowMs + 1_000);
});

const refused = (health: typeof activeCredential, nowMs: number, changes = {}) =>
  credentialRefused(health, { reason: "auth", beganMs: nowMs, nowMs, canProbe: true, ...changes });

test("a refused one is out until a look finds it accepted; looks come after one minute, then up to ten", () => {
  let health = refused(activeCredential, 0);
  assert.equal(credentialStanding(health, 50_000), "out");
  const waits: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    assert.ok(!isCredentialProbeDue(health, health.untilMs - 1));
    assert.ok(isCredentialProbeDue(health, health.untilMs));
    waits.push(health.waitMs);
    assert.equal(credentialStanding(health, health.untilMs), "out", "no caller's call tries it");
    health = credentialProbed(health, "refused", health.untilMs);
  }
  assert.deepEqual(waits, [60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  const sameWait = credentialProbed(health, "unreachable", health.untilMs);
  assert.equal(sameWait.waitMs, health.waitMs);
  assert.deepEqual(credentialProbed(health, "accepted", health.untilMs), activeCredential);
});

test("an unpaid one that is accepted is tried by single calls, as is one nothing clear is known of", () => {
  for (const [reason, finding] of [
    ["quota", "accepted"],
    ["auth", "unclear"],
  ] as const) {
    let health = credentialProbed(refused(activeCredential, 0, { reason }), finding, 60_000);
    assert.equal(credentialStanding(health, 60_000), "trial");
    health = credentialBegan(health, 60_000);
    assert.equal(credentialStanding(health, 60_999), "out");
    assert.equal(credentialStanding(health, 61_000), "trial");
    assert.deepEqual(credentialSucceeded(health, { beganMs: 60_000 }), activeCredential);
    const again = refused(health, 60_500, { reason });
    assert.equal(credentialStanding(again, 100_000), "out");
    assert.equal(again.untilMs, 60_500 + 120_000);
  }
});

test("where nobody can look, a call tries it after a minute; what began before it was out proves nothing", () => {
  const health = refused(activeCredential, 1_000, { canProbe: false });
  assert.ok(!isCredentialProbeDue(health, 1e9));
  assert.equal(credentialStanding(health, 60_999), "out");
  assert.equal(credentialStanding(health, 61_000), "trial");
  assert.equal(credentialSucceeded(health, { beganMs: 999 }), health);
  assert.equal(refused(health, 5_000, { beganMs: 999 }), health);
});
