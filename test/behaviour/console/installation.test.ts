/** Settings, health, self-checks and the audit log through the API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

test("settings are changed by who saw them as they are", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const initial = (await operator.call("GET", "/operator/settings")).body;
  const auditKeptMs = 400 * 86_400_000;
  const set = { name: "Plaza", plazaIsPublic: false, lowBalance: null, revision: 0 };
  assert.deepEqual(initial, { ...set, auditKeptMs });
  const requested = { name: "模型广场", plazaIsPublic: true, lowBalance: "1.5", revision: 0 };
  const changed = await operator.call("PUT", "/operator/settings", requested);
  assert.deepEqual(changed.body, { ...requested, lowBalance: "1.50", auditKeptMs, revision: 1 });
  const again = await operator.call("PUT", "/operator/settings", requested);
  assert.deepEqual([again.status, again.body.revision], [200, 1], "nothing to change, whatever was seen");
  const stale = await operator.call("PUT", "/operator/settings", { ...requested, name: "Another" });
  assert.deepEqual([stale.status, stale.body.error.code], [409, "changed_meanwhile"]);
  const wrong = await operator.call("PUT", "/operator/settings", {
    ...requested,
    lowBalance: "-1",
    revision: 1,
  });
  assert.equal(wrong.body.error.fields[0].path, "lowBalance");
  assert.equal((await rig.as("owner").call("GET", "/operator/settings")).status, 403);
});

const upstream: UpstreamState = {
  id: "main",
  provider: "openai",
  inFlight: 1,
  concurrency: null,
  credentials: [
    {
      number: 1,
      state: "out",
      untilAt: null,
      lastFault: { kind: "auth", status: 401, at: "2026-11-20T00:00:00.000Z" },
    },
  ],
  deployments: [
    {
      model: "gpt",
      upstreamModel: "gpt-5",
      priority: 1,
      weight: 1,
      weightNow: 0,
      state: "ejected",
      untilAt: "2026-11-20T00:01:00.000Z",
      lastFault: null,
      inFlight: 1,
      firstTokenMs: null,
      p95FirstTokenMs: null,
    },
  ],
};

test("health shows processes with their readings, upstreams with reasons, and what is lent to whom", async (t) => {
  const rig = await startConsole(t);
  await rig.store.openHolder("hld_1");
  await rig.store.openHolder("hld_2");
  const subject = { kind: "account", id: rig.accountA, ownerId: rig.accountA } as const;
  const lent = nanoUsd(1_000_000_000n);
  await rig.store.takeLease("hld_1", subject, { atLeast: lent, need: lent, want: lent, unit: lent });
  const readings = {
    pid: 42,
    version: "1.0.0",
    startedAt: "2026-11-20T00:00:00.000Z",
    loopLagMs: 0.4,
    heapBytes: 1_000,
    rssBytes: 2_000,
    inFlight: 1,
    isBehind: false,
    isLimiting: true,
    selfLimit: { reason: "lag", seen: 14.2, allowed: 10, inFlightLimit: 256, inFlightMax: 10_000 },
    refused: 3,
  } as const;
  const report = { down: ["gpt"], degraded: [], served: [] };
  await rig.store.publishUpstreamStates("hld_1", [upstream], readings, report);
  await rig.store.publishUpstreamStates("hld_2", []);
  const health = (await rig.as("operator").call("GET", "/operator/health")).body;
  assert.deepEqual([health.version, health.database, health.ledgerCheck], ["0.0.0-test", "sqlite", null]);
  const [first, second] = health.processes;
  assert.deepEqual({ ...first, at: 0 }, { process: "hld_1", at: 0, ...readings });
  assert.deepEqual(
    [second.process, second.pid, second.loopLagMs, second.selfLimit, second.refused],
    ["hld_2", null, null, null, null],
  );
  assert.deepEqual(
    [health.deployments, health.credentials],
    [
      { all: 1, troubled: 1 },
      { all: 1, troubled: 1 },
    ],
  );
  assert.deepEqual(
    health.troubles.map(({ kind, fault, untilAt }: Record<string, { kind?: string } | null>) => [
      kind,
      fault?.kind,
      untilAt,
    ]),
    [
      ["upstreamOut", "auth", null],
      ["modelDown", undefined, "2026-11-20T00:01:00.000Z"],
      ["ejected", undefined, "2026-11-20T00:01:00.000Z"],
    ],
  );
  assert.deepEqual(
    health.holders.map(({ process, leases, leased }: Record<string, unknown>) => [process, leases, leased]),
    [
      ["hld_1", 1, "1.00"],
      ["hld_2", 0, "0.00"],
    ],
  );
});

test("deployments and credentials come page by page, those in trouble first, and are searched", async (t) => {
  const rig = await startConsole(t);
  await rig.store.openHolder("hld_1");
  const [gone] = upstream.deployments;
  assert.ok(gone !== undefined);
  const well = (model: string) => ({
    ...gone,
    model,
    state: "healthy" as const,
    weightNow: 1,
    untilAt: null,
  });
  const deployments = [well("calm"), gone, well("quiet")];
  await rig.store.publishUpstreamStates("hld_1", [{ ...upstream, deployments }]);
  const read = async (query: string) =>
    (await rig.as("operator").call("GET", `/operator/health/deployments?${query}`)).body;
  const first = await read("limit=2");
  assert.deepEqual(
    [...first.deployments, ...(await read(`limit=2&cursor=${first.next}`)).deployments].map(
      ({ model, state, process, upstream: at, provider }) => [model, state, process, at, provider],
    ),
    [
      ["gpt", "ejected", "hld_1", "main", "openai"],
      ["calm", "healthy", "hld_1", "main", "openai"],
      ["quiet", "healthy", "hld_1", "main", "openai"],
    ],
  );
  assert.deepEqual(first.tally, { all: 3, troubled: 1 });
  const found = await Promise.all(
    ["troubled=true", "search=QUIET", "upstream=main", "upstream=mai"].map(read),
  );
  assert.deepEqual(
    found.map(({ deployments: rows }) => rows.length),
    [1, 1, 3, 0],
  );
  assert.equal((await read("limit=3")).next, null);
  const wrong = await rig.as("operator").call("GET", "/operator/health/deployments?cursor=x");
  assert.equal(wrong.status, 400);
  const { credentials } = (await rig.as("operator").call("GET", "/operator/health/credentials")).body;
  assert.deepEqual(
    credentials.map(({ upstream: at, number, state, lastFault }: Record<string, unknown>) => [
      at,
      number,
      state,
      lastFault,
    ]),
    [["main", 1, "out", upstream.credentials[0]?.lastFault]],
  );
  assert.equal((await rig.as("owner").call("GET", "/operator/health/credentials")).status, 403);
});

/** Waits for the result of a self-check. */
async function resultOf(rig: ConsoleRig, id: string) {
  for (;;) {
    const { checks } = (await rig.as("operator").call("GET", "/operator/ledger-checks")).body;
    const check = checks.find((one: { id: string }) => one.id === id);
    if (check?.status !== "running") return check;
  }
}

