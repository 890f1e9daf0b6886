/** The choice of deployment and credential in every health state, and when to come back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../protocols/protocol.ts";
import type { LiveModel } from "../snapshot.ts";
import type { Choice } from "./health.ts";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  nameOf,
  testUpstreamHealth,
} from "./testing/test-upstream-health.ts";

const server: Fault = { kind: "server", status: 500 };
const refused: Fault = { kind: "upstream_auth", status: 401 };
const throttled = (retryAfterMs?: number): Fault => ({ kind: "rate_limit", status: 429, retryAfterMs });

/** Deployments in priority order, one per upstream. */
const inOrder = (...ids: string[]): LiveModel =>
  liveModel(
    "m",
    ids.map((id, index) => deploymentOn(liveUpstream(id), { priority: index + 1 })),
  );

const chosen = (choice: Choice | undefined): Choice => {
  assert.ok(choice);
  return choice;
};

/** Fails the next `times` calls in a row. */
function fail(rig: ReturnType<typeof testUpstreamHealth>, model: LiveModel, fault: Fault, times = 5): void {
  for (let index = 0; index < times; index += 1) rig.call(chosen(rig.choose(model)), fault);
}

test("the best priority serves while it is well, full or not; among equals a full one is passed by", () => {
  const bounded = deploymentOn(liveUpstream("a", { concurrency: 1 }));
  const rig = testUpstreamHealth();
  const equals = liveModel("m", [bounded, deploymentOn(liveUpstream("b"))]);
  const ordered = liveModel("n", [bounded, deploymentOn(liveUpstream("b"), { priority: 2 })]);
  const held = chosen(rig.choose(liveModel("o", [bounded])));
  rig.upstreamHealth.begin(held, 0);
  const names = (model: LiveModel) => new Set(Array.from({ length: 20 }, () => nameOf(rig.choose(model))));
  assert.deepEqual([names(equals), names(ordered)], [new Set(["b"]), new Set(["a"])]);
  rig.upstreamHealth.end(held, { fault: undefined, isCallerGone: false }, 0);
  assert.deepEqual(names(equals), new Set(["a", "b"]));
});

test("what a request has tried is not chosen again, unless it was its credential that failed", () => {
  const model = liveModel("m", [deploymentOn(liveUpstream("a", { credentials: ["one", "two"] }))]);
  const rig = testUpstreamHealth();
  const first = chosen(rig.choose(model));
  rig.call(first, server);
  assert.equal(rig.choose(model, [first]), undefined);
  const again = testUpstreamHealth();
  const one = chosen(again.choose(model));
  again.call(one, refused);
  const two = chosen(again.choose(model, [one]));
  assert.deepEqual([one.credential, two.credential], ["one", "two"]);
  again.call(two, throttled(1_000));
  assert.equal(again.choose(model, [one, two]), undefined);
});

test("credentials take turns; one that rests is passed by until its pause is over, to the millisecond", () => {
  const model = liveModel("m", [deploymentOn(liveUpstream("a", { credentials: ["one", "two"] }))]);
  const rig = testUpstreamHealth();
  const next = () => chosen(rig.choose(model)).credential;
  assert.deepEqual([next(), next(), next()], ["one", "two", "one"]);
  const two = chosen(rig.choose(model));
  rig.call(two, throttled(5_000));
  assert.deepEqual([next(), next(), next()], ["one", "one", "one"]);
  rig.nowMs = 4_999;
  assert.deepEqual([next(), next()], ["one", "one"]);
  rig.nowMs = 5_000;
  assert.deepEqual(new Set([next(), next()]), new Set(["one", "two"]));
});

test("a pause is of one model at an upstream, a refused credential of all of them", () => {
  const live = liveUpstream("a");
  const [small, large] = ["small", "large"].map((name) =>
    liveModel(name, [deploymentOn(live, { model: name })]),
  ) as [LiveModel, LiveModel];
  const rig = testUpstreamHealth();
  rig.call(chosen(rig.choose(small)), throttled(5_000));
  assert.equal(rig.upstreamHealth.readyInMs(large, 0), 0);
  rig.call(chosen(rig.choose(large)), refused);
  assert.equal(rig.upstreamHealth.readyInMs(small, 0), undefined);
});

test("all are ejected: the one that is back first is used all the same", () => {
  const model = inOrder("a", "b");
  const rig = testUpstreamHealth();
  fail(rig, model, server);
  rig.nowMs = 1_000;
  fail(rig, model, server);
  assert.equal(nameOf(rig.choose(model)), "a");
  const tried = chosen(rig.choose(model));
  assert.equal(nameOf(rig.choose(model, [tried])), "b");
});

test("a deployment that is back for a trial gets one call, and none as a second attempt", () => {
  const model = inOrder("a", "b");
  const rig = testUpstreamHealth();
  fail(rig, model, server);
  rig.nowMs = 5_000;
  const second = chosen(rig.choose(inOrder("b")));
  assert.equal(rig.choose(model, [second]) === undefined, false);
  const trial = chosen(rig.choose(model));
  assert.equal(nameOf(trial), "a");
  rig.upstreamHealth.begin(trial, 5_000);
  assert.equal(nameOf(rig.choose(model)), "b");
});

test("a trial of a worse priority does not come before one that is well", () => {
  const model = inOrder("a", "b");
  const rig = testUpstreamHealth();
  fail(rig, inOrder("b"), server);
  rig.nowMs = 60_000;
  assert.equal(nameOf(rig.choose(model)), "a");
});

