/**
 * Collects what goes to the ledger on the caller's side, so that calls made close together share one commit. One batch is
 * under way at a time; the next gathers meanwhile and leaves when the first is durable. Knows no database.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import { pushRequestValues, type RequestValue } from "./request-row.ts";
import type { LeaseGrant, RequestRow, Settlement } from "./store.ts";
import type { SentBatch } from "./journal.ts";
import type { LedgerBatch, LedgerReply, ReturnEntry, RowFault, TakeEntry } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

const batchRowsMax = 500;
/** Takes and returns, each, of one batch. */
const batchLeasesMax = 500;
const waitingMax = 20_000;

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly values: RequestValue[];
  readonly returns: ReturnEntry[];
  readonly takes: TakeEntry[];
  readonly rowWaiters: Waiter<void>[];
  readonly returnWaiters: Waiter<NanoUsd>[];
  readonly takeWaiters: Waiter<LeaseGrant>[];
}

export interface LedgerBatches {
  /** Resolves when the row and its settlement are durable. */
  record(row: RequestRow, settlement?: Settlement): Promise<void>;
  take(entry: TakeEntry): Promise<LeaseGrant>;
  giveBack(entry: ReturnEntry): Promise<NanoUsd>;
  /** Resolves when nothing waits and nothing is under way, however that went. */
  drain(): Promise<void>;
}

const emptyBatch = (): Batch => ({
  values: [],
  returns: [],
  takes: [],
  rowWaiters: [],
  returnWaiters: [],
  takeWaiters: [],
});

const sizeOf = (batch: Batch): number =>
  batch.rowWaiters.length + batch.returnWaiters.length + batch.takeWaiters.length;

function answerRows(batch: Batch, faults: readonly RowFault[]): void {
  for (const { index, message } of faults) {
    batch.rowWaiters[index]?.reject(new StoreError("invalid", `the request cannot be recorded: ${message}`));
  }
  // A promise that was rejected above stays so.
  for (const waiter of batch.rowWaiters) waiter.resolve();
}

function answerLeases(batch: Batch, reply: Pick<LedgerReply, "returned" | "grants">): void {
  batch.returnWaiters.forEach((waiter, index) => {
    waiter.resolve(reply.returned[index] as NanoUsd);
  });
  batch.takeWaiters.forEach((waiter, index) => {
    waiter.resolve(reply.grants[index] as LeaseGrant);
  });
}

function refuseLeases(batch: Batch, error: unknown): void {
  for (const waiter of batch.returnWaiters) waiter.reject(error);
  for (const waiter of batch.takeWaiters) waiter.reject(error);
}

export function createLedgerBatches(send: (batch: LedgerBatch) => SentBatch): LedgerBatches {
  const waiting: Batch[] = [];
  let waitingEntries = 0;
  let isUnderWay = false;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  /** What arrives in one turn of the event loop leaves together at its end. */
  function schedule(): void {
    if (isUnderWay || isScheduled) return;
    isScheduled = true;
    setImmediate(sendNext);
  }

  function sendNext(): void {
    isScheduled = false;
    const batch = waiting.shift();
    if (batch === undefined) return;
    waitingEntries -= sizeOf(batch);
    isUnderWay = true;
    const { rows, leases } = send({ values: batch.values, returns: batch.returns, takes: batch.takes });
    leases.then(
      (reply) => answerLeases(batch, reply),
      (error) => refuseLeases(batch, error),
    );
    rows.then(
      (faults) => {
        answerRows(batch, faults);
        proceed();
      },
      (error) => {
        for (const waiter of batch.rowWaiters) waiter.reject(error);
        proceed();
      },
    );
  }

  function proceed(): void {
    isUnderWay = false;
    if (waiting.length > 0) {
      schedule();
      return;
    }
    for (const resolve of drained) resolve();
    drained = [];
  }

  /** The batch that gathers; a full one is followed by a new one. */
  function openBatch(): Batch {
    const last = waiting.at(-1);
    const hasRoom =
      last !== undefined &&
      last.rowWaiters.length < batchRowsMax &&
      last.takeWaiters.length < batchLeasesMax &&
      last.returnWaiters.length < batchLeasesMax;
    if (hasRoom) return last;
    const batch = emptyBatch();
    waiting.push(batch);
    return batch;
  }

  /** Adds one entry; its promise is settled with the batch it is in. */
  function add<T>(put: (batch: Batch, waiter: Waiter<T>) => void): Promise<T> {
    if (waitingEntries >= waitingMax) {
      return Promise.reject(
        new StoreError(
          "queue_full",
          `the database is too slow: ${waitingMax} requests wait to be recorded already`,
        ),
      );
    }
    waitingEntries++;
    const batch = openBatch();
    schedule();
    return new Promise((resolve, reject) => put(batch, { resolve, reject }));
  }

  return {
    record: (row, settlement) =>
      add((batch, waiter: Waiter<void>) => {
        pushRequestValues(row, settlement, batch.values);
        batch.rowWaiters.push(waiter);
      }),
    take: (entry) =>
      add((batch, waiter: Waiter<LeaseGrant>) => {
        batch.takes.push(entry);
        batch.takeWaiters.push(waiter);
      }),
    giveBack: (entry) =>
      add((batch, waiter: Waiter<NanoUsd>) => {
        batch.returns.push(entry);
        batch.returnWaiters.push(waiter);
      }),
    drain() {
      if (!isUnderWay && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}
