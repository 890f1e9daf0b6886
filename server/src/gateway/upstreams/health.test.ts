import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FaultKind } from "../../domain/routing/fault.ts";
import { deploymentProbed, isDeploymentProbeDue } from "../../domain/routing/health.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { Choice } from "./health.ts";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  nameOf,
  snapshotOf,
  testUpstreamHealth,
} from "./testing/test-upstream-health.ts";

const server: Fault = { kind: "server", status: 500 };
const throttled = (retryAfterMs?: number): Fault => ({ kind: "rate_limit", status: 429, retryAfterMs });
const refused: Fault = { kind: "upstream_auth", status: 401 };

const twoUpstreams = () => {
  const a = liveUpstream("a");
  const b = liveUpstream("b");
  return liveModel("gpt", [deploymentOn(a), deploymentOn(b)]);
};

const namesOf = (events: readonly { name: string }[]) => events.map(({ name }) => name);

test("a deployment that breaks is ejected, spared, tried by one call, and comes back; each told once", () => {
  const model = twoUpstreams();
  const rig = testUpstreamHealth();
  let brokenCalls = 0;
  const breaks = (choice: Choice) => {
    if (nameOf(choice) !== "a") return undefined;
    brokenCalls += 1;
    return server;
  };
  for (let call = 0; call < 100; call += 1) rig.next(model, breaks);
  assert.equal(brokenCalls, 5);
  rig.nowMs = 4_999;
  for (let call = 0; call < 50; call += 1) assert.equal(rig.next(model, breaks), "b");
  rig.nowMs = 5_000;
  for (let call = 0; call < 50; call += 1) rig.next(model, breaks);
  assert.equal(brokenCalls, 6, "one call tries it");
  rig.nowMs = 15_000;
  assert.equal(rig.next(model), "a", "the first call after the second ejection");
  const shares = { early: 0, late: 0 };
  for (let call = 0; call < 400; call += 1) if (rig.next(model) === "a") shares.early += 1;
  rig.nowMs = 26_000;
  for (let call = 0; call < 400; call += 1) if (rig.next(model) === "a") shares.late += 1;
  assert.ok(shares.early < 80 && shares.late > 150, JSON.stringify(shares));
  assert.deepEqual(namesOf(rig.events), ["deployment_ejected", "deployment_back"]);
});

test("a trial that fails goes on to the other deployment, and the next one waits, though looks say all is well", () => {
  const model = liveModel("gpt", [
    deploymentOn(liveUpstream("a")),
    deploymentOn(liveUpstream("b"), { priority: 2 }),
  ]);
  const rig = testUpstreamHealth();
  const slot = () => rig.upstreamHealth.slots.list()[0]?.deployments.get("m");
  for (let call = 0; call < 5; call += 1) rig.call(rig.choose(model) as Choice, server);
  const trials: number[] = [];
  for (; rig.nowMs < 120_000; rig.nowMs += 250) {
    const broken = slot();
    if (broken !== undefined && isDeploymentProbeDue(broken.health, rig.nowMs)) {
      broken.health = deploymentProbed(broken.health, true, rig.nowMs);
    }
    const first = rig.choose(model) as Choice;
    if (nameOf(first) === "b") continue;
    trials.push(rig.nowMs);
    rig.upstreamHealth.begin(first, rig.nowMs);
    assert.equal(nameOf(rig.choose(model)), "b", "one at a time");
    rig.upstreamHealth.end(first, { fault: server, isCallerGone: false }, rig.nowMs);
    assert.equal(nameOf(rig.choose(model, [first])), "b");
  }
  assert.ok(trials.length >= 12 && trials.length <= 15, String(trials));
});

const callerMade: readonly Fault[] = [
  { kind: "bad_request", status: 400 },
  { kind: "context_length", status: 400 },
  { kind: "content_filter", status: 400 },
  { kind: "too_large", status: 413 },
  { kind: "request_over_limit", status: 429 },
  { kind: "server", status: 400 },
  { kind: "server", status: 431 },
  { kind: "stopping" },
  { kind: "key_ended" },
];

test("faults of the caller's making never count, in whatever order and number they come", () => {
  const steps = fc.array(fc.constantFrom(...callerMade), { minLength: 50, maxLength: 400 });
  fc.assert(
    fc.property(steps, fc.integer(), (faults, seed) => {
      const model = twoUpstreams();
      const rig = testUpstreamHealth(seed);
      rig.upstreamHealth.adopt(snapshotOf(model));
      for (const fault of faults) rig.next(model, () => fault);
      assert.deepEqual(rig.events, []);
      for (const state of rig.upstreamHealth.states()) {
        assert.deepEqual(
          [...state.deployments, ...state.credentials].map((one) => [one.state, one.lastFault]),
          [
            ["healthy", null],
            ["active", null],
          ],
        );
      }
    }),
    { numRuns: 30 },
  );
});

const brokenKinds: readonly FaultKind[] = [
  "server",
  "timeout",
  "network",
  "overloaded",
  "model_unavailable",
  "upstream_auth",
  "upstream_quota",
];

