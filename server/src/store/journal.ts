/**
 * Between the batches and the database: while the database answers it only passes on. When it is lost or slow, settlements
 * are written to a local file instead, so that callers get the end of their answers, and are handed over exactly once when it
 * is back (a request id that is there already changes nothing). Leases cannot be taken meanwhile: that fails at once.
 */
import type { Log } from "../lib/log.ts";
import { type JournalFile, openJournals } from "./journal-file.ts";
import { type RequestValue, valuesPerRequest } from "./request-row.ts";
import type { LedgerBatch, LedgerReply, RowFault, StoreCore } from "./store-core.ts";
import { StoreError, type StoreErrorCode } from "./store-error.ts";

/** What became of a batch, in its two parts. */
export interface SentBatch {
  /** Resolves when every request is durable, in the database or in the journal. */
  readonly rows: Promise<readonly RowFault[]>;
  readonly leases: Promise<Pick<LedgerReply, "returned" | "grants">>;
}

export interface Journal {
  send(batch: LedgerBatch): SentBatch;
  /** Looks for what earlier processes left, and begins to hand it over. */
  adopt(): Promise<void>;
  /** Tries to hand over what is left, and closes; what could not be handed over stays for the next start. */
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly core: Pick<StoreCore, "commitLedger" | "ping">;
  readonly directory: string;
  readonly log: Log;
}

/** How long requests wait for the database before they go to the journal. */
const rowPatienceMs = 200;
/** How long leases wait for it before it counts as lost. */
const leasePatienceMs = 2_000;
/** How often a lost database is tried. */
const probeMs = 250;
const rowsPerStep = 500;
/** About a day of a busy process; beyond it nothing more is served. */
const journalBytesMax = 2 * 1024 ** 3;

/** Failures that pass: the same batch may succeed later. */
const passing: ReadonlySet<StoreErrorCode> = new Set([
  "unavailable",
  "locked",
  "io",
  "disk_full",
  "read_only",
  "queue_full",
  "thread_stopped",
]);

const isPassing = (error: unknown): boolean => error instanceof StoreError && passing.has(error.code);

const lost = () =>
  new StoreError("unavailable", "the database does not answer; settlements are kept in the journal meanwhile");

