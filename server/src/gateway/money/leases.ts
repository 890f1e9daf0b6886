/** All leases of this process: one holder (`holder.ts`), and a lease pool per account and budget in use. */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { HoldRequest } from "../../domain/money/lease.ts";
import type { LeaseSubject } from "../../store/ledger/lease-shapes.ts";
import { Holder, type HolderOptions } from "./holder.ts";
import {
  LeasePool,
  type LeasePoolContext,
  type LendingStore,
  type PooledHold,
  type Refusal,
} from "./lease-pool.ts";

export type LeaseStore = LendingStore & HolderOptions["store"];

export interface LeasesOptions extends HolderOptions {
  readonly store: LeaseStore;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface Leases {
  /** Registers this process. Rejects when the store fails. */
  open(): Promise<void>;
  /** Places a hold. Throws `ledger_unavailable` when there is no valid lease and the store fails. */
  hold(subject: LeaseSubject, requested: HoldRequest): PooledHold | Refusal | Promise<PooledHold | Refusal>;
  /** Places a hold if the account's current lease covers it; undefined otherwise. */
  holdAtOnce(accountId: string, amount: bigint): PooledHold | undefined;
  /** Sends a heartbeat; call regularly. Never rejects. */
  beat(): Promise<void>;
  /** Returns idle money; call regularly. */
  tick(): void;
  /** Another process needs money of this account or budget. */
  recall(subjectId: string): void;
  /** The account changed, for example by a top-up. */
  refresh(accountId: string): void;
  /** Returns everything; call when the process ends. */
  close(): Promise<void>;
  readonly holderId: string;
  /** True while the leases may be used. */
  readonly isValid: boolean;
  /** For metrics: lease pools in use, and NanoUsd lent and held. */
  readonly counts: { readonly leasePools: number; readonly lent: bigint; readonly held: bigint };
}

function countsOf(leasePools: ReadonlyMap<string, LeasePool>): Leases["counts"] {
  let lent = 0n;
  let held = 0n;
  for (const leasePool of leasePools.values()) {
    lent += leasePool.lent;
    held += leasePool.held;
  }
  return { leasePools: leasePools.size, lent, held };
}

export function createLeases(options: LeasesOptions): Leases {
  const { store, clock, log } = options;
  const leasePools = new Map<string, LeasePool>();
  const holder = new Holder(options, () => {
    for (const leasePool of leasePools.values()) leasePool.fence();
  });
  /** True after the first failure in a row was logged, so that the log does not get a line per call. */
  let isBeatLost = false;
  let isLendingLost = false;

  const context: LeasePoolContext = {
    store,
    clock,
    sleep: options.sleep,
    holderId: () => holder.id,
    isValid: () => holder.isValid,
    onFenced: () => holder.expire(),
  };

  function leasePoolOf(subject: LeaseSubject): LeasePool {
    let leasePool = leasePools.get(subject.id);
    if (leasePool === undefined) {
      leasePool = new LeasePool(subject, context);
      leasePools.set(subject.id, leasePool);
    }
    return leasePool;
  }

  async function holdAfterBeat(subject: LeaseSubject, requested: HoldRequest): Promise<PooledHold | Refusal> {
    await holder.beat();
    return leasePoolOf(subject).hold(requested);
  }

  async function translated(outcome: Promise<PooledHold | Refusal>): Promise<PooledHold | Refusal> {
    try {
      const answer = await outcome;
      isLendingLost = false;
      return answer;
    } catch (error) {
      if (!isLendingLost) log.warn("lease_not_taken", { error: (error as Error).message });
      isLendingLost = true;
      throw new GatewayError("ledger_unavailable", {
        message: message("limit.balanceUnchecked"),
      });
    }
  }

  return {
    open: () => holder.open(),
    hold(subject, requested) {
      if (!holder.isValid) return translated(holdAfterBeat(subject, requested));
      const outcome = leasePoolOf(subject).hold(requested);
      return outcome instanceof Promise ? translated(outcome) : outcome;
    },
    holdAtOnce(accountId, amount) {
      if (!holder.isValid) return undefined;
      return leasePools.get(accountId)?.holdAtOnce(amount);
    },
    async beat() {
      try {
        await holder.beat();
        if (isBeatLost) log.info("heartbeat_back");
        isBeatLost = false;
      } catch (error) {
        if (!isBeatLost) log.warn("heartbeat_failed", { error: (error as Error).message });
        isBeatLost = true;
      }
    },
    tick() {
      const nowMs = clock.elapsedMs();
      for (const [id, leasePool] of leasePools) {
        leasePool.tick(nowMs);
        if (leasePool.isEmpty) leasePools.delete(id);
      }
    },
    recall: (subjectId) => leasePools.get(subjectId)?.recall(),
    refresh: (accountId) => leasePools.get(accountId)?.refresh(),
    close: () => holder.close(),
    get holderId() {
      return holder.id;
    },
    get isValid() {
      return holder.isValid;
    },
    get counts() {
      return countsOf(leasePools);
    },
  };
}