test("a credential that is out is tried by one call a second where nothing else can look, and only as a first attempt", () => {
  const live = liveUpstream("a", { credentials: ["one", "two"] });
  assert.ok(live.provider.transport === "http");
  // A provider without a probe.
  const { probe: _, ...provider } = live.provider;
  const model = liveModel("m", [deploymentOn({ ...live, provider })]);
  const rig = testUpstreamHealth();
  const one = chosen(rig.choose(model));
  rig.call(one, refused);
  rig.nowMs = 60_000;
  const names = () => [0, 1, 2].map(() => chosen(rig.choose(model)).credential);
  assert.deepEqual(names(), ["one", "one", "one"]);
  rig.upstreamHealth.begin(chosen(rig.choose(model)), 60_000);
  assert.deepEqual(names(), ["two", "two", "two"]);
  rig.nowMs = 61_000;
  assert.equal(chosen(rig.choose(model)).credential, "one");
});

test("every credential is out: one is tried all the same, for it may have been mended; a second one is not", () => {
  const model = inOrder("a", "b");
  const rig = testUpstreamHealth();
  for (let index = 0; index < 2; index += 1) rig.call(chosen(rig.choose(model)), refused);
  assert.equal(rig.upstreamHealth.readyInMs(model, 0), undefined);
  const spared = chosen(rig.choose(model));
  assert.equal(rig.choose(model, [spared]), undefined);
});

test("everything rests: nothing is called, and the soonest end of a pause is known", () => {
  const model = inOrder("a", "b");
  const rig = testUpstreamHealth();
  rig.call(chosen(rig.choose(model)), throttled(9_000));
  rig.call(chosen(rig.choose(model)), throttled(4_000.5));
  assert.equal(rig.choose(model), undefined);
  assert.equal(rig.upstreamHealth.readyInMs(model, 0), 4_001);
  assert.equal(rig.upstreamHealth.readyInMs(model, 3_000), 1_001);
  assert.equal(rig.upstreamHealth.readyInMs(model, 5_000), 0);
});

test("a deployment that asked for its rest is waited for with its credential's, whichever is longer", () => {
  const model = inOrder("a");
  const rig = testUpstreamHealth();
  rig.call(chosen(rig.choose(model)), { kind: "overloaded", status: 503, retryAfterMs: 7_000 });
  assert.equal(rig.upstreamHealth.readyInMs(model, 0), 7_000);
  assert.equal(rig.choose(model), undefined);
});

test("how long a wait is worth it depends on how often it refuses, and on who waits", () => {
  const wait = (served: number, refusals: number, pauseMs: number, isRepetition: boolean) => {
    const model = inOrder("a");
    const rig = testUpstreamHealth();
    const choice = chosen(rig.choose(model));
    for (let index = 0; index < served; index += 1) rig.call(choice);
    for (let index = 0; index < refusals; index += 1) rig.call(choice, throttled(pauseMs));
    return rig.upstreamHealth.waitMs(model, 0, isRepetition);
  };
  // Rarely throttled: up to five seconds, also for a request it refused.
  assert.deepEqual([wait(8, 1, 5_000, false), wait(8, 1, 5_000, true)], [5_000, 5_000]);
  assert.equal(wait(8, 1, 5_001, false), undefined);
  // Not enough calls: one second, and none for a request it refused.
  assert.deepEqual([wait(0, 1, 1_000, false), wait(0, 1, 1_000, true)], [1_000, undefined]);
  assert.equal(wait(0, 1, 1_001, false), undefined);
  // Throttled often: no waiting.
  assert.equal(wait(2, 5, 100, false), undefined);
  assert.equal(wait(0, 0, 0, false), 0);
  // Ready, but it may well refuse again.
  assert.equal(wait(0, 0, 0, true), undefined);
});

test("an ejected deployment is not waited for", () => {
  const model = inOrder("a");
  const rig = testUpstreamHealth();
  fail(rig, model, server);
  assert.equal(rig.upstreamHealth.waitMs(model, 0, false), undefined);
});

test("one session stays at one deployment while that is well, and moves with it when it is not", () => {
  const model = liveModel(
    "m",
    ["a", "b", "c"].map((id) => deploymentOn(liveUpstream(id))),
  );
  const rig = testUpstreamHealth();
  const home = new Map<number, string | undefined>();
  for (let session = 0; session < 60; session += 1)
    home.set(session, nameOf(rig.choose(model, [], session * 7_919)));
  assert.equal(new Set(home.values()).size, 3, "sessions are spread");
  for (const [session, at] of home) assert.equal(nameOf(rig.choose(model, [], session * 7_919)), at);
  const only = chosen(rig.choose(liveModel("m", [deploymentOn(liveUpstream("a"))])));
  for (let index = 0; index < 5; index += 1) rig.call(only, server);
  for (const [session, at] of home) {
    const now = nameOf(rig.choose(model, [], session * 7_919));
    if (at === "a") assert.notEqual(now, "a");
    else assert.equal(now, at, "others stay where they are");
  }
});

test("an upstream without a credential is called with none", () => {
  const model = liveModel("m", [deploymentOn(liveUpstream("local", { credentials: [] }))]);
  const rig = testUpstreamHealth();
  const choice = chosen(rig.choose(model));
  assert.deepEqual([choice.credential, choice.credentialIndex], ["", -1]);
});
