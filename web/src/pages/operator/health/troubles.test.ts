import assert from "node:assert/strict";
import { test } from "node:test";
import { type CredentialRow, type DeploymentRow, type Health, type Trouble, troublesOf } from "./troubles.ts";

const now = "2026-11-21T12:00:00.000Z";

const calm: Health = {
  at: now,
  version: "1.0.0",
  startedAt: "2026-11-21T08:00:00.000Z",
  database: "sqlite",
  processes: [
    {
      process: "p1",
      at: "2026-11-21T11:59:55.000Z",
      pid: 1,
      version: "1.0.0",
      startedAt: now,
      loopLagMs: 2,
      heapBytes: 1,
      rssBytes: 1,
      inFlight: 0,
      isBehind: false,
      isLimiting: false,
    },
  ],
  deployments: [],
  credentials: [],
  holders: [],
  ledgerCheck: null,
};
const beside = { unreadable: [], demoOnly: false };

const credential = (change: Partial<CredentialRow>): CredentialRow => ({
  process: "p1",
  upstream: "main",
  number: 1,
  state: "active",
  untilAt: null,
  lastFault: null,
  ...change,
});

const deployment = (change: Partial<DeploymentRow>): DeploymentRow => ({
  process: "p1",
  upstream: "main",
  provider: "openai",
  model: "m",
  upstreamModel: "up-m",
  priority: 1,
  weight: 1,
  weightNow: 1,
  state: "healthy",
  untilAt: null,
  lastFault: null,
  inFlight: 0,
  firstTokenMs: null,
  p95FirstTokenMs: null,
  ...change,
});

const kinds = (troubles: readonly Trouble[]) => troubles.map(({ tone, kind }) => `${tone} ${kind}`);

test("an installation that is well needs nobody", () => {
  const health = {
    ...calm,
    credentials: [credential({})],
    deployments: [deployment({}), deployment({ state: "resting" })],
  };
  assert.deepEqual(troublesOf(health, beside), []);
});

test("a credential that several processes refuse is told once, with its latest fault and the first time it is tried again", () => {
  const credentials = [
    credential({ number: 2 }),
    credential({
      state: "out",
      untilAt: "2026-11-21T12:10:00.000Z",
      lastFault: { kind: "upstream_auth", status: 401, at: "2026-11-21T11:00:00.000Z" },
    }),
    credential({
      process: "p2",
      state: "out",
      untilAt: "2026-11-21T12:05:00.000Z",
      lastFault: { kind: "upstream_quota", status: 429, at: "2026-11-21T11:30:00.000Z" },
    }),
  ];
  assert.deepEqual(troublesOf({ ...calm, credentials }, beside), [
    {
      tone: "warn",
      kind: "credentialOut",
      upstream: "main",
      number: 1,
      fault: { kind: "upstream_quota", status: 429, at: "2026-11-21T11:30:00.000Z" },
      until: "2026-11-21T12:05:00.000Z",
    },
  ]);
});

test("an upstream without any credential that works is worse than one credential", () => {
  const credentials = [credential({ state: "out" }), credential({ number: 2, state: "out" })];
  assert.deepEqual(kinds(troublesOf({ ...calm, credentials }, beside)), ["bad upstreamOut"]);
});

test("an ejected deployment names every model behind it; a model with nothing left is told first", () => {
  const deployments = [
    deployment({ state: "ejected", model: "a" }),
    deployment({ state: "ejected", model: "b" }),
    deployment({ state: "ejected", model: "a", process: "p2" }),
    deployment({ upstream: "backup", model: "b" }),
  ];
  const troubles = troublesOf({ ...calm, deployments }, beside);
  assert.deepEqual(kinds(troubles), ["bad modelDown", "warn ejected"]);
  assert.deepEqual(troubles[1]?.kind === "ejected" && troubles[1].models, ["a", "b"]);
});

test("processes: behind, overloaded, silent, gone with money, of different versions", () => {
  const [one] = calm.processes as [Health["processes"][number]];
  const health: Health = {
    ...calm,
    processes: [
      { ...one, isBehind: true, isLimiting: true },
      { ...one, process: "p2", at: "2026-11-21T11:59:00.000Z", version: "1.1.0" },
    ],
    holders: [
      { process: "p3", startedAt: now, expiresAt: now, isAlive: false, leases: 2, leased: "1.5" },
      { process: "p4", startedAt: now, expiresAt: now, isAlive: false, leases: 0, leased: "0" },
    ],
  };
  assert.deepEqual(kinds(troublesOf(health, beside)), [
    "bad behind",
    "bad overloaded",
    "warn silent",
    "warn deadHolder",
    "warn versions",
  ]);
  assert.deepEqual(kinds(troublesOf({ ...calm, processes: [] }, beside)), ["warn noProcesses"]);
});

test("a ledger that does not add up counts the findings that are not listed, too", () => {
  const report = {
    findings: [{ what: "balance", subject: "acc_1", text: "off by 1" }],
    moreFindings: 4,
    accounts: 1,
    entries: 1,
    requests: 1,
    leases: 0,
    totals: { balance: "0", leased: "0", credited: "0", charged: "0", lost: "0" },
  };
  const ledgerCheck = {
    id: "c",
    startedAt: now,
    startedBy: null,
    endedAt: now,
    status: "wrong" as const,
    report,
  };
  assert.deepEqual(troublesOf({ ...calm, ledgerCheck }, beside), [
    { tone: "bad", kind: "ledgerWrong", findings: 5, at: now },
  ]);
});

test("what health itself cannot know is told as well", () => {
  const more = { unreadable: [{ upstream: "main", text: "sealed with another key" }], demoOnly: true };
  assert.deepEqual(kinds(troublesOf(calm, more)), ["bad unreadable", "warn demoOnly"]);
});
