/**
 * The connection between a serving process and the store: messages take time, the store may be unavailable,
 * and sometimes the result of a batch is lost. The real `store/ledger/batches.ts` collects the batches.
 */
import type { LeaseStore } from "../../server/src/gateway/money/leases.ts";
import { StoreError } from "../../server/src/store/error.ts";
import { createLedgerBatches, type LedgerBatches } from "../../server/src/store/ledger/batches.ts";
import type { Random } from "../rigs/harness/random.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Party, Scheduler } from "./scheduler.ts";

/** How the way to the store is at the moment; one for all processes. */
export interface Weather {
  /** No message reaches the store until then. */
  awayUntilMs: number;
  /** Probability that a message is lost before the store sees it. */
  lostBefore: number;
  /** Probability that the store does what it is asked and the reply is lost. */
  lostAfter: number;
  /** Longest way of a message, one direction. */
  delayMsMax: number;
}

export interface StoreLink extends LeaseStore {
  readonly recordRequest: LedgerBatches["record"];
  /**
   * One settlement more or less that was not written at once and will be sent again: what is in the journal.
   * Until they are written no lease may be given back wholly, for it holds their money.
   */
  noteJournalled(change: 1 | -1): void;
  /** Batched calls that are not answered yet. */
  readonly underWay: number;
}

export interface LinkOptions {
  readonly store: MemoryStore;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly weather: Weather;
  readonly party: Party;
  /** Tells every process, itself included, that an account or budget is short. */
  readonly onRecall: (subjectId: string) => void;
}

const away = () => new StoreError("unavailable", "the simulated store does not answer");

/** A caller learns of a lost message by waiting this long. */
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
      // A message on its way arrives even when its sender is paused or dead.
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
    // Known only now: the batch before this one may have failed while this one was filled.
    const isHeldUp = journalled > 0 && batch.returns.some(({ amount }) => amount === "all");
    const sent = isHeldUp ? { ...batch, returns: [], takes: [] } : batch;
    const reply = roundTrip(() => store.commit(sent)).finally(scheduler.expectTurn);
    if (isHeldUp)
      return { rows: reply.then(({ faults }) => faults), leases: reply.then(() => Promise.reject(away())) };
    return { rows: reply.then(({ faults }) => faults), leases: reply };
  });
  /** Batches leave at the end of a turn of the event loop. */
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
