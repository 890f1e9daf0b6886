/**
 * Collects ledger calls on the caller's side, so that calls made close together share a commit. One batch is
 * in flight at a time; the next is collected meanwhile. With a journal (`journal.ts`) requests can become
 * durable before the database answers. Then further requests are sent, but takes and returns wait, because
 * they must run in call order: otherwise a lease could be returned after it was taken again. Knows no
 * database.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import { StoreError } from "../error.ts";
import type { LeaseReply, SentBatch } from "../journal/journal.ts";
import { pushRequestValues, type RequestValue } from "../requests/row.ts";
import type { Settlement } from "../requests/settlement-shapes.ts";
import type { RequestRow } from "../requests/shapes.ts";
import type { LedgerBatch, ReturnEntry, RowFault, TakeEntry } from "./batch.ts";
import type { LeaseGrant } from "./lease-shapes.ts";
import { Pace, type Waiting } from "./pace.ts";

const batchRowsMax = 500;
/** Most takes, and most returns, per batch. */
const batchLeasesMax = 500;
const waitingMax = 20_000;

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of one commit. */
interface RowBatch {
  readonly values: RequestValue[];
  readonly waiters: Waiter<void>[];
}

/** The takes and returns of one commit. */
interface LeaseBatch {
  /**
   * Number of request batches that must have been sent before, including this one's: a lease is returned only
   * after what it pays for.
   */
  readonly after: number;
  readonly returns: ReturnEntry[];
  readonly takes: TakeEntry[];
  readonly returnWaiters: Waiter<NanoUsd>[];
  readonly takeWaiters: Waiter<LeaseGrant>[];
}

export interface LedgerBatches {
  /** Resolves when the row and its settlement are durable. */
  record(row: RequestRow, settlement?: Settlement): Promise<void>;
  take(entry: TakeEntry): Promise<LeaseGrant>;
  giveBack(entry: ReturnEntry): Promise<NanoUsd>;
  /** Resolves when nothing waits or is in flight, whatever the outcome. */
  drain(): Promise<void>;
}

const noRows: RowBatch = { values: [], waiters: [] };
const newLeaseBatch = (after: number): LeaseBatch => ({
  after,
  returns: [],
  takes: [],
  returnWaiters: [],
  takeWaiters: [],
});
const noLeases = newLeaseBatch(0);

function answerRows({ waiters }: RowBatch, faults: readonly RowFault[]): void {
  for (const { index, message: reason } of faults) {
    waiters[index]?.reject(new StoreError("invalid", message("store.requestNotRecorded", { reason })));
  }
  // A promise rejected above stays rejected.
  for (const waiter of waiters) waiter.resolve();
}

function answerLeases({ returnWaiters, takeWaiters }: LeaseBatch, reply: LeaseReply): void {
  returnWaiters.forEach((waiter, index) => {
    const amount = reply.returned[index];
    if (amount !== undefined) waiter.resolve(amount);
    else waiter.reject(new StoreError("unavailable", "settlements of this lease wait to be handed over"));
  });
  takeWaiters.forEach((waiter, index) => {
    waiter.resolve(reply.grants[index] as LeaseGrant);
  });
}

/** The batch being collected; starts a new one when it is full. */
function openRows(waiting: RowBatch[]): RowBatch {
  const last = waiting.at(-1);
  if (last !== undefined && last.waiters.length < batchRowsMax) return last;
  const batch: RowBatch = { values: [], waiters: [] };
  waiting.push(batch);
  return batch;
}

function openLeases(waiting: LeaseBatch[], after: number): LeaseBatch {
  const last = waiting.at(-1);
  const hasRoom =
    last !== undefined &&
    (after === 0 || last.after === after) &&
    last.takes.length < batchLeasesMax &&
    last.returns.length < batchLeasesMax;
  if (hasRoom) return last;
  const batch = newLeaseBatch(after);
  waiting.push(batch);
  return batch;
}

