/** How calls are shared between a slow and a fast deployment, in simulated time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  nameOf,
  testUpstreamHealth,
} from "./testing/test-upstream-health.ts";

interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly isStream: boolean;
  /** Number of sessions that take turns; 0 = calls without a session. */
  readonly sessions: number;
  /** Offset that keeps the sessions apart from those of another run. */
  readonly from?: number;
  /** Milliseconds until a deployment's answer begins. */
  readonly tookMs: (name: string | undefined, nowMs: number) => number;
}

/** Returns the time and deployment of each call. */
function play(load: Load): { at: number; name: string | undefined }[] {
  const rig = testUpstreamHealth(7);
  const model = liveModel("m", [deploymentOn(liveUpstream("a")), deploymentOn(liveUpstream("b"))]);
  const calls: { at: number; name: string | undefined }[] = [];
  const due: { at: number; run: () => void }[] = [];
  const stepMs = 1_000 / load.perSecond;
  for (let at = 0; at < load.seconds * 1_000; at += stepMs) {
    due.sort((one, other) => one.at - other.at);
    while ((due[0]?.at ?? Number.POSITIVE_INFINITY) <= at) {
      rig.nowMs = due[0]?.at ?? at;
      due.shift()?.run();
    }
    rig.nowMs = at;
    const affinity =
      load.sessions === 0
        ? undefined
        : Math.imul(1 + (load.from ?? 0) + (calls.length % load.sessions), 0x9e3779b1) >>> 0;
    const choice = rig.upstreamHealth.choose(model, {
      affinity,
      isStream: load.isStream,
      tried: [],
      nowMs: at,
    });
    assert.ok(choice !== undefined);
    rig.upstreamHealth.begin(choice, at);
    const name = nameOf(choice);
    calls.push({ at, name });
    due.push({
      at: at + load.tookMs(name, at),
      run: () => {
        choice.answered(rig.nowMs);
        rig.upstreamHealth.end(choice, { fault: undefined, isCallerGone: false }, rig.nowMs);
      },
    });
  }
  return calls;
}

const shareOf = (calls: readonly { name: string | undefined }[], name: string): number =>
  calls.filter((call) => call.name === name).length / calls.length;

const tenfold = (name: string | undefined) => (name === "a" ? 1_000 : 100);

for (const isStream of [true, false]) {
  for (const sessions of [0, 1, 5, 200]) {
    const kind = isStream ? "streams" : "whole answers";
    test(`ten times slower: at most one call in twenty after 5 s, ${kind}, ${sessions} sessions`, () => {
      const calls = play({ perSecond: 30, seconds: 65, isStream, sessions, tookMs: tenfold });
      const late = calls.filter(({ at }) => at >= 5_000);
      assert.ok(shareOf(late, "a") <= 0.05, `${shareOf(late, "a")}`);
    });
  }
}

test("one whose calls hang is left before the first of them has come back", () => {
  const tookMs = (name: string | undefined) => (name === "a" ? 30_000 : 100);
  const calls = play({ perSecond: 30, seconds: 20, isStream: true, sessions: 0, tookMs });
  const late = calls.filter(({ at }) => at >= 5_000);
  assert.ok(shareOf(late, "a") <= 0.05, `${shareOf(late, "a")}`);
});

test("one that is quick again gets its share back", () => {
  const tookMs = (name: string | undefined, nowMs: number) => (name === "a" && nowMs < 20_000 ? 1_000 : 100);
  const calls = play({ perSecond: 30, seconds: 120, isStream: true, sessions: 200, tookMs });
  const slow = shareOf(
    calls.filter(({ at }) => at >= 5_000 && at < 20_000),
    "a",
  );
  const late = shareOf(
    calls.filter(({ at }) => at >= 80_000),
    "a",
  );
  assert.ok(slow <= 0.05 && late > 0.35, `${slow} then ${late}`);
});

test("a little slower changes nothing for sessions", () => {
  const tookMs = (name: string | undefined) => (name === "a" ? 200 : 100);
  const calls = play({ perSecond: 30, seconds: 30, isStream: true, sessions: 200, tookMs });
  assert.ok(Math.abs(shareOf(calls, "a") - 0.5) < 0.1, `${shareOf(calls, "a")}`);
});

test("a session that is bound to the slow one leaves it within 5 s, though nothing was known of the other", () => {
  const plays = Array.from({ length: 20 }, (_, from) =>
    play({ perSecond: 30, seconds: 30, isStream: true, sessions: 1, from, tookMs: tenfold }),
  );
  assert.ok(
    plays.some(([first]) => first?.name === "a"),
    "some are bound to it",
  );
  for (const calls of plays) {
    const share = shareOf(
      calls.filter(({ at }) => at >= 5_000),
      "a",
    );
    assert.ok(share <= 0.05, `${share}`);
  }
});

test("a session of a deployment that is quick anyway is never sent elsewhere", () => {
  const calls = play({ perSecond: 30, seconds: 30, isStream: true, sessions: 1, tookMs: () => 60 });
  assert.equal(new Set(calls.map(({ name }) => name)).size, 1);
});