/** Rejects with `error()` unless the promise settles in time. */
function within<T>(promise: Promise<T>, ms: number, error: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(error()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function createJournal(options: JournalOptions): Journal {
  const { core, directory, log } = options;
  let opening: Promise<JournalFile[]> | undefined;
  /** Own file first, then those of processes that are gone. */
  let files: JournalFile[] = [];
  /** `away`: the database failed or was too slow; requests go to the journal, leases fail, until a probe succeeds. */
  let state: "here" | "slow" | "away" = "here";
  let underWay = 0;
  let probe: NodeJS.Timeout | undefined;
  let replaying: Promise<void> | undefined;
  let isClosed = false;

  function open(): Promise<JournalFile[]> {
    opening ??= openJournals(directory).then(({ own, left }) => {
      files = [own, ...left.map(({ file }) => file)];
      return files;
    });
    return opening;
  }

  async function keep(values: readonly RequestValue[]): Promise<readonly RowFault[]> {
    const own = (await open())[0];
    if (own === undefined) throw lost();
    if (own.bytes > journalBytesMax) {
      throw new StoreError("queue_full", "the journal is full: nothing more is served until the database is back");
    }
    await own.append(values);
    schedule();
    return [];
  }

  function leave(next: "slow" | "away", reason: string): void {
    if (state === "here") log.warn("ledger_journal_begins", { reason });
    if (state !== "away") state = next;
    schedule();
  }

  function schedule(): void {
    if (probe !== undefined || isClosed) return;
    probe = setTimeout(() => {
      probe = undefined;
      void probeOnce();
    }, probeMs);
    probe.unref();
  }

  async function probeOnce(): Promise<void> {
    if (isClosed) return;
    // A commit that still hangs tells enough; another one behind it would only wait too.
    if (underWay > 0) return schedule();
    try {
      await within(core.ping(), leasePatienceMs, lost);
      if (state === "away") state = "slow";
      await replay();
      if (state !== "here") log.info("ledger_journal_ends");
      state = "here";
    } catch (error) {
      if (!isPassing(error)) log.error("ledger_replay_failed", { error: (error as Error).message });
      else state = "away";
      schedule();
    }
  }

  function replay(): Promise<void> {
    replaying ??= replayAll().finally(() => {
      replaying = undefined;
    });
    return replaying;
  }

  async function replayAll(): Promise<void> {
    for (const file of opening === undefined ? [] : await opening) await replayFile(file);
  }

  async function replayFile(file: JournalFile): Promise<void> {
    let offset = 0;
    let count = 0;
    do {
      for (;;) {
        const { values, next } = await file.read(offset, rowsPerStep);
        if (next === offset) break;
        if (values.length > 0) await handOver(values);
        count += values.length / valuesPerRequest;
        offset = next;
      }
    } while (!(await file.clear(offset)));
    if (count > 0) log.info("ledger_journal_replayed", { requests: count });
  }

  /** Commits journalled requests. One that the ledger refuses for itself must not hold up the others. */
  async function handOver(values: readonly RequestValue[]): Promise<void> {
    let faults: readonly RowFault[];
    try {
      faults = (await core.commitLedger({ values, returns: [], takes: [] })).faults;
    } catch (error) {
      if (isPassing(error) || values.length === valuesPerRequest) throw error;
      for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
        await handOver(values.slice(offset, offset + valuesPerRequest));
      }
      return;
    }
    for (const { index, message } of faults) {
      log.error("ledger_journal_row_refused", { request: String(values[index * valuesPerRequest]), message });
    }
  }

  /** Commits while the database is here; the requests of a batch that fails or takes too long go to the journal. */
  function commit(batch: LedgerBatch): SentBatch {
    underWay += 1;
    const reply = core.commitLedger(batch).finally(() => {
      underWay -= 1;
    });
    const timely = within(reply, leasePatienceMs, lost).catch((error: unknown) => {
      if (isPassing(error)) leave("away", (error as Error).message);
      throw error;
    });
    const leases = timely.then(({ returned, grants }) => ({ returned, grants }));
    leases.catch(() => {});
    const tooSlow = new StoreError("unavailable", "the database takes long");
    const rows = within(timely, rowPatienceMs, () => tooSlow).then(
      ({ faults }) => faults,
      (error: unknown) => {
        if (!isPassing(error)) throw error;
        if (error === tooSlow) leave("slow", tooSlow.message);
        // Without requests there is nothing to keep; the next batch need not wait for these leases.
        return batch.values.length === 0 ? [] : keep(batch.values);
      },
    );
    rows.catch(() => {});
    return { rows, leases };
  }

  const nothing = { returned: [], grants: [] };

  return {
    send(batch) {
      if (state === "here") return commit(batch);
      const rows = batch.values.length === 0 ? Promise.resolve([]) : keep(batch.values);
      if (batch.takes.length + batch.returns.length === 0) return { rows, leases: Promise.resolve(nothing) };
      if (state === "away") {
        const leases = Promise.reject(lost());
        leases.catch(() => {});
        return { rows, leases };
      }
      const { leases } = commit({ ...batch, values: [] });
      return { rows, leases };
    },
    async adopt() {
      await open();
      if (files.some(({ bytes }) => bytes > 0)) {
        if (state === "here") state = "slow";
        schedule();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(probe);
      probe = undefined;
      if (opening === undefined) return;
      await within(replay(), leasePatienceMs, lost).catch((error: Error) =>
        log.warn("ledger_journal_left", { error: error.message }),
      );
      for (const file of files) await file.close();
    },
  };
}