/** `gapMs`: most milliseconds between two batches (`pace.ts`). */
export function createLedgerBatches(send: (batch: LedgerBatch) => SentBatch, gapMs = 0): LedgerBatches {
  const rowsWaiting: RowBatch[] = [];
  const leasesWaiting: LeaseBatch[] = [];
  /** Number of request batches sent. */
  let rowsSent = 0;
  let waitingEntries = 0;
  let areRowsUnderWay = false;
  let areLeasesUnderWay = false;
  const pace = new Pace(sendNext, gapMs);
  let drained: (() => void)[] = [];

  function waiting(): Waiting {
    if (rowsWaiting.length > 1) return "many";
    return leasesWaiting.length > 0 ? "leases" : "requests";
  }

  function schedule(): void {
    if (!areRowsUnderWay) pace.schedule(waiting());
  }

  /** A lease waits less than requests do. */
  function scheduleLease(): void {
    if (!areRowsUnderWay) pace.scheduleAgain(waiting());
  }

  function sendNext(): void {
    const rows = rowsWaiting.shift();
    if (rows !== undefined) rowsSent += 1;
    const mayLeave = !areLeasesUnderWay && (leasesWaiting[0]?.after ?? 0) <= rowsSent;
    const leases = mayLeave ? leasesWaiting.shift() : undefined;
    if (rows === undefined && leases === undefined) return;
    const { values, waiters } = rows ?? noRows;
    const { returns, takes } = leases ?? noLeases;
    waitingEntries -= waiters.length + returns.length + takes.length;
    pace.noteSent(waiters.length);
    areRowsUnderWay = true;
    areLeasesUnderWay ||= leases !== undefined;
    const sent = send({ values, returns, takes });
    if (leases !== undefined) awaitLeases(leases, sent);
    sent.rows.then(
      (faults) => {
        answerRows(rows ?? noRows, faults);
        areRowsUnderWay = false;
        proceed();
      },
      (error) => {
        for (const waiter of waiters) waiter.reject(error);
        areRowsUnderWay = false;
        proceed();
      },
    );
  }

  function awaitLeases(batch: LeaseBatch, sent: SentBatch): void {
    sent.leases.then(
      (reply) => {
        answerLeases(batch, reply);
        areLeasesUnderWay = false;
        proceed();
      },
      (error) => {
        for (const waiter of [...batch.returnWaiters, ...batch.takeWaiters]) waiter.reject(error);
        areLeasesUnderWay = false;
        proceed();
      },
    );
  }

  function proceed(): void {
    if (rowsWaiting.length > 0 || (leasesWaiting.length > 0 && !areLeasesUnderWay)) schedule();
    if (areRowsUnderWay || areLeasesUnderWay || waitingEntries > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  }

  /**
   * The number of request batches a lease entry must wait for; 0 when all earlier requests go with the next
   * batch.
   */
  const rowsAhead = (): number => (rowsWaiting.length > 1 ? rowsSent + rowsWaiting.length : 0);

  /** Adds one entry; its promise settles with its batch. */
  function add<T>(put: (waiter: Waiter<T>) => void, scheduleIt = schedule): Promise<T> {
    if (waitingEntries >= waitingMax) {
      return Promise.reject(
        new StoreError(
          "queue_full",
          `the database is too slow: ${waitingMax} requests wait to be recorded already`,
        ),
      );
    }
    waitingEntries++;
    return new Promise((resolve, reject) => {
      put({ resolve, reject });
      scheduleIt();
    });
  }

  return {
    record: (row, settlement) =>
      add((waiter: Waiter<void>) => {
        const batch = openRows(rowsWaiting);
        pushRequestValues(row, settlement, batch.values);
        batch.waiters.push(waiter);
      }),
    take: (entry) =>
      add((waiter: Waiter<LeaseGrant>) => {
        const batch = openLeases(leasesWaiting, rowsAhead());
        batch.takes.push(entry);
        batch.takeWaiters.push(waiter);
      }, scheduleLease),
    giveBack: (entry) =>
      add((waiter: Waiter<NanoUsd>) => {
        const batch = openLeases(leasesWaiting, rowsAhead());
        batch.returns.push(entry);
        batch.returnWaiters.push(waiter);
      }, scheduleLease),
    drain() {
      if (!areRowsUnderWay && !areLeasesUnderWay && waitingEntries === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}
