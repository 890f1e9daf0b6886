/**
 * Breaks each invariant of a ledger batch: by a source with wrong data, a faulty writer, or a database
 * changed by hand.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { openStoreInProcess } from "../open.ts";
import { pushRequestValues, type RequestValue } from "../requests/row.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import type { LeaseSubject } from "./lease-shapes.ts";
import { type AccountFunds, type LedgerSource, LedgerWorkspace } from "./workspace.ts";

const account: LeaseSubject = { kind: "account", id: "acc_1", ownerId: "acc_1" };
const sound: AccountFunds = { balance: 1_000n, leased: 500n, spent: 0n, isActive: true };

const sourceOf = (funds = sound, lease: bigint | undefined = 500n): LedgerSource => ({
  account: () => funds,
  lease: () => lease,
  budget: () => undefined,
  budgetAmount: () => null,
  isAlive: () => true,
});

function valuesOf(id: string, charge: bigint, fromLease = charge): RequestValue[] {
  const values: RequestValue[] = [];
  const row = requestRow(1, { id, accountId: "acc_1", charge: nanoUsd(charge) });
  const part = { fromLease: nanoUsd(fromLease), release: nanoUsd(0n) };
  pushRequestValues(row, { holderId: "h1", account: part }, values);
  return values;
}

const broken = (rule: RegExp) => ({ name: "BrokenInvariant", message: rule });

/** Settles one request that costs 10, as the writers do. */
function settleOne(workspace: LedgerWorkspace, id = "req_1"): void {
  workspace.settle(valuesOf(id, 10n), 0).apply();
  workspace.enter("acc_1", -10n);
}

test("a sound batch passes", () => {
  const workspace = new LedgerWorkspace(sourceOf());
  settleOne(workspace);
  workspace.giveBack({ holderId: "h1", subject: account, amount: nanoUsd(20n) });
  const requested = { atLeast: 1n, need: 5n, want: 5n, unit: 1n };
  assert.equal(workspace.take({ holderId: "h2", subject: account, requested }).status, "granted");
  workspace.verify();
  assert.deepEqual(workspace.accounts.get("acc_1")?.funds, {
    ...sound,
    balance: 990n,
    leased: 475n,
    spent: 10n,
  });
});

for (const [name, funds, lease] of [
  ["a lease that its account does not know of", { ...sound, leased: 0n }, 500n],
  ["more lent than there is", { ...sound, balance: 400n }, 500n],
  ["a lease of less than nothing", sound, -500n],
] as const) {
  test(`${name} stops the settlement before it did anything`, () => {
    const workspace = new LedgerWorkspace(sourceOf(funds, lease));
    assert.throws(() => workspace.settle(valuesOf("req_1", 10n), 0), { name: "BrokenInvariant" });
    assert.equal(workspace.accounts.get("acc_1")?.isChanged, false);
  });
}

test("a charge of less than nothing is no settlement", () => {
  const workspace = new LedgerWorkspace(sourceOf());
  assert.throws(() => workspace.settle(valuesOf("req_1", -10n, 0n), 0), broken(/a charge is never negative/));
});

test("a request is settled once in a batch", () => {
  const workspace = new LedgerWorkspace(sourceOf());
  settleOne(workspace);
  assert.throws(() => settleOne(workspace), broken(/settled once in a batch \(req_1\)/));
  settleOne(workspace, "req_2");
});

test("a balance that moves without its entries, or entries without a balance, stop the batch", () => {
  const forgotten = new LedgerWorkspace(sourceOf());
  forgotten.settle(valuesOf("req_1", 10n), 0).apply();
  assert.throws(() => forgotten.verify(), broken(/a balance moves by its ledger entries \(acc_1\)/));
  const doubled = new LedgerWorkspace(sourceOf());
  settleOne(doubled);
  doubled.enter("acc_1", -10n);
  assert.throws(() => doubled.verify(), broken(/a balance moves by its ledger entries/));
});

test("leases that do not add up to what is lent stop the batch", () => {
  for (const amount of [600n, -1n]) {
    const workspace = new LedgerWorkspace(sourceOf());
    settleOne(workspace);
    for (const lease of workspace.leases.values()) lease.amount = amount;
    assert.throws(() => workspace.verify(), { name: "BrokenInvariant" });
  }
  const gone = new LedgerWorkspace(sourceOf());
  settleOne(gone);
  for (const lease of gone.leases.values()) lease.isGone = true;
  assert.throws(() => gone.verify(), broken(/one that goes is empty/));
});

test("in a database changed by hand the settlement is refused loudly and its neighbours go on", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "invariants-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  context.after(() => store.close());
  await store.migrate();
  await store.openHolder("h1");
  const requested = { atLeast: 500n, need: 500n, want: 500n, unit: 500n };
  for (const id of ["acc_1", "acc_2"]) {
    await store.createAccount({ id, name: id, balance: nanoUsd(1_000n) });
    await store.takeLease("h1", { kind: "account", id, ownerId: id }, requested);
  }
  const byHand = new DatabaseSync(file);
  byHand.exec("update accounts set leased_nanos = 0 where id = 'acc_1'");
  byHand.close();
  const part = { fromLease: nanoUsd(10n), release: nanoUsd(0n) };
  const record = (number: number, accountId: string) =>
    store.recordRequest(requestRow(number, { accountId, charge: nanoUsd(10n) }), {
      holderId: "h1",
      account: part,
    });
  const outcomes = await Promise.allSettled([record(1, "acc_1"), record(2, "acc_2"), record(3, "acc_1")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "fulfilled", "rejected"],
  );
  const [first] = outcomes;
  assert.ok(first?.status === "rejected");
  assert.match((first.reason as Error).message, /broken invariant: no more is lent than there is \(req_/);
  const balances = (await store.listAccounts()).map(({ id, balance }) => [id, balance]);
  assert.deepEqual(balances.toSorted(), [
    ["acc_1", 1_000n],
    ["acc_2", 990n],
  ]);
  const rows = await store.listRequests({ limit: 9 });
  assert.deepEqual(
    rows.map(({ accountId }) => accountId),
    ["acc_2"],
  );
});
