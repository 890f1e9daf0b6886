/**
 * What every store must do with settings, the audit log, self-checks and holders. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewAuditEntry } from "../../../people/people.ts";
import type { NewFixture } from "../../fixture.ts";
import { accountSubject, newAccount, take } from "../money.ts";

function settings(newFixture: NewFixture): void {
  test("settings begin with defaults and are changed by who saw them as they are", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const initial = { name: "Plaza", plazaIsPublic: false, lowBalance: null, revision: 0 };
    assert.deepEqual(await store.getSettings(), initial);
    const mine = { name: "Modelle ü", plazaIsPublic: true, lowBalance: nanoUsd(9_007_199_254_740_993n) };
    const outcomes = await Promise.all([
      store.changeSettings({ ...mine, revision: 0 }),
      other.changeSettings({ ...mine, revision: 0 }),
    ]);
    assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 1);
    assert.deepEqual(await other.getSettings(), { ...mine, revision: 1 });
    assert.deepEqual(await store.changeSettings({ ...initial, revision: 1 }), { ...initial, revision: 2 });
    assert.deepEqual(await store.getSettings(), { ...initial, revision: 2 });
    assert.equal(await store.changeSettings({ ...mine, revision: 1 }), undefined);
    const wrong = { ...mine, lowBalance: nanoUsd(-1n), revision: 2 };
    await assert.rejects(store.changeSettings(wrong), { code: "invalid" });
  });
}

function auditLog(newFixture: NewFixture): void {
  test("the audit log is read newest first, by who, what, about whom and when", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const entry = (at: number, more: Partial<NewAuditEntry>): NewAuditEntry => ({
      at,
      actorKind: "user",
      actorId: "usr_1",
      actorName: "ann@example.com",
      accountId: null,
      action: "createKey",
      subject: null,
      detail: null,
      ip: null,
      requestId: null,
      outcome: "begun",
      ...more,
    });
    const first = await store.beginAudit(entry(100, { accountId: "acc_1", detail: '{"name":"ü"}' }));
    await store.beginAudit(
      entry(200, { actorKind: "cli", actorId: null, actorName: "root", action: "topup" }),
    );
    await store.beginAudit(entry(300, { action: "revokeKey", subject: "key_1", outcome: "refused" }));
    await store.endAudit(first, { outcome: "done", subject: "key_9" });
    const all = await store.listAudit({ limit: 9 });
    assert.deepEqual(
      all.map(({ at }) => at),
      [300, 200, 100],
    );
    assert.deepEqual(all[2], {
      id: first,
      at: 100,
      actor: { kind: "user", id: "usr_1", name: "ann@example.com" },
      accountId: "acc_1",
      accountName: "acc_1",
      action: "createKey",
      subject: "key_9",
      detail: { name: "ü" },
      ip: null,
      requestId: null,
      outcome: "done",
    });
    const times = async (filter: object) =>
      (await store.listAudit({ limit: 9, ...filter })).map(({ at }) => at);
    assert.deepEqual(await times({ actor: "ANN@" }), [300, 100]);
    assert.deepEqual(await times({ actor: "usr_1" }), [300, 100]);
    assert.deepEqual(await times({ actor: "usr" }), []);
    assert.deepEqual(await times({ actions: ["topup", "revokeKey"] }), [300, 200]);
    assert.deepEqual(await times({ accountId: "acc_1" }), [100]);
    assert.deepEqual(await times({ from: 200, to: 300 }), [200]);
    assert.deepEqual(await times({ before: all[0]?.id, limit: 1 }), [200]);
  });
}

const oldEntry = (at: number): NewAuditEntry => ({
  at,
  actorKind: "cli",
  actorId: null,
  actorName: "root",
  accountId: null,
  action: "topup",
  subject: null,
  detail: null,
  ip: null,
  requestId: null,
  outcome: "done",
});

function pruning(newFixture: NewFixture): void {
  test("old lines of the audit log are forgotten a few at a time, the oldest first", async (context) => {
    const { store, reopen } = await newFixture(context);
    // Two processes with different clocks: an older entry may have a larger id.
    for (const at of [500, 100, 300, 200, 400, 600]) await store.beginAudit(oldEntry(at));
    const times = async () => (await store.listAudit({ limit: 9 })).map(({ at }) => at);
    assert.equal(await store.pruneAudit(100, 9), 0);
    assert.equal(await store.pruneAudit(401, 2), 2);
    assert.deepEqual(await times(), [600, 400, 300, 500]);
    const other = await reopen();
    const gone = await Promise.all([store.pruneAudit(401, 9), other.pruneAudit(401, 9)]);
    assert.equal(gone[0] + gone[1], 2);
    assert.deepEqual(await times(), [600, 500]);
    const id = await store.beginAudit(oldEntry(50));
    assert.equal(await store.pruneAudit(400, 9), 1);
    await store.endAudit(id, { outcome: "done", subject: "gone" });
    assert.deepEqual(await times(), [600, 500]);
  });
}

function checks(newFixture: NewFixture): void {
  test("one self-check runs at a time, and its result stays", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 9_007_199_254_740_993n);
    assert.deepEqual(await store.listLedgerChecks({ limit: 5 }), []);
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 === 0 ? store : other).beginLedgerCheck({ id: `chk_${index}`, startedBy: "ann" }),
      ),
    );
    const [check, ...more] = begun.filter((one) => one !== undefined);
    assert.ok(check !== undefined && more.length === 0);
    assert.deepEqual([check.status, check.report, check.endedAt], ["running", null, null]);
    await store.beatLedgerCheck(check.id);
    const report = await store.verifyLedger();
    await store.endLedgerCheck(check.id, report);
    await store.beatLedgerCheck(check.id);
    await store.endLedgerCheck(check.id, null);
    const [kept] = await other.listLedgerChecks({ limit: 5 });
    assert.deepEqual([kept?.status, kept?.report], ["ok", report]);
    const finding = { what: "balance", subject: "acc_1", text: "off" } as const;
    await store.beginLedgerCheck({ id: "chk_wrong", startedBy: null });
    await store.endLedgerCheck("chk_wrong", { ...report, isOk: false, findings: [finding] });
    await store.beginLedgerCheck({ id: "chk_broken", startedBy: null });
    await store.endLedgerCheck("chk_broken", null);
    const all = await store.listLedgerChecks({ limit: 5 });
    const states = new Map(all.map(({ id, status }) => [id, status]));
    assert.deepEqual(
      [states.size, states.get("chk_wrong"), states.get("chk_broken")],
      [3, "wrong", "failed"],
    );
    const rest = await store.listLedgerChecks({ limit: 5, before: all[0] });
    assert.deepEqual(
      rest.map(({ id }) => id),
      all.slice(1).map(({ id }) => id),
    );
  });
}

function holders(newFixture: NewFixture): void {
  test("holders are told with what is lent to them", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await newAccount(store, "acc_2", 100n);
    assert.deepEqual(await store.listHolders(), []);
    await store.openHolder("hld_1");
    await store.openHolder("hld_2");
    await take(store, "hld_2", accountSubject("acc_1"), 30n);
    await take(store, "hld_2", accountSubject("acc_2"), 12n);
    const told = await store.listHolders();
    assert.deepEqual(
      told.map(({ id, isAlive, leases, leased }) => [id, isAlive, leases, leased]),
      [
        ["hld_1", true, 0, 0n],
        ["hld_2", true, 2, 42n],
      ],
    );
    assert.ok(told.every(({ startedAt, expiresAt }) => expiresAt > startedAt));
  });
}

function health(newFixture: NewFixture): void {
  test("health is summed up where it is kept, and its rows come in pages", async (context) => {
    const { store } = await newFixture(context);
    const calm = { all: 0, troubled: 0 };
    const nothing = { processes: [], deployments: calm, credentials: calm, troubles: [], moreTroubles: 0 };
    assert.deepEqual(await store.readHealth(5), nothing);
    await store.openHolder("hld_1");
    const deployments = ["a", "b", "c"].map((model) => ({
      model,
      upstreamModel: model,
      priority: 1,
      weight: 1,
      weightNow: 0,
      state: model === "a" ? ("healthy" as const) : ("ejected" as const),
      untilAt: null,
      lastFault: null,
      inFlight: 0,
      firstTokenMs: null,
      p95FirstTokenMs: null,
    }));
    const upstream = { id: "main", provider: "openai", inFlight: 0, concurrency: null, deployments };
    const active = { number: 1, state: "active", untilAt: null, lastFault: null } as const;
    const models = { down: ["b", "c"], degraded: [], served: [] };
    await store.publishUpstreamStates("hld_1", [{ ...upstream, credentials: [active] }], undefined, models);
    const summary = await store.readHealth(3);
    assert.deepEqual(
      [summary.processes.map(({ process }) => process), summary.deployments, summary.credentials],
      [["hld_1"], { all: 3, troubled: 2 }, { all: 1, troubled: 0 }],
    );
    assert.ok(!("upstreams" in (summary.processes[0] ?? {})));
    assert.deepEqual(
      [summary.troubles.map(({ kind }) => kind), summary.moreTroubles],
      [["modelDown", "modelDown", "ejected"], 1],
    );
    const page = await store.pageDeploymentHealth({ limit: 2 });
    assert.deepEqual(
      [page.rows.map(({ model }) => model), page.tally],
      [["b", "c"], { all: 3, troubled: 2 }],
    );
    assert.ok(page.next !== null);
    const rest = await store.pageDeploymentHealth({ limit: 2, after: page.next });
    assert.deepEqual([rest.rows.map(({ model }) => model), rest.next], [["a"], null]);
    const standings = await store.listUpstreamStandings();
    assert.deepEqual(standings, [{ id: "main", kind: "troubled", count: 2, inFlight: 0 }]);
    const credentials = await store.pageCredentialHealth({ search: "MAIN", limit: 2 });
    assert.deepEqual(credentials.rows, [{ process: "hld_1", upstream: "main", ...active }]);
  });
}

export function consoleOperationBehaviour(newFixture: NewFixture): void {
  settings(newFixture);
  auditLog(newFixture);
  pruning(newFixture);
  checks(newFixture);
  holders(newFixture);
  health(newFixture);
}
