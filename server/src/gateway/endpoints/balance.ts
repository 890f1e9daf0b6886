/**
 * `GET /v1/balance`: the balance of the caller's account and what is left of its key's budget. Amounts are
 * decimal strings in US dollars.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { budgetWindow } from "../../domain/money/budget.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Account, AccountsStore } from "../../store/accounts/account-shapes.ts";
import type { LeasesStore } from "../../store/ledger/lease-shapes.ts";
import type { Caller } from "../request/authenticate.ts";

export interface BalanceContext {
  readonly store: Pick<AccountsStore, "findAccount"> & Pick<LeasesStore, "findBudget">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface BudgetObject {
  readonly period: "day" | "month";
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  /** ISO 8601. */
  readonly resets_at: string;
}

export interface BalanceObject {
  readonly object: "balance";
  readonly currency: "USD";
  readonly balance: string;
  /** On hold for running requests, plus what serving processes have leased for the next ones. */
  readonly held: string;
  readonly available: string;
  /** null when the key has no budget. */
  readonly budget: BudgetObject | null;
}

async function budgetObject({ store, clock }: BalanceContext, caller: Caller): Promise<BudgetObject | null> {
  const { budget, id } = caller.key;
  if (budget === null) return null;
  const window = budgetWindow(id, budget.period, clock.wallMs());
  const spent = (await store.findBudget(window.id))?.spent ?? nanoUsd(0n);
  const remaining = budget.amount > spent ? budget.amount - spent : 0n;
  return {
    period: budget.period,
    limit: formatUsd(budget.amount),
    spent: formatUsd(spent),
    remaining: formatUsd(nanoUsd(remaining)),
    resets_at: new Date(window.endsAt).toISOString(),
  };
}

async function read(
  context: BalanceContext,
  caller: Caller,
): Promise<{ account: Account | undefined; budget: BudgetObject | null }> {
  try {
    const account = await context.store.findAccount(caller.key.accountId);
    return { account, budget: await budgetObject(context, caller) };
  } catch (error) {
    context.log.warn("balance_not_read", { error: (error as Error).message });
    throw new GatewayError("ledger_unavailable", {
      message: message("call.balanceUnread"),
    });
  }
}

/** Throws `ledger_unavailable` when the store fails. */
export async function getBalance(context: BalanceContext, caller: Caller): Promise<BalanceObject> {
  const { account, budget } = await read(context, caller);
  const zero: NanoUsd = nanoUsd(0n);
  const { balance, leased } = account ?? { balance: zero, leased: zero };
  return {
    object: "balance",
    currency: "USD",
    balance: formatUsd(balance),
    held: formatUsd(leased),
    available: formatUsd(nanoUsd(balance - leased)),
    budget,
  };
}
