import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CredentialState,
  DeploymentState,
  ModelReport,
  ProcessStates,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import {
  pageCredentials,
  pageDeployments,
  type SeenFilter,
  standingsOf,
  sumUpUpstreams,
  type UpstreamTrouble,
} from "./upstream-health.ts";

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

const credential = (changes: Partial<CredentialState> = {}): CredentialState => ({
  number: 1,
  state: "active",
  untilAt: null,
  lastFault: null,
  ...changes,
});

interface Said {
  readonly deployments?: readonly DeploymentState[];
  readonly credentials?: readonly CredentialState[];
}

/** A process's report about its models with these deployments; healthy ones serve. */
function reportOf(deployments: readonly DeploymentState[]): ModelReport {
  const report = { down: [] as string[], degraded: [] as string[], served: [] as string[] };
  for (const [id, all] of Map.groupBy(deployments, ({ model }) => model)) {
    const out = all.filter(({ state }) => state === "ejected").length;
    report[out === 0 ? "served" : out === all.length ? "down" : "degraded"].push(id);
  }
  return report;
}

const process = (name: string, upstreams: Readonly<Record<string, Said>>): ProcessStates => ({
  process: name,
  at: "2026-11-21T12:00:00.000Z",
  readings: null,
  models: reportOf(Object.values(upstreams).flatMap(({ deployments = [] }) => deployments)),
  upstreams: Object.entries(upstreams).map(
    ([id, { deployments = [], credentials = [] }]): UpstreamState => ({
      id,
      provider: "openai",
      inFlight: 2,
      concurrency: null,
      deployments,
      credentials,
    }),
  ),
});

const kinds = (troubles: readonly UpstreamTrouble[]) =>
  troubles.map(
    (trouble) => `${trouble.kind} ${trouble.kind === "modelDown" ? trouble.model : trouble.upstream}`,
  );

const out = { state: "out" } as const;
const ejected = { state: "ejected" } as const;

test("nothing said, and nothing wrong, is no trouble", () => {
  const nothing = {
    deployments: { all: 0, troubled: 0 },
    credentials: { all: 0, troubled: 0 },
    troubles: [],
    moreTroubles: 0,
  };
  assert.deepEqual(sumUpUpstreams([], 9), nothing);
  assert.deepEqual(sumUpUpstreams([process("p1", { demo: {} })], 9), nothing);
});

test("a credential out in two processes is told once, with its latest fault and the first time it is tried again", () => {
  const auth = { kind: "upstream_auth", status: 401, at: "2026-11-21T11:00:00.000Z" };
  const quota = { kind: "upstream_quota", status: 429, at: "2026-11-21T11:30:00.000Z" };
  const p1 = process("p1", {
    main: {
      credentials: [
        credential({ ...out, untilAt: "2026-11-21T12:10:00.000Z", lastFault: auth }),
        credential({ number: 2 }),
      ],
    },
  });
  const p2 = process("p2", {
    main: {
      credentials: [credential({ ...out, untilAt: "2026-11-21T12:05:00.000Z", lastFault: quota })],
    },
  });
  const summary = sumUpUpstreams([p1, p2], 9);
  assert.deepEqual(summary.credentials, { all: 3, troubled: 2 });
  assert.deepEqual(summary.troubles, [
    {
      kind: "credentialOut",
      upstream: "main",
      number: 1,
      fault: quota,
      untilAt: "2026-11-21T12:05:00.000Z",
    },
  ]);
});

test("the worst is told first: an upstream without a credential, a model without a deployment", () => {
  const states = [
    process("p1", {
      main: {
        deployments: [deployment("a", ejected), deployment("b", ejected)],
        credentials: [credential(out), credential({ number: 2 })],
      },
      backup: { deployments: [deployment("b")], credentials: [credential(out)] },
    }),
    process("p2", { main: { deployments: [deployment("a", ejected)] } }),
  ];
  const { deployments, troubles } = sumUpUpstreams(states, 9);
  assert.deepEqual(deployments, { all: 4, troubled: 3 });
  assert.deepEqual(kinds(troubles), [
    "upstreamOut backup",
    "modelDown a",
    "credentialOut main",
    "ejected main",
    "ejected main",
  ]);
});

