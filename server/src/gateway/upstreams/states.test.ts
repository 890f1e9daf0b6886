/** Upstream health for display: states, numbers and times, never a secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../protocols/protocol.ts";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  snapshotOf,
  testUpstreamHealth,
} from "./testing/test-upstream-health.ts";

const server: Fault = { kind: "server", status: 500 };

function scene(credentials: readonly string[] = ["hush-1", "hush-2"]) {
  const rig = testUpstreamHealth();
  const model = liveModel("m", [
    deploymentOn(liveUpstream("a", { credentials, concurrency: 7 }), { weight: 4 }),
  ]);
  rig.upstreamHealth.adopt(snapshotOf(model));
  const call = (fault?: Fault, firstTokenMs?: number) => {
    const choice = rig.choose(model);
    assert.ok(choice);
    rig.call(choice, fault, firstTokenMs);
  };
  const state = () => {
    const [upstream] = rig.upstreamHealth.states();
    assert.ok(upstream);
    const [deployment] = upstream.deployments;
    assert.ok(deployment);
    return { upstream, deployment };
  };
  return { rig, model, call, state };
}

const wall = (ms: number) => new Date(1_763_700_000_000 + ms).toISOString();

test("before any call everything is healthy, at its weight, and nothing is known of its pace", () => {
  const { upstream, deployment } = scene().state();
  assert.deepEqual(
    [upstream.id, upstream.provider, upstream.inFlight, upstream.concurrency],
    ["a", "openai", 0, 7],
  );
  assert.deepEqual(
    [deployment.model, deployment.state, deployment.weight, deployment.weightNow, deployment.untilAt],
    ["m", "healthy", 4, 4, null],
  );
  assert.deepEqual(
    [deployment.firstTokenMs, deployment.p95FirstTokenMs, deployment.lastFault],
    [null, null, null],
  );
});

test("no state holds a secret, whatever happened", () => {
  const { rig, call } = scene(["hush-1", "hush-2", "hush-3"]);
  call({ kind: "upstream_auth", status: 401 });
  call({ kind: "rate_limit", retryAfterMs: 1_000 });
  call(server);
  assert.doesNotMatch(JSON.stringify(rig.upstreamHealth.states()), /hush/);
});

test("an ejected deployment counts for nothing until its time, then is tried, then returns by and by", () => {
  const { rig, call, state } = scene(["k"]);
  for (let index = 0; index < 5; index += 1) call(server);
  const ejected = state().deployment;
  assert.deepEqual([ejected.state, ejected.weightNow, ejected.untilAt], ["ejected", 0, wall(5_000)]);
  assert.deepEqual(ejected.lastFault, { kind: "server", status: 500, at: wall(0) });
  rig.nowMs = 5_000;
  assert.deepEqual([state().deployment.state, state().deployment.weightNow], ["probing", 0]);
  call();
  assert.deepEqual([state().deployment.state, state().deployment.weightNow], ["returning", 0.4]);
  rig.nowMs = 10_000;
  assert.equal(state().deployment.weightNow, 2.2);
  rig.nowMs = 15_000;
  assert.deepEqual([state().deployment.state, state().deployment.weightNow], ["healthy", 4]);
});

test("a rest it asked for is shown with its end, by the wall clock and to the second", () => {
  const { call, state } = scene(["k"]);
  call({ kind: "overloaded", status: 503, retryAfterMs: 7_300 });
  assert.deepEqual([state().deployment.state, state().deployment.untilAt], ["resting", wall(7_000)]);
});

test("credentials are told by number: active, resting until, or out until looked at again", () => {
  const { rig, call, state } = scene();
  call({ kind: "rate_limit", status: 429, retryAfterMs: 30_000 });
  call({ kind: "upstream_auth", status: 401 });
  assert.deepEqual(
    state().upstream.credentials.map(({ number, state: standing, untilAt, lastFault }) => [
      number,
      standing,
      untilAt,
      lastFault?.kind,
    ]),
    [
      [1, "resting", wall(30_000), "rate_limit"],
      [2, "out", wall(60_000), "upstream_auth"],
    ],
  );
  assert.equal(state().deployment.weightNow, 0, "no credential of it can be used");
  rig.nowMs = 30_000;
  assert.deepEqual(
    state().upstream.credentials.map(({ state: standing, untilAt }) => [standing, untilAt === null]),
    [
      ["active", true],
      ["out", false],
    ],
  );
});

test("an upstream that needs no credential shows none", () => {
  assert.deepEqual(scene([]).state().upstream.credentials, []);
});

test("what is under way is counted, and how soon answers begin is known", () => {
  const { rig, model, call, state } = scene(["k"]);
  call(undefined, 200);
  const choice = rig.choose(model);
  assert.ok(choice);
  rig.upstreamHealth.begin(choice, 0);
  assert.deepEqual([state().upstream.inFlight, state().deployment.inFlight], [1, 1]);
  assert.equal(state().deployment.firstTokenMs, 200);
});

test("a doubt about usage is shown for a day", () => {
  const { rig, model, state } = scene(["k"]);
  const choice = rig.choose(model);
  assert.ok(choice);
  rig.upstreamHealth.doubtUsage(choice, "impossible", 0);
  assert.deepEqual(state().deployment.usageDoubt, { kind: "impossible", at: wall(0) });
  rig.nowMs = 24 * 3_600_000 + 1;
  assert.equal("usageDoubt" in state().deployment, false);
});

test("a model is down when nothing of it works, degraded when a part does not, and else served", () => {
  const rig = testUpstreamHealth();
  const [a, b] = [liveUpstream("a"), liveUpstream("b")];
  const both = liveModel("both", [deploymentOn(a), deploymentOn(b, { priority: 2 })]);
  const first = liveModel("first", [deploymentOn(a)]);
  const second = liveModel("second", [deploymentOn(b)]);
  rig.upstreamHealth.adopt(snapshotOf(both, first, second));
  for (let index = 0; index < 5; index += 1) rig.next(first, () => server);
  rig.next(second);
  const report = rig.upstreamHealth.modelReport(0.5);
  assert.deepEqual([report.down, report.degraded, report.served], [["first"], ["both"], ["second"]]);
});

test("without a snapshot there is nothing to show", () => {
  const { upstreamHealth } = testUpstreamHealth();
  assert.deepEqual(upstreamHealth.states(), []);
  assert.deepEqual(upstreamHealth.modelReport(0.5), { down: [], degraded: [], served: [] });
});
