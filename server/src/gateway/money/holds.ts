/**
 * Places the hold of a request, its worst-case cost, in the account's balance and the key's budget before any
 * upstream call. Each hold ends exactly once, with or without a charge.
 */

import type { Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { budgetWindow } from "../../domain/money/budget.ts";
import { affordableOutput, holdFor, leastHoldFor } from "../../domain/money/hold.ts";
import type { HoldRequest } from "../../domain/money/lease.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { LeaseSubject } from "../../store/ledger/lease-shapes.ts";
import type { Settlement } from "../../store/requests/settlement-shapes.ts";
import type { Caller } from "../request/authenticate.ts";
import type { PooledHold, Refusal } from "./lease-pool.ts";
import type { Leases } from "./leases.ts";

export interface HoldContext {
  readonly leases: Leases;
  readonly clock: Clock;
}

/** What determines the cost of a request. */
export interface HoldBasis {
  readonly caller: Caller;
  readonly price: Price;
  readonly inputTokens: number;
  /** Maximum output tokens per choice, from the request and the model. */
  readonly outputTokens: number;
  /** Tokens per choice that the output limit does not cover. */
  readonly furtherTokens?: number | undefined;
  readonly answers: number;
  /** True when the request may involve audio or images (`worst-case.ts`). */
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

/** The money on hold for one request. */
export interface Hold {
  /** Output tokens per choice that the hold pays for, when it is less than requested. */
  readonly clampedTo: number | undefined;
  /** NanoUsd on hold, when it is less than the worst case of the request or any substitute. */
  readonly held: bigint | undefined;
  /**
   * Ends the hold with a charge in NanoUsd. Returns what the store must write; undefined when the hold has
   * already ended.
   */
  settle(charge: bigint): Settlement | undefined;
  /** Ends the hold without a charge, unless it has already ended. */
  drop(): void;
  /** The settlement was not written, so money may still be lent in the store and must be returned. */
  doubt(): void;
}

/** For requests without cost. */
const noHold: Hold = {
  clampedTo: undefined,
  held: undefined,
  settle: () => undefined,
  drop: () => {},
  doubt: () => {},
};

/**
 * After losing its leases a process retries under a new holder. Further losses mean that something else is
 * wrong.
 */
const triesMax = 3;

type HoldOutcome = PooledHold | "suspended" | { readonly available: bigint };

async function placeIn(leases: Leases, subject: LeaseSubject, requested: HoldRequest): Promise<HoldOutcome> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const outcome: PooledHold | Refusal = await leases.hold(subject, requested);
    if ("leasePool" in outcome) return outcome;
    if (outcome.kind === "suspended") return "suspended";
    if (outcome.kind === "short") return outcome;
  }
  throw new GatewayError("ledger_unavailable");
}

function insufficient(need: bigint, available: bigint): GatewayError {
  const [most, left] = [formatUsd(nanoUsd(need)), formatUsd(nanoUsd(available))];
  return new GatewayError("insufficient_balance", {
    message: message("limit.balanceTooLow", { need: most, left }),
  });
}

function overBudget(need: bigint, available: bigint, period: "day" | "month", endsAt: number): GatewayError {
  const [most, left] = [formatUsd(nanoUsd(need)), formatUsd(nanoUsd(available > 0n ? available : 0n))];
  return new GatewayError("budget_exceeded", {
    message: message("limit.budgetTooLow", {
      period,
      need: most,
      left,
      until: new Date(endsAt).toISOString(),
    }),
  });
}

/** Places the hold in the account. Throws `insufficient_balance` or `account_suspended`. */
async function placeAccount(
  context: HoldContext,
  accountId: string,
  requested: HoldRequest,
): Promise<PooledHold> {
  const subject: LeaseSubject = { kind: "account", id: accountId, ownerId: accountId };
  const placed = await placeIn(context.leases, subject, requested);
  if (placed === "suspended") throw new GatewayError("account_suspended");
  if (!("leasePool" in placed)) throw insufficient(requested.atLeast, placed.available);
  return placed;
}

/**
 * Places the same hold in the key's budget, which may reduce it further. undefined when the key has no
 * budget. Throws `budget_exceeded`.
 */
async function placeBudget(
  context: HoldContext,
  caller: Caller,
  requested: HoldRequest,
): Promise<PooledHold | undefined> {
  const { budget, id: keyId } = caller.key;
  if (budget === null) return undefined;
  const window = budgetWindow(keyId, budget.period, context.clock.wallMs());
  const subject: LeaseSubject = { kind: "budget", id: window.id, ownerId: keyId };
  const placed = await placeIn(context.leases, subject, requested);
  if (placed === "suspended") throw new GatewayError("account_suspended");
  if (!("leasePool" in placed))
    throw overBudget(requested.atLeast, placed.available, budget.period, window.endsAt);
  return placed;
}