test("one place behind many models is one trouble that names the first of them; what is too much is counted", () => {
  const same = Array.from({ length: 7 }, (_, index) =>
    deployment(`m${index}`, { ...ejected, upstreamModel: "one" }),
  );
  const states = [
    process("p1", {
      main: { deployments: same },
      spare: { deployments: same.map(({ model }) => deployment(model)) },
    }),
  ];
  const all = sumUpUpstreams(states, 9);
  assert.ok(all.troubles[0]?.kind === "ejected" && all.troubles.length === 1);
  assert.deepEqual(
    [all.troubles[0].models, all.troubles[0].modelsCount],
    [["m0", "m1", "m2", "m3", "m4"], 7],
  );
  const down = sumUpUpstreams([process("p1", { main: { deployments: same } })], 3);
  assert.deepEqual([down.troubles.length, down.moreTroubles], [3, 5]);
});

test("an upstream's standing is the worst that is true of it, and what several processes see counts once", () => {
  const half = {
    credentials: [credential(out), credential({ number: 2 })],
    deployments: [deployment("a", ejected)],
  };
  const uneasy = {
    deployments: [deployment("a", ejected), deployment("b", { state: "resting" }), deployment("c")],
  };
  const dead = { credentials: [credential(out)] };
  const seen = { half, uneasy, dead, calm: { deployments: [deployment("a")] } };
  assert.deepEqual(standingsOf([process("p1", seen), process("p2", seen), process("p3", { late: {} })]), [
    { id: "half", kind: "out", count: 1, inFlight: 4 },
    { id: "uneasy", kind: "troubled", count: 2, inFlight: 4 },
    { id: "dead", kind: "down", count: 1, inFlight: 4 },
    { id: "calm", kind: "well", count: 0, inFlight: 4 },
    { id: "late", kind: "well", count: 0, inFlight: 2 },
  ]);
});

/** The rows of all pages. */
function readAll(states: readonly ProcessStates[], filter: Omit<SeenFilter, "after">) {
  const models: string[] = [];
  let after: SeenFilter["after"];
  do {
    const page = pageDeployments(states, { ...filter, after });
    assert.ok(page.rows.length <= filter.limit);
    models.push(...page.rows.map(({ process: who, model }) => `${who} ${model}`));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return models;
}

test("pages hold every row once, those in trouble first, in the order they were said", () => {
  const deployments = [
    deployment("a"),
    deployment("b", { state: "returning" }),
    deployment("c", { state: "resting" }),
    deployment("d", ejected),
    deployment("e", { state: "probing" }),
    deployment("f"),
  ];
  const states = [process("p1", { main: { deployments } }), process("p2", { main: { deployments } })];
  const inOrder = ["d", "e", "c", "b"].flatMap((model) => [`p1 ${model}`, `p2 ${model}`]);
  const calm = ["p1 a", "p1 f", "p2 a", "p2 f"];
  for (const limit of [1, 2, 5, 12, 100]) {
    assert.deepEqual(readAll(states, { limit }), [...inOrder, ...calm]);
    assert.deepEqual(readAll(states, { limit, isTroubled: true }), inOrder);
  }
  const { tally } = pageDeployments(states, { limit: 1, isTroubled: true });
  assert.deepEqual(tally, { all: 12, troubled: 8 });
});

test("a search looks at every name, whatever its case, and counts what it found", () => {
  const states = [
    process("p1", {
      East: { deployments: [deployment("gpt"), deployment("claude", { upstreamModel: "Sonnet" })] },
      west: { deployments: [deployment("gpt")], credentials: [credential(), credential(out)] },
    }),
  ];
  const found = (search: string) => readAll(states, { search, limit: 9 }).length;
  assert.deepEqual(["GPT", "east", "SONNET", "nobody", ""].map(found), [2, 2, 1, 0, 3]);
  const { rows, tally } = pageCredentials(states, { search: "WEST", limit: 1 });
  assert.deepEqual([rows[0]?.state, rows[0]?.upstream, tally], ["out", "west", { all: 2, troubled: 1 }]);
  const of = (upstream: string) => pageDeployments(states, { upstream, search: "g", limit: 9 }).tally.all;
  assert.deepEqual(["East", "east", "west"].map(of), [1, 0, 1]);
});
