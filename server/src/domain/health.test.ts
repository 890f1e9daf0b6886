import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type DeploymentHealth,
  deploymentBegan,
  deploymentFailed,
  deploymentProbed,
  deploymentSucceeded,
  ejectionMsMax,
  ejectionMsMin,
  faultsInRowMax,
  healthyDeployment,
  isDeploymentProbeDue,
  isTrialDue,
  probeEveryMs,
  returnMs,
  shareOf,
  standingOf,
} from "./health.ts";

/** Calls that take no time. */
const fails = (health: DeploymentHealth, nowMs: number, restMs?: number) =>
  deploymentFailed(deploymentBegan(health, nowMs), { beganMs: nowMs, nowMs, restMs });
const succeeds = (health: DeploymentHealth, nowMs: number) =>
  deploymentSucceeded(deploymentBegan(health, nowMs), { beganMs: nowMs, nowMs });

function ejectedAt(nowMs: number, from = healthyDeployment): DeploymentHealth {
  let health = from;
  do health = fails(health, nowMs);
  while (health.phase !== "ejected");
  return health;
}

test("faults in a row eject, one success between them does not let them add up", () => {
  let health: DeploymentHealth = healthyDeployment;
  for (let round = 0; round < 3; round += 1) {
    for (let fault = 1; fault < faultsInRowMax; fault += 1) health = fails(health, round * 60_000);
    assert.equal(standingOf(health, round * 60_000), "healthy");
    health = succeeds(health, round * 60_000);
  }
  assert.equal(standingOf(ejectedAt(200_000, health), 200_000), "ejected");
});

test("half of the calls failing ejects too, once there were enough", () => {
  let health: DeploymentHealth = healthyDeployment;
  for (let call = 0; call < 19; call += 1) {
    health = call % 2 === 0 ? fails(health, call * 100) : succeeds(health, call * 100);
    assert.equal(health.phase, "in", `after ${call + 1} calls`);
  }
  assert.equal(fails(health, 2_000).phase, "ejected");
  assert.equal(fails(health, 60_000).phase, "in", "what is long ago does not count");
});

test("ejections double from five seconds to five minutes, and a good time makes them short again", () => {
  let health: DeploymentHealth = healthyDeployment;
  let nowMs = 0;
  const lengths: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    health = ejectedAt(nowMs, health);
    lengths.push(health.untilMs - nowMs);
    nowMs = health.untilMs;
  }
  assert.deepEqual(lengths.slice(0, 4), [5_000, 10_000, 20_000, 40_000]);
  assert.equal(lengths.at(-1), ejectionMsMax);
  health = succeeds(health, nowMs);
  assert.equal(ejectedAt(nowMs + 30_000, health).untilMs, nowMs + 30_000 + ejectionMsMax);
  assert.equal(ejectedAt(nowMs + 400_000, health).untilMs, nowMs + 400_000 + ejectionMsMin);
});

test("calls that were under way when it was ejected neither prolong the ejection nor end it", () => {
  const health = ejectedAt(1_000);
  const late = { beganMs: 500, nowMs: 3_000 };
  assert.deepEqual(deploymentFailed(health, late), health);
  assert.deepEqual(deploymentSucceeded(health, late), health);
});

test("when its time is over single calls try it; one that goes well lets its share grow back", () => {
  let health = ejectedAt(0);
  assert.equal(standingOf(health, ejectionMsMin - 1), "ejected");
  assert.equal(standingOf(health, ejectionMsMin), "probing");
  assert.ok(isTrialDue(health, ejectionMsMin));
  health = deploymentBegan(health, ejectionMsMin);
  assert.ok(!isTrialDue(health, ejectionMsMin + 999));
  assert.ok(isTrialDue(health, ejectionMsMin + 1_000));
  health = deploymentSucceeded(health, { beganMs: ejectionMsMin, nowMs: 6_000 });
  assert.equal(standingOf(health, 6_000), "returning");
  assert.ok(Math.abs(shareOf(health, 6_000) - 0.1) < 1e-9);
  assert.ok(Math.abs(shareOf(health, 6_000 + returnMs / 2) - 0.55) < 1e-9);
  assert.equal(shareOf(health, 6_000 + returnMs), 1);
  assert.equal(standingOf(health, 6_000 + returnMs), "healthy");
  assert.equal(fails(fails(health, 7_000), 7_000).phase, "ejected", "on its way back two faults are enough");
});

