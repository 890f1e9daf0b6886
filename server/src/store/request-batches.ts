/**
 * Collects request rows on the caller's side, so that calls made close together share one commit. One batch is under way
 * at a time; the next gathers meanwhile and leaves when the first is durable. Knows no database.
 */
import { pushRequestValues, type RequestValue } from "./request-row.ts";
import type { RequestRow } from "./store.ts";
import type { RowFault, StoreCore } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

const batchRowsMax = 500;
const waitingRowsMax = 20_000;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly values: RequestValue[];
  readonly waiters: Waiter[];
}

export interface RequestBatches {
  /** Resolves when the row is durable. */
  record(row: RequestRow): Promise<void>;
  /** Resolves when nothing waits and nothing is under way, however that went. */
  drain(): Promise<void>;
}

function settle(batch: Batch, faults: readonly RowFault[] | undefined): void {
  for (const { index, message } of faults ?? []) {
    batch.waiters[index]?.reject(new StoreError("invalid", `the request cannot be recorded: ${message}`));
  }
  // A promise that was rejected above stays so.
  for (const waiter of batch.waiters) waiter.resolve();
}

export function createRequestBatches(send: StoreCore["recordRequests"]): RequestBatches {
  const waiting: Batch[] = [];
  let waitingRows = 0;
  let isUnderWay = false;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  /** Rows that arrive in one turn of the event loop leave together at its end. */
  function schedule(): void {
    if (isUnderWay || isScheduled) return;
    isScheduled = true;
    setImmediate(sendNext);
  }

  function sendNext(): void {
    isScheduled = false;
    const batch = waiting.shift();
    if (batch === undefined) return;
    waitingRows -= batch.waiters.length;
    isUnderWay = true;
    send(batch.values).then(
      (faults) => {
        settle(batch, faults);
        proceed();
      },
      (error) => {
        for (const waiter of batch.waiters) waiter.reject(error);
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

  function openBatch(): Batch {
    const last = waiting.at(-1);
    if (last !== undefined && last.waiters.length < batchRowsMax) return last;
    const batch: Batch = { values: [], waiters: [] };
    waiting.push(batch);
    return batch;
  }

  return {
    record(row) {
      if (waitingRows >= waitingRowsMax) {
        return Promise.reject(
          new StoreError(
            "queue_full",
            `the disk is too slow: ${waitingRowsMax} requests wait to be recorded already`,
          ),
        );
      }
      const batch = openBatch();
      pushRequestValues(row, batch.values);
      waitingRows++;
      schedule();
      return new Promise((resolve, reject) => batch.waiters.push({ resolve, reject }));
    },
    drain() {
      if (!isUnderWay && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}