/** An active hold. */
class PlacedHold implements Hold {
  readonly clampedTo: number | undefined;
  readonly held: bigint | undefined;
  readonly #account: PooledHold;
  readonly #budget: PooledHold | undefined;
  #isEnded = false;

  constructor(
    account: PooledHold,
    budget: PooledHold | undefined,
    short: { readonly clampedTo: number | undefined; readonly held: bigint } | undefined,
  ) {
    this.#account = account;
    this.#budget = budget;
    this.clampedTo = short?.clampedTo;
    this.held = short?.held;
  }

  settle(charge: bigint): Settlement | undefined {
    if (this.#isEnded) return undefined;
    this.#isEnded = true;
    const account = this.#account.leasePool.end(this.#account, charge);
    const budget = this.#budget?.leasePool.end(this.#budget, charge);
    return {
      holderId: this.#account.holderId,
      account: { fromLease: nanoUsd(account.fromLease), release: nanoUsd(account.release) },
      budget:
        this.#budget === undefined || budget === undefined
          ? undefined
          : {
              id: this.#budget.leasePool.subject.id,
              fromLease: nanoUsd(budget.fromLease),
              release: nanoUsd(budget.release),
            },
    };
  }

  drop(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#account.leasePool.drop(this.#account);
    this.#budget?.leasePool.drop(this.#budget);
  }

  doubt(): void {
    this.#account.leasePool.doubt();
    this.#budget?.leasePool.doubt();
  }
}

/** Places a hold that needs more than the local lease: it waits for a lease, has a budget, or is refused. */
async function placeSlowly(
  context: HoldContext,
  request: HoldBasis,
  requested: HoldRequest,
  atOnce: PooledHold | undefined,
): Promise<Hold> {
  const account = atOnce ?? (await placeAccount(context, request.caller.key.accountId, requested));
  let budget: PooledHold | undefined;
  try {
    budget = await placeBudget(context, request.caller, {
      amount: account.amount,
      atLeast: requested.atLeast,
    });
  } catch (error) {
    account.leasePool.drop(account);
    throw error;
  }
  if (budget !== undefined && budget.holderId !== account.holderId) {
    // The holder changed between the two holds. A settlement can name only one holder.
    budget.leasePool.drop(budget);
    account.leasePool.drop(account);
    throw new GatewayError("ledger_unavailable");
  }
  const held = budget === undefined || budget.amount > account.amount ? account.amount : budget.amount;
  if (held >= requested.amount) return new PlacedHold(account, budget, undefined);
  const clampedTo = held < holdFor(request) ? affordableOutput(request, held) : undefined;
  return new PlacedHold(account, budget, { clampedTo, held });
}

/**
 * For a free model with paid substitutes: holds what money there is. With none, only free substitutes may
 * serve.
 */
async function placeForOthers(
  context: HoldContext,
  request: HoldBasis,
  amount: bigint,
  atOnce: PooledHold | undefined,
): Promise<Hold> {
  try {
    return await placeSlowly(context, request, { amount, atLeast: 1n }, atOnce);
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code !== "insufficient_balance" && code !== "budget_exceeded") throw error;
    return { ...noHold, held: 0n };
  }
}

/**
 * Returns how many output tokens per choice the hold pays for under `request`'s price. undefined = all it
 * asks for; "too little" = not enough to be useful.
 */
export function outputPaid(hold: Hold, request: HoldBasis): number | undefined | "too little" {
  const { held } = hold;
  if (held === undefined || held >= holdFor(request)) return undefined;
  return held < leastHoldFor(request) ? "too little" : affordableOutput(request, held);
}

const none: readonly HoldBasis[] = [];

/**
 * Places the hold of a request; usually synchronous, from the local lease. `others`: the same request served
 * by each substitute. The hold covers the most expensive of them if there is enough money, but only the
 * requested model's cost can refuse the request. Throws or rejects with `insufficient_balance`,
 * `budget_exceeded`, `account_suspended` or `ledger_unavailable`; nothing stays on hold then.
 */
export function placeHold(context: HoldContext, request: HoldBasis, others = none): Hold | Promise<Hold> {
  const own = holdFor(request);
  let amount = own;
  for (const other of others) {
    const most = holdFor(other);
    if (most > amount) amount = most;
  }
  if (amount === 0n) return noHold;
  const { accountId, budget } = request.caller.key;
  const atOnce = context.leases.holdAtOnce(accountId, amount);
  if (atOnce !== undefined && budget === null) return new PlacedHold(atOnce, undefined, undefined);
  if (own === 0n) return placeForOthers(context, request, amount, atOnce);
  return placeSlowly(context, request, { amount, atLeast: leastHoldFor(request) }, atOnce);
}
