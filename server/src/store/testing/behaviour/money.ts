/** Shared by the suite's tests about money: priced requests, small requests, and the sum of everything. */
import assert from "node:assert/strict";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Account } from "../../accounts/account-shapes.ts";
import type { LeaseGrant, LeaseSubject } from "../../ledger/lease-shapes.ts";
import type { NewLedgerEntry } from "../../ledger/shapes.ts";
import type { RequestRow } from "../../requests/shapes.ts";
import type { Store } from "../../store.ts";
import { requestRow } from "./requests.ts";

export const newAccount = (store: Store, id: string, balance: bigint): Promise<Account> =>
  store.createAccount({ id, name: id, balance: nanoUsd(balance) });

export const accountSubject = (id: string): LeaseSubject => ({ kind: "account", id, ownerId: id });

export const topup = (
  accountId: string,
  amount: bigint,
  more: Partial<NewLedgerEntry> = {},
): NewLedgerEntry => ({ accountId, kind: "topup", amount: nanoUsd(amount), ...more });

/** A model that costs 1 NanoUsd per token; resolves with the id of its price row. */
export async function priceOneNano(store: Store): Promise<number> {
  const rate = nanoUsd(1_000_000n);
  await store.applyCatalog({
    upstreams: [
      {
        id: "main",
        provider: "openai",
        baseUrl: "http://127.0.0.1:1/v1",
        credentials: [],
        timeouts: defaultTimeouts,
      },
    ],
    models: [{ id: "gpt-5-mini", name: "GPT-5 mini", price: { input: rate, output: rate }, deployments: [] }],
    limits: {},
  });
  const row = (await store.loadCatalog())?.models[0]?.priceRows?.[0];
  assert.ok(row !== undefined);
  return row.id;
}

/** A request that costs `charge` NanoUsd at that price. */
export function chargedRow(
  number: number,
  accountId: string,
  charge: bigint,
  priceId: number,
  changes: Partial<RequestRow> = {},
): RequestRow {
  return requestRow(number, {
    accountId,
    inputTokens: Number(charge),
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    charge: nanoUsd(charge),
    priceId,
    ...changes,
  });
}

/** Borrows exactly this amount, or nothing. */
export const take = (
  store: Store,
  holderId: string,
  subject: LeaseSubject,
  amount: bigint,
): Promise<LeaseGrant> =>
  store.takeLease(holderId, subject, { atLeast: amount, need: amount, want: amount, unit: amount });

/** An account's balance and lent amount as bigints. */
export async function funds(store: Store, accountId: string): Promise<{ balance: bigint; leased: bigint }> {
  const account = await store.findAccount(accountId);
  assert.ok(account !== undefined);
  return { balance: account.balance, leased: account.leased };
}

/** Checks that everything adds up, by the store's own check and by an independent one. */
export async function audit(store: Store): Promise<void> {
  const report = await store.verifyLedger();
  assert.deepEqual(report.findings, []);
  assert.equal(report.isOk, true);
  assert.equal(report.moreFindings, 0);
  const accounts = await store.listAccounts();
  let entries = 0;
  for (const { id, balance } of accounts) {
    const lines = await store.listEntries({ accountId: id, limit: 10_000 });
    entries += lines.length;
    const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
    assert.equal(balance, total, id);
  }
  const { totals } = report;
  assert.equal(report.accounts, accounts.length);
  assert.equal(report.entries, entries);
  assert.equal(
    totals.balance,
    accounts.reduce((sum, { balance }) => sum + balance, 0n),
  );
  assert.equal(
    totals.leased,
    accounts.reduce((sum, { leased }) => sum + leased, 0n),
  );
  assert.equal(totals.balance, totals.credited - totals.charged + totals.lost);
}