test("the ledger's self-check answers at once, runs one at a time, and keeps its report", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const gate = Promise.withResolvers<void>();
  const { store } = rig;
  const { verifyLedger } = store;
  Object.assign(rig.context, {
    checkLedger: async () => {
      await gate.promise;
      return await verifyLedger();
    },
  });
  const started = await operator.call("POST", "/operator/ledger-checks");
  assert.deepEqual(
    [started.status, started.body.status, started.body.startedBy],
    [202, "running", operator.email],
  );
  const second = await operator.call("POST", "/operator/ledger-checks");
  assert.deepEqual([second.status, second.body.error.code], [409, "already_exists"]);
  gate.resolve();
  const check = await resultOf(rig, started.body.id);
  assert.equal(check.status, "ok");
  assert.deepEqual(
    [check.report.accounts, check.report.totals.balance, check.report.findings],
    [2, "10.00", []],
  );
  assert.equal((await operator.call("GET", "/operator/health")).body.ledgerCheck.id, check.id);
  Object.assign(rig.context, { checkLedger: () => Promise.reject(new Error("the disk is gone")) });
  const broken = await operator.call("POST", "/operator/ledger-checks");
  assert.equal((await resultOf(rig, broken.body.id)).status, "failed");
  assert.ok(rig.log.some((line) => line.includes("ledger_check_broken")));
  const page = (await operator.call("GET", "/operator/ledger-checks?limit=1")).body;
  assert.equal(page.checks[0].id, broken.body.id);
  const rest = (await operator.call("GET", `/operator/ledger-checks?limit=1&cursor=${page.next}`)).body;
  assert.deepEqual([rest.checks[0].id, rest.next], [check.id, null]);
});

test("a check whose process is gone is over, and another may begin", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  await rig.store.beginLedgerCheck({ id: "chk_lost", startedBy: null });
  assert.equal((await operator.call("POST", "/operator/ledger-checks")).status, 409);
  rig.clock.add(31_000);
  const { checks } = (await operator.call("GET", "/operator/ledger-checks")).body;
  assert.deepEqual([checks[0].status, checks[0].report], ["failed", null]);
  const started = await operator.call("POST", "/operator/ledger-checks");
  assert.equal((await resultOf(rig, started.body.id)).status, "ok");
});

test("the operator reads every act; an account's owners read theirs, and not who of the operators acted", async (t) => {
  const rig = await startConsole(t);
  const [owner, operator] = [rig.as("owner"), rig.as("operator")];
  await rig.as("member").call("POST", "/keys", { name: "k" });
  await rig.as("stranger").call("POST", "/keys", { name: "theirs" });
  const entry = { kind: "adjustment", amount: "1", reason: "goodwill" };
  await operator.call("POST", `/operator/accounts/${rig.accountA}/entries`, entry);
  const all = (await operator.call("GET", "/operator/audit")).body.entries;
  assert.deepEqual(
    all.map(({ action, outcome }: Record<string, string>) => [action, outcome]),
    [
      ["addEntry", "done"],
      ["createKey", "done"],
      ["createKey", "done"],
    ],
  );
  const own = (await owner.call("GET", "/audit")).body.entries;
  assert.deepEqual(
    own.map(({ action, actor, ip }: { action: string; actor: { name: string }; ip: string | null }) => [
      action,
      actor.name,
      ip === null,
    ]),
    [
      ["addEntry", "Operator", true],
      ["createKey", "member@a.test", false],
    ],
  );
  assert.ok(!JSON.stringify(own).includes(operator.email));
  const named = (await owner.call("GET", `/audit?actor=${operator.email}`)).body.entries;
  assert.deepEqual(named, []);
  assert.equal((await owner.call("GET", "/audit?actor=member")).body.entries.length, 1);
  const page = (await operator.call("GET", "/operator/audit?limit=2")).body;
  const rest = (await operator.call("GET", `/operator/audit?limit=2&cursor=${page.next}`)).body;
  assert.deepEqual([page.entries.length, rest.entries.length, rest.next], [2, 1, null]);
  assert.equal((await rig.as("member").call("GET", "/audit")).status, 403);
});