test("however everything fails, a model whose deployments nobody asked to pause is never without one", () => {
  const step = fc.record({
    kind: fc.option(fc.constantFrom(...brokenKinds), { nil: undefined }),
    afterMs: fc.integer({ min: 0, max: 20_000 }),
  });
  const count = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(count, fc.array(step, { maxLength: 120 }), fc.integer(), (deployments, steps, seed) => {
      const lives = Array.from({ length: deployments }, (_, index) =>
        deploymentOn(liveUpstream(`up${index}`), { priority: 1 + (index % 2), weight: index % 3 }),
      );
      const model = liveModel("gpt", lives);
      const rig = testUpstreamHealth(seed);
      for (const { kind, afterMs } of steps) {
        rig.nowMs += afterMs;
        const choice = rig.choose(model);
        assert.ok(choice !== undefined);
        rig.call(choice, kind === undefined ? undefined : { kind });
      }
    }),
    { numRuns: 100 },
  );
});

test("ejected ones are used when nothing else is left, and one that works is back at once", () => {
  const model = twoUpstreams();
  const rig = testUpstreamHealth();
  for (let call = 0; call < 40; call += 1) rig.next(model, () => server);
  assert.equal(namesOf(rig.events).filter((name) => name === "deployment_ejected").length, 2);
  const name = rig.next(model);
  assert.ok(name !== undefined);
  assert.equal(rig.events.at(-1)?.name, "deployment_back");
  for (let call = 0; call < 20; call += 1) assert.equal(rig.next(model), name);
});

test("a throttled credential rests exactly as long as it was told, on that model only; the next one takes over", () => {
  const live = liveUpstream("a", { credentials: ["s1", "s2"] });
  const model = liveModel("gpt", [deploymentOn(live)]);
  const other = liveModel("mini", [deploymentOn(live, { model: "other" })]);
  const rig = testUpstreamHealth();
  const first = rig.choose(model);
  assert.ok(first !== undefined);
  rig.call(first, throttled(3_000));
  const second = rig.choose(model, [first]);
  assert.ok(second !== undefined && second.credential !== first.credential, "the deployment is not to blame");
  rig.call(second, throttled(8_000));
  assert.equal(rig.choose(model, [first, second]), undefined);
  assert.equal(rig.choose(model), undefined);
  assert.equal(rig.upstreamHealth.readyInMs(model, 0), 3_000);
  assert.notEqual(rig.choose(other), undefined);
  rig.nowMs = 2_999;
  assert.equal(rig.choose(model), undefined);
  assert.equal(rig.upstreamHealth.readyInMs(model, 2_999), 1);
  rig.nowMs = 3_000;
  assert.equal(rig.choose(model)?.credential, first.credential);
  assert.equal(rig.upstreamHealth.readyInMs(model, 3_000), 0);
});

test("a deployment that failed by itself is not tried again with its other credential", () => {
  const model = liveModel("gpt", [deploymentOn(liveUpstream("a", { credentials: ["s1", "s2"] }))]);
  const rig = testUpstreamHealth();
  const first = rig.choose(model) as Choice;
  rig.call(first, server);
  assert.equal(rig.choose(model, [first]), undefined);
});

test("credentials take turns", () => {
  const model = liveModel("gpt", [deploymentOn(liveUpstream("a", { credentials: ["s1", "s2", "s3"] }))]);
  const rig = testUpstreamHealth();
  const used = Array.from({ length: 6 }, () => rig.choose(model)?.credentialIndex);
  assert.deepEqual(used, [0, 1, 2, 0, 1, 2]);
});

test("a refused credential is out for every model, with one alarm; the only one is used all the same", () => {
  const live = liveUpstream("a", { credentials: ["s1", "s2"] });
  const model = liveModel("gpt", [deploymentOn(live)]);
  const other = liveModel("mini", [deploymentOn(live, { model: "other" })]);
  const rig = testUpstreamHealth();
  rig.call(rig.choose(model) as Choice, refused);
  for (let call = 0; call < 5; call += 1) {
    assert.equal(rig.choose(model)?.credential, "s2");
    assert.equal(rig.choose(other)?.credential, "s2");
  }
  assert.deepEqual(rig.events, [
    {
      name: "credential_out",
      upstream: "a",
      credential: 1,
      fault: "upstream_auth",
      status: 401,
      forMs: 60_000,
    },
  ]);
  rig.call(rig.choose(model) as Choice, { kind: "upstream_quota", status: 402 });
  const last = rig.choose(model);
  assert.ok(last !== undefined, "both are out, and it may have been mended");
  rig.call(last);
  assert.equal(rig.events.at(-1)?.name, "credential_back");
  assert.equal(rig.choose(model)?.credential, last.credential);
});

