/** What every store must do with settings, the audit log, self-checks and holders. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewFixture } from "./behaviour.ts";
import { accountSubject, newAccount, take } from "./behaviour-money.ts";
import type { NewAuditEntry } from "./console/people.ts";

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

export function consoleOperationBehaviour(newFixture: NewFixture): void {
  settings(newFixture);
  auditLog(newFixture);
  checks(newFixture);
  holders(newFixture);
}
