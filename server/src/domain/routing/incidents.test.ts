import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CredentialState,
  DeploymentState,
  LastFault,
  ModelReport,
  ProcessStates,
} from "@plaza/contract/upstream-states.ts";
import {
  causeOf,
  foldIncidents,
  type Incident,
  incidentsMax,
  incidentsNow,
  isChanged,
  type SeenIncident,
} from "./incidents.ts";

const fault = (kind: string, second = 0): LastFault => ({
  kind,
  status: null,
  at: `2026-11-21T12:00:${String(second).padStart(2, "0")}.000Z`,
});

const deployment = (model: string, changes: Partial<DeploymentState> = {}): DeploymentState => ({
  model,
  upstreamModel: `${model}-there`,
  priority: 1,
  weight: 1,
  weightNow: 1,
  state: "healthy",
  untilAt: null,
  lastFault: null,
  inFlight: 0,
  firstTokenMs: null,
  p95FirstTokenMs: null,
  ...changes,
});

const ejected = (model: string, kind: string, second = 0): DeploymentState =>
  deployment(model, {
    state: "ejected",
    lastFault: fault(kind, second),
    untilAt: `2026-11-21T12:01:${String(second).padStart(2, "0")}.000Z`,
  });

type Upstreams = Readonly<
  Record<string, { deployments: DeploymentState[]; credentials?: CredentialState[] }>
>;

const process = (upstreams: Upstreams, models: Partial<ModelReport>): ProcessStates => ({
  process: "hld_1",
  at: "2026-11-21T12:00:00.000Z",
  readings: null,
  models: { down: [], degraded: [], served: [], ...models },
  upstreams: Object.entries(upstreams).map(([id, { deployments, credentials = [] }]) => ({
    id,
    provider: "openai",
    inFlight: 0,
    concurrency: null,
    credentials,
    deployments,
  })),
});

test("one outage of an upstream is one incident, whatever its faults are called", () => {
  const main = {
    deployments: [ejected("a", "network", 9), ejected("b", "timeout", 8), ejected("c", "server", 3)],
  };
  const spare = { deployments: [deployment("b"), deployment("calm", { lastFault: fault("network") })] };
  const seen = incidentsNow([
    process({ main, spare }, { down: ["a"], degraded: ["b", "c"], served: ["calm"] }),
  ]);
  assert.deepEqual(
    seen.map(({ upstream, cause, state, models, untilAt }) => [
      upstream,
      cause,
      state,
      models,
      untilAt?.slice(17, 19),
    ]),
    [
      ["main", "unreachable", "down", ["a", "b"], "08"],
      ["main", "failing", "degraded", ["c"], "03"],
    ],
  );
  assert.equal(seen[0]?.fault?.kind, "network");
});

test("a credential that is refused is the cause, and not what its deployments failed with before", () => {
  const out: CredentialState = { number: 1, state: "out", untilAt: null, lastFault: fault("upstream_auth") };
  const deployments = [deployment("a", { lastFault: fault("network") })];
  const seenWith = (credentials: CredentialState[]) =>
    incidentsNow([process({ main: { deployments, credentials } }, { degraded: ["a"] })])[0]?.cause;
  assert.equal(seenWith([out]), "credential");
  assert.equal(seenWith([out, { ...out, number: 2, state: "active" }]), "unreachable");
});

test("where calls fail and nothing is out, the upstream with the latest fault is to blame", () => {
  const upstreams = {
    main: { deployments: [deployment("a", { lastFault: fault("server", 1) })] },
    spare: { deployments: [deployment("a", { lastFault: fault("rate_limit", 2) })] },
  };
  const seen = incidentsNow([process(upstreams, { degraded: ["a"] })]);
  assert.deepEqual(
    seen.map(({ upstream, cause }) => [upstream, cause]),
    [["spare", "busy"]],
  );
  assert.deepEqual(incidentsNow([process(upstreams, {})]), []);
  assert.deepEqual(causeOf(fault("toString")), "unknown");
});

const seenOf = (changes: Partial<SeenIncident> = {}): SeenIncident => ({
  upstream: "main",
  cause: "unreachable",
  state: "degraded",
  models: ["a"],
  fault: null,
  untilAt: null,
  ...changes,
});

const minute = 60_000;

test("an incident begins, grows, gets worse, ends, and is the same when it is soon back", () => {
  const steps: [minutes: number, seen: SeenIncident[], isWritten: boolean][] = [
    [0, [seenOf()], true],
    [1, [seenOf({ fault: fault("network", 5) })], false],
    [2, [seenOf({ state: "down", models: ["b", "a"] })], true],
    [3, [seenOf()], false],
    [4, [], true],
    [5, [], false],
    [8, [seenOf()], true],
    [9, [], true],
    [20, [seenOf()], true],
  ];
  let kept: readonly Incident[] = [];
  for (const [minutes, seen, isWritten] of steps) {
    const next = foldIncidents(kept, seen, minutes * minute);
    assert.equal(isChanged(kept, next), isWritten, `after ${minutes} minutes`);
    kept = next;
  }
  assert.deepEqual(
    kept.map(({ state, models, startedAt, endedAt }) => [state, models, startedAt / minute, endedAt]),
    [
      ["degraded", ["a"], 20, null],
      ["down", ["a", "b"], 0, 9 * minute],
    ],
  );
});

test("the list is bounded in its length, its age and its names", () => {
  const names = Array.from({ length: 100 }, (_, index) => `model-${index}`);
  const [wide] = foldIncidents([], [seenOf({ models: names })], 0);
  assert.deepEqual([wide?.models.length, wide?.modelsCount], [12, 100]);
  let kept: readonly Incident[] = [];
  for (let round = 0; round < incidentsMax + 20; round += 1) {
    kept = foldIncidents(kept, [seenOf({ upstream: `up-${round}` })], round * minute);
  }
  assert.equal(kept.length, incidentsMax);
  assert.equal(kept[0]?.upstream, `up-${incidentsMax + 19}`);
  assert.equal(foldIncidents(kept, [], 31 * 86_400_000).length, 1, "the open one ends, older ones are gone");
  assert.equal(foldIncidents(kept, [], 62 * 86_400_000).filter(({ endedAt }) => endedAt === null).length, 0);
});