test("an overloaded deployment that names a time is not called before; absurd ones are told", () => {
  const model = liveModel("gpt", [deploymentOn(liveUpstream("a"))]);
  const rig = testUpstreamHealth();
  rig.next(model, () => ({ kind: "overloaded", status: 503, retryAfterMs: 7_000 }));
  assert.equal(rig.choose(model), undefined);
  assert.equal(rig.upstreamHealth.readyInMs(model, 0), 7_000);
  rig.nowMs = 7_000;
  assert.equal(rig.next(model), "a");
  rig.next(model, () => throttled(3_600_000));
  assert.equal(rig.upstreamHealth.readyInMs(model, rig.nowMs), 3_600_000);
  assert.deepEqual(
    rig.events.map(({ name, isOddPause }) => [name, isOddPause]),
    [
      ["deployment_resting", undefined],
      ["deployment_back", undefined],
      ["credential_resting", true],
    ],
  );
});

test("affinity keeps to one deployment, passes by a full one, and stays away from another only while it is out", () => {
  const lives = ["a", "b", "c"].map((id) => liveUpstream(id, { concurrency: 1 }));
  const model = liveModel(
    "gpt",
    lives.map((live) => deploymentOn(live)),
  );
  const rig = testUpstreamHealth();
  for (let affinity = 0; affinity < 40; affinity += 1) {
    const bound = rig.choose(model, [], affinity) as Choice;
    assert.equal(nameOf(rig.choose(model, [], affinity)), nameOf(bound));
    rig.upstreamHealth.begin(bound, 0);
    const passed = nameOf(rig.choose(model, [], affinity));
    assert.notEqual(passed, nameOf(bound));
    assert.equal(nameOf(rig.choose(model, [bound], affinity)), passed, "falling over goes the same way");
    rig.upstreamHealth.end(bound, { fault: undefined, isCallerGone: false }, 0);
    assert.equal(nameOf(rig.choose(model, [], affinity)), nameOf(bound));
  }
});

test("a caller that leaves says nothing about the upstream, and its call is not counted as under way any more", () => {
  const model = liveModel("gpt", [deploymentOn(liveUpstream("a"))]);
  const rig = testUpstreamHealth();
  rig.upstreamHealth.adopt(snapshotOf(model));
  for (let call = 0; call < 20; call += 1) {
    const choice = rig.choose(model) as Choice;
    rig.upstreamHealth.begin(choice, 0);
    rig.upstreamHealth.end(choice, { fault: server, isCallerGone: true }, 0);
  }
  assert.deepEqual(rig.events, []);
  assert.equal(rig.upstreamHealth.states()[0]?.inFlight, 0);
});

test("health outlives snapshots and edited upstreams; what is gone is forgotten", () => {
  const rig = testUpstreamHealth();
  const model = liveModel("gpt", [
    deploymentOn(liveUpstream("a", { credentials: ["s1", "s2"] })),
    deploymentOn(liveUpstream("b")),
  ]);
  rig.upstreamHealth.adopt(snapshotOf(model));
  const inA = (choice: Choice | undefined) => nameOf(choice) === "a";
  let first = rig.choose(model) as Choice;
  while (!inA(first)) first = rig.choose(model) as Choice;
  rig.call(first, refused);
  const out = first.credential;
  const edited = liveModel("gpt", [
    deploymentOn(liveUpstream("a", { credentials: ["s0", "s1", "s2"], concurrency: 9 })),
  ]);
  rig.upstreamHealth.adopt(snapshotOf(edited));
  const used = new Set(Array.from({ length: 9 }, () => rig.choose(edited)?.credential));
  assert.deepEqual(used, new Set(["s0", "s1", "s2"].filter((secret) => secret !== out)));
  const [state, ...others] = rig.upstreamHealth.states();
  assert.deepEqual(others, []);
  assert.deepEqual(
    state?.credentials.map(({ number, state: health }) => [number, health]),
    ["s0", "s1", "s2"].map((secret, index) => [index + 1, secret === out ? "out" : "active"]),
  );
  assert.equal(rig.upstreamHealth.slots.list().length, 1);
});

test("states tell weights, times and faults, and no secret", () => {
  const rig = testUpstreamHealth();
  const live = liveUpstream("a", { credentials: ["sk-very-secret"] });
  const model = liveModel("gpt", [deploymentOn(live, { model: "gpt-up", weight: 3 })]);
  rig.upstreamHealth.adopt(snapshotOf(model));
  for (let call = 0; call < 30; call += 1) rig.call(rig.choose(model) as Choice, undefined, 200);
  for (let call = 0; call < 5; call += 1) rig.call(rig.choose(model) as Choice, server);
  const states = rig.upstreamHealth.states();
  assert.ok(!JSON.stringify(states).includes("secret"));
  assert.deepEqual(states, [
    {
      id: "a",
      provider: "openai",
      inFlight: 0,
      concurrency: null,
      credentials: [{ number: 1, state: "active", untilAt: null, lastFault: null }],
      deployments: [
        {
          model: "gpt",
          upstreamModel: "gpt-up",
          priority: 1,
          weight: 3,
          weightNow: 0,
          state: "ejected",
          untilAt: "2025-11-21T04:40:05.000Z",
          lastFault: { kind: "server", status: 500, at: "2025-11-21T04:40:00.000Z" },
          inFlight: 0,
          firstTokenMs: 200,
          p95FirstTokenMs: 233,
        },
      ],
    },
  ]);
  assert.equal(rig.upstreamHealth.p95AnswerMs(model, true), 233);
});