test("a pause it asked for is kept, the longer one wins, and absurd ones are bounded", () => {
  const paused = fails(healthyDeployment, 0, 20_000);
  assert.equal(standingOf(paused, 19_999), "resting");
  assert.equal(standingOf(paused, 20_000), "healthy");
  assert.equal(fails(paused, 1_000, 2_000).restUntilMs, 20_000);
  assert.equal(fails(paused, 1_000, 1e12).restUntilMs, 1_000 + ejectionMsMax);
  for (const odd of [-5, 0, Number.NaN]) {
    assert.equal(standingOf(fails(healthyDeployment, 0, odd), 0), "healthy");
  }
});

test("a look from outside ends a long ejection early, but not before the shortest, nor a second time when it was wrong", () => {
  let health = ejectedAt(0);
  health = ejectedAt(health.untilMs, health);
  const sinceMs = health.sinceMs;
  assert.ok(!isDeploymentProbeDue(health, sinceMs) && isDeploymentProbeDue(health, sinceMs + 4_000));
  health = deploymentProbed(health, true, sinceMs + 4_000);
  assert.equal(standingOf(health, sinceMs + 4_999), "ejected");
  assert.equal(standingOf(health, sinceMs + 5_000), "probing");
  health = fails(health, sinceMs + 5_000);
  const untilMs = health.untilMs;
  assert.equal(deploymentProbed(health, true, sinceMs + 9_000).untilMs, untilMs);
});

test("while looks fail no caller has to try; after recovery it is tried within one interval of looks", () => {
  let health = ejectedAt(0);
  let nowMs = 0;
  for (; nowMs < 120_000; nowMs += 500) {
    if (isDeploymentProbeDue(health, nowMs)) health = deploymentProbed(health, false, nowMs);
    assert.equal(standingOf(health, nowMs), "ejected");
  }
  const recoveredMs = nowMs;
  for (; standingOf(health, nowMs) === "ejected"; nowMs += 500) {
    if (isDeploymentProbeDue(health, nowMs)) health = deploymentProbed(health, true, nowMs);
  }
  assert.ok(nowMs - recoveredMs <= probeEveryMs + 500, `${nowMs - recoveredMs} ms`);
});

test("whatever happened, a deployment that works again is back: never out for longer than the longest ejection", () => {
  const step = fc.record({
    what: fc.constantFrom("fail", "succeed", "rest", "alive", "dead"),
    afterMs: fc.integer({ min: 0, max: 400_000 }),
    tookMs: fc.integer({ min: 0, max: 60_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let health: DeploymentHealth = healthyDeployment;
      let nowMs = 0;
      for (const { what, afterMs, tookMs } of steps) {
        nowMs += afterMs;
        const call = { beganMs: nowMs - tookMs, nowMs };
        if (what === "fail") health = deploymentFailed(health, call);
        else if (what === "succeed") health = deploymentSucceeded(health, call);
        else if (what === "rest") health = deploymentFailed(health, { ...call, restMs: 30_000 });
        else health = deploymentProbed(health, what === "alive", nowMs);
        const share = shareOf(health, nowMs);
        assert.ok(share >= 0.1 && share <= 1);
        if (health.phase === "ejected") assert.ok(health.untilMs - nowMs <= ejectionMsMax);
      }
      const laterMs = nowMs + ejectionMsMax;
      assert.ok(["healthy", "returning", "probing"].includes(standingOf(health, laterMs)));
      const back = succeeds(health, laterMs);
      assert.notEqual(back.phase, "ejected");
      assert.equal(standingOf(back, laterMs + returnMs), "healthy");
    }),
    { numRuns: 300 },
  );
});
