import assert from "node:assert/strict";
import { test } from "node:test";
import { besideIncidents, type Health, type Trouble, troublesOf } from "./troubles.ts";

const now = "2026-11-21T12:00:00.000Z";

const calm: Health = {
  storageFault: null,
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
      selfLimit: null,
      refused: 0,
    },
  ],
  deployments: { all: 3, troubled: 0 },
  credentials: { all: 2, troubled: 0 },
  troubles: [],
  moreTroubles: 0,
  holders: [],
  ledgerCheck: null,
};
const beside = { unreadable: [], demoOnly: false };

const kinds = (troubles: readonly Trouble[]) => troubles.map(({ tone, kind }) => `${tone} ${kind}`);

test("an installation that is well needs nobody", () => {
  assert.deepEqual(troublesOf(calm, beside), []);
});

test("what nothing is left of comes before what is only less", () => {
  const seen = { fault: null, untilAt: null };
  const troubles: Health["troubles"] = [
    { kind: "upstreamOut", upstream: "main", ...seen },
    { kind: "modelDown", model: "a", ...seen },
    { kind: "credentialOut", upstream: "backup", number: 2, ...seen },
    { kind: "ejected", upstream: "backup", upstreamModel: "x", models: ["b"], modelsCount: 1, ...seen },
  ];
  const processes = calm.processes.map((one) => ({ ...one, at: "2026-11-21T11:59:00.000Z" }));
  assert.deepEqual(kinds(troublesOf({ ...calm, processes, troubles }, beside)), [
    "bad upstreamOut",
    "bad modelDown",
    "warn silent",
    "warn credentialOut",
    "warn ejected",
  ]);
});

test("what an open incident says is not listed again, and nothing else is left out", () => {
  const seen = { fault: null, untilAt: null };
  const troubles: Health["troubles"] = [
    { kind: "upstreamOut", upstream: "main", ...seen },
    { kind: "modelDown", model: "a", ...seen },
    { kind: "modelDown", model: "b", ...seen },
    { kind: "credentialOut", upstream: "backup", number: 2, ...seen },
    { kind: "ejected", upstream: "backup", upstreamModel: "x", models: ["b"], modelsCount: 1, ...seen },
    { kind: "ejected", upstream: "backup", upstreamModel: "y", models: ["c"], modelsCount: 1, ...seen },
    { kind: "ejected", upstream: "backup", upstreamModel: "z", models: [], modelsCount: 0, ...seen },
  ];
  const all = troublesOf({ ...calm, troubles }, beside);
  const main = {
    upstream: "main",
    cause: "credential",
    state: "down",
    models: ["a"],
    modelsCount: 1,
  } as const;
  const backup = { ...main, upstream: "backup", cause: "failing", state: "degraded", models: ["b"] } as const;
  const left = (...incidents: Parameters<typeof besideIncidents>[1]) =>
    besideIncidents(all, incidents).map((one) => {
      const { model, upstreamModel, kind } = { model: "", upstreamModel: "", ...one };
      return `${kind} ${model}${upstreamModel}`.trim();
    });
  const ofBackup = ["credentialOut", "ejected x", "ejected y", "ejected z"];
  assert.deepEqual(left(), ["upstreamOut", "modelDown a", "modelDown b", ...ofBackup]);
  assert.deepEqual(left(main), ["modelDown b", ...ofBackup]);
  assert.deepEqual(left(main, backup), ["modelDown b", "credentialOut", "ejected y", "ejected z"]);
  const many = { ...backup, modelsCount: 30 };
  assert.deepEqual(left(main, many), ["modelDown b", "credentialOut", "ejected z"]);
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

test("a fault of the storage comes first", () => {
  const storageFault = { code: "disk_full", text: "full", since: now, isRefusing: true } as const;
  const [process] = calm.processes;
  const processes = process === undefined ? [] : [{ ...process, isBehind: true }];
  assert.deepEqual(kinds(troublesOf({ ...calm, processes, storageFault }, beside)), [
    "bad storage",
    "bad behind",
  ]);
});
