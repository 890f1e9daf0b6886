/**
 * The connection between a serving process and the store: messages take time, the store may be unavailable,
 * and the result of a batch may be lost. The real `store/ledger/batches.ts` collects the batches.
 */
import type { LeaseStore } from "../../server/src/gateway/money/leases.ts";
import { StoreError } from "../../server/src/store/error.ts";
import { createLedgerBatches, type LedgerBatches } from "../../server/src/store/ledger/batches.ts";
import type { Random } from "../rigs/harness/random.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Party, Scheduler } from "./scheduler.ts";

/** The current state of the connection to the store, shared by all processes. */
export interface Weather {
  /** The store is unavailable until then. */
  awayUntilMs: number;
  /** Probability that a message is lost before it reaches the store. */
  lostBefore: number;
  /** Probability that the store executes a message and the reply is lost. */
  lostAfter: number;
  /** Maximum delay of a message in one direction. */
  delayMsMax: number;
}

export interface StoreLink extends LeaseStore {
  readonly recordRequest: LedgerBatches["record"];
  /**
   * Counts settlements in the journal, which will be sent again. Until they are written no lease may be
   * returned completely, because it contains their money.
   */
  noteJournalled(change: 1 | -1): void;
  /** Number of batched calls without a reply. */
  readonly underWay: number;
}

export interface LinkOptions {
  readonly store: MemoryStore;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly weather: Weather;
  readonly party: Party;
  /** Notifies every process, including this one, that an account or budget is short. */
  readonly onRecall: (subjectId: string) => void;
}

const away = () => new StoreError("unavailable", "the simulated store does not answer");

/** Timeout after which a caller considers a message lost. */
const timeoutMs = 1_000;

export function createStoreLink({
  store,
  scheduler,
  random,
  weather,
  party,
  onRecall,
}: LinkOptions): StoreLink {
  let underWay = 0;
  let journalled = 0;
  const delay = (): number => random.int(0, weather.delayMsMax);

  function roundTrip<T>(act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(away());
      // A sent message arrives even when its sender is paused or dead.
      scheduler.after(delay(), "alone", () => {
        const isAway = scheduler.nowMs < weather.awayUntilMs;
        if (isAway || random.chance(weather.lostBefore)) {
          scheduler.after(timeoutMs, party, fail);
          return;
        }
        const result = act();
        if (random.chance(weather.lostAfter)) scheduler.after(timeoutMs, party, fail);
        else scheduler.after(delay(), party, () => resolve(result));
      });
    });
  }

  const batches = createLedgerBatches((batch) => {
    // Evaluated only now, because the previous batch may have failed while this one was collected.
    const isHeldUp = journalled > 0 && batch.returns.some(({ amount }) => amount === "all");
    const sent = isHeldUp ? { ...batch, returns: [], takes: [] } : batch;
    const reply = roundTrip(() => store.commit(sent)).finally(scheduler.expectTurn);
    if (isHeldUp)
      return { rows: reply.then(({ faults }) => faults), leases: reply.then(() => Promise.reject(away())) };
    return { rows: reply.then(({ faults }) => faults), leases: reply };
  });
  /** Batches are sent at the end of an event loop turn. */
  function atEndOfTurn<T>(promise: Promise<T>): Promise<T> {
    scheduler.expectTurn();
    underWay++;
    return promise.finally(() => {
      underWay--;
    });
  }

  return {
    noteJournalled(change) {
      journalled += change;
    },
    get underWay() {
      return underWay;
    },
    recordRequest: (row, settlement) => atEndOfTurn(batches.record(row, settlement)),
    takeLease: (holderId, subject, requested) => atEndOfTurn(batches.take({ holderId, subject, requested })),
    returnLease: (holderId, subject, amount) => atEndOfTurn(batches.giveBack({ holderId, subject, amount })),
    recallLeases: (subjectId) => roundTrip(() => onRecall(subjectId)),
    openHolder: (id) => roundTrip(() => store.openHolder(id)),
    heartbeat: (id) => roundTrip(() => store.heartbeat(id)),
    closeHolder: (id) => roundTrip(() => store.closeHolder(id)),
  };
}
