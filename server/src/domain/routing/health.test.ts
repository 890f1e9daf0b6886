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
  probeMsMax,
  returnMs,
  shareOf,
  standingOf,
  trialEveryMs,
} from "./health.ts";

/** Calls without duration. */
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
  assert.ok(!isTrialDue(health, ejectionMsMin + trialEveryMs - 1));
  assert.ok(isTrialDue(health, ejectionMsMin + trialEveryMs));
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

test("a look from outside ends a long ejection early, but not before the shortest would", () => {
  let health = ejectedAt(0);
  health = ejectedAt(health.untilMs, health);
  const sinceMs = health.sinceMs;
  assert.ok(!isDeploymentProbeDue(health, sinceMs + 3_999) && isDeploymentProbeDue(health, sinceMs + 4_000));
  health = deploymentProbed(health, true, sinceMs + 4_000);
  assert.equal(standingOf(health, sinceMs + 4_999), "ejected");
  assert.equal(standingOf(health, sinceMs + 5_000), "probing");
  assert.equal(standingOf(deploymentProbed(health, true, sinceMs + 9_000), sinceMs + 9_000), "probing");
});

test("calls made for want of anything else neither lengthen the next ejection nor put the next look off", () => {
  let health = ejectedAt(0);
  const { nextProbeMs, ejections } = health;
  for (let nowMs = 100; nowMs < ejectionMsMin; nowMs += 100) health = fails(health, nowMs);
  assert.deepEqual([health.nextProbeMs, health.ejections], [nextProbeMs, ejections]);
  assert.equal(health.untilMs, ejectionMsMin - 100 + ejectionMsMin, "it stands behind the others");
});

interface Upstream {
  readonly answersProbes: boolean;
  readonly answersCalls: boolean;
  /** Milliseconds that an unanswered probe takes. */
  readonly lookMs: number;
}

/**
 * A deployment beside a healthy one under steady calls, with probes started every second and a clock in steps
 * of 100 ms.
 */
function scene() {
  let health: DeploymentHealth = healthyDeployment;
  let look: { readonly isAlive: boolean; readonly endMs: number } | undefined;
  const scene = { nowMs: 0, servedMs: [] as number[], trialMs: [] as number[] };
  function turn(upstream: Upstream): void {
    const { nowMs } = scene;
    if (look !== undefined && nowMs >= look.endMs) {
      health = deploymentProbed(health, look.isAlive, nowMs);
      look = undefined;
    }
    if (look === undefined && nowMs % 1_000 === 0 && isDeploymentProbeDue(health, nowMs)) {
      const isAlive = upstream.answersProbes;
      look = { isAlive, endMs: nowMs + (isAlive ? 0 : upstream.lookMs) };
      if (isAlive) turn(upstream);
    }
  }
  function call(upstream: Upstream): void {
    const { nowMs } = scene;
    const standing = standingOf(health, nowMs);
    if (standing === "probing" && isTrialDue(health, nowMs)) scene.trialMs.push(nowMs);
    else if (standing !== "healthy" && standing !== "returning") return;
    if (upstream.answersCalls) scene.servedMs.push(nowMs);
    health = upstream.answersCalls ? succeeds(health, nowMs) : fails(health, nowMs);
  }
  return Object.assign(scene, {
    run(forMs: number, upstream: Upstream): void {
      for (const endMs = scene.nowMs + forMs; scene.nowMs < endMs; scene.nowMs += 100) {
        turn(upstream);
        call(upstream);
      }
    },
  });
}

const sound: Upstream = { answersProbes: true, answersCalls: true, lookMs: 0 };

test("however often it flapped, once mended it serves within ten seconds", () => {
  const broken = fc.record({
    answersProbes: fc.boolean(),
    answersCalls: fc.constant(false),
    lookMs: fc.integer({ min: 0, max: probeMsMax / 100 }).map((tenths) => tenths * 100),
  });
  const spell = fc.record({
    broken,
    brokenMs: fc.integer({ min: 1, max: 600 }).map((tenths) => tenths * 100),
    soundMs: fc.integer({ min: 100, max: 200 }).map((tenths) => tenths * 100),
  });
  fc.assert(
    fc.property(fc.array(spell, { minLength: 1, maxLength: 12 }), (spells) => {
      const stage = scene();
      for (const { broken, brokenMs, soundMs } of spells) {
        stage.run(brokenMs, broken);
        const mendedMs = stage.nowMs;
        stage.run(soundMs, sound);
        const servedMs = stage.servedMs.find((ms) => ms >= mendedMs) ?? Number.POSITIVE_INFINITY;
        assert.ok(servedMs - mendedMs <= 10_000, `${servedMs - mendedMs} ms`);
      }
    }),
    { numRuns: 300 },
  );
});

test("looks that succeed though calls fail cost callers one trial in eight seconds, not more", () => {
  const stage = scene();
  stage.run(3_600_000, { answersProbes: true, answersCalls: false, lookMs: 0 });
  const gaps = stage.trialMs.slice(1).map((ms, index) => ms - (stage.trialMs[index] ?? 0));
  assert.ok(stage.trialMs.length >= 3_600 / 10, "it is tried all the time");
  assert.ok(Math.min(...gaps) >= 8_000, `${Math.min(...gaps)} ms`);
});

test("looks that fail keep callers away, for five minutes at most: calls may work all the same", () => {
  const stage = scene();
  stage.run(600, { answersProbes: false, answersCalls: false, lookMs: 0 });
  stage.run(ejectionMsMax - 1_000, { answersProbes: false, answersCalls: true, lookMs: 0 });
  assert.deepEqual(stage.trialMs, []);
  stage.run(10_000, { answersProbes: false, answersCalls: true, lookMs: 0 });
  assert.equal(stage.trialMs.length, 1);
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
