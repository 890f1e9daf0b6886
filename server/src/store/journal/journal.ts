/**
 * Sits between the batches and the database. While the database answers, batches pass through. When it is
 * lost or slow, settlements are written to a local file, so that callers get the end of their answers. Once
 * it is back they are handed over exactly once (a known request id changes nothing). When it is lost, taking
 * a lease fails immediately.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { isWithin } from "../../lib/time/schedule.ts";
import type { StoreCore } from "../core.ts";
import { StoreError } from "../error.ts";
import type { LedgerBatch, LedgerReply, RowFault } from "../ledger/batch.ts";
import type { LeaseGrant } from "../ledger/lease-shapes.ts";
import type { JournalReadings } from "../operation/storage-shapes.ts";
import type { RequestValue } from "../requests/row.ts";
import { Backlog, isPassing, quickMs, unwatched } from "./backlog.ts";

export interface LeaseReply {
  /** In the batch's order; undefined for a return that was not done and may be retried later. */
  readonly returned: readonly (NanoUsd | undefined)[];
  readonly grants: readonly LeaseGrant[];
}

/** The outcome of a batch's two parts. */
export interface SentBatch {
  /** Resolves when every request is durable, in the database or in the journal. */
  readonly rows: Promise<readonly RowFault[]>;
  readonly leases: Promise<LeaseReply>;
}

export interface JournalOptions {
  readonly core: Pick<StoreCore, "commitLedger" | "ping">;
  readonly directory: string;
  readonly log: Log;
  /** Largest file in bytes; the default lasts a busy process about a day. Beyond it requests are refused. */
  readonly bytesMax?: number | undefined;
  /**
   * Tells the database whether settlements of this process wait here, so that their idempotency keys stay
   * taken if it dies.
   */
  readonly note?: ((hasJournal: boolean) => Promise<void>) | undefined;
}

/** A database is lost when it answers neither a commit nor a ping within this many milliseconds. */
const pingPatienceMs = 1_000;
/** How long leases wait for a slow database, in milliseconds: longer than all of its own timeouts. */
const leasePatienceMs = 12_000;
/** Milliseconds between checks of a lost or slow database. */
const probeMs = 250;
/** Most milliseconds that shutdown waits for the database. */
const closePatienceMs = 2_000;
const bytesMaxDefault = 2 * 1024 ** 3;

const nothing: LeaseReply = { returned: [], grants: [] };
const emptyBatch: LedgerBatch = { values: [], returns: [], takes: [] };

const isLocked = (error: unknown): boolean => error instanceof StoreError && error.code === "locked";

const lost = () =>
  new StoreError(
    "unavailable",
    "the database does not answer; settlements are kept in the journal meanwhile",
  );

/** The promise's value; rejects as lost when it takes longer than `ms`. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  if (await isWithin(promise, ms)) return await promise;
  throw lost();
}

export class Journal {
  readonly #core: JournalOptions["core"];
  readonly #log: Log;
  readonly #backlog: Backlog;
  readonly #note: NonNullable<JournalOptions["note"]>;
  /** The last value written to the database, or being written. */
  #hasNoted = false;
  #noting: Promise<void> = Promise.resolve();
  /**
   * `slow`: requests go to the journal, but leases still go to the database. `away`: leases fail too, until
   * the database accepts a commit.
   */
  #state: "here" | "slow" | "away" = "here";
  /**
   * True from the first journalled request until everything is handed over and the database is back; used for
   * logging.
   */
  #isJournalling = false;
  /** Time of the oldest waiting settlement, as far as known. */
  #since: number | null = null;
  #commitsUnderWay = 0;
  /** Number of overdue commits. While there are any, the database is not fast. */
  #slowCommits = 0;
  #pinging: Promise<void> | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #isProbing = false;
  #isClosed = false;

  constructor({ core, directory, log, bytesMax = bytesMaxDefault, note }: JournalOptions) {
    this.#core = core;
    this.#log = log;
    this.#note = note ?? (() => Promise.resolve());
    const commit = async (values: readonly RequestValue[]): Promise<readonly RowFault[]> =>
      (await this.#answered(core.commitLedger({ ...emptyBatch, values }))).faults;
    this.#backlog = new Backlog({ directory, log, bytesMax, commit });
  }

  send(batch: LedgerBatch): SentBatch {
    if (this.#state === "here") return this.#commit(batch);
    const rows = batch.values.length === 0 ? Promise.resolve([]) : unwatched(this.#keep(batch.values));
    if (batch.takes.length + batch.returns.length === 0) return { rows, leases: Promise.resolve(nothing) };
    if (this.#state === "away") return { rows, leases: unwatched(Promise.reject(lost())) };
    return { rows, leases: this.#commit({ ...batch, values: [] }).leases };
  }

  /** True when the database does not respond or requests wait here. */
  get isBehind(): boolean {
    return this.#state !== "here" || !this.#backlog.isEmpty;
  }

  /** What waits in the journal. */
  get readings(): JournalReadings {
    const { bytes } = this.#backlog;
    if (bytes === 0) this.#since = null;
    else this.#since ??= systemClock.wallMs();
    return { bytes, since: this.#since };
  }

  /** True when the journal's disk accepts writes. */
  takesWrites(): Promise<boolean> {
    return this.#backlog.takesWrites();
  }

  /** Finds journals of earlier processes and starts to hand them over. */
  async adopt(): Promise<void> {
    await this.#backlog.open();
    if (this.#backlog.isEmpty) return;
    // The process continues under a new holder id, so the note must be sent for that id.
    this.#hasNoted = false;
    this.#takeUp();
  }

  /**
   * Takes over journals of processes on this system that died, and hands them over before their idempotency
   * keys are released. Takes at most two seconds. Never rejects.
   */
  async adoptDead(): Promise<void> {
    try {
      if (!(await this.#backlog.takeLeft())) return;
      this.#takeUp();
      await this.flush();
    } catch (error) {
      this.#log.warn("ledger_journal_left", { error: (error as Error).message });
    }
  }

  #takeUp(): void {
    if (this.#state === "here") this.#state = "slow";
    this.#report(true);
    this.#schedule();
  }

  /**
   * Tells the database whether something waits here. A failed note is repeated with the next request or
   * check.
   */
  #report(hasJournal: boolean): void {
    if (this.#hasNoted === hasJournal) return;
    this.#hasNoted = hasJournal;
    this.#noting = this.#noting
      .then(() => this.#note(hasJournal))
      .catch(() => {
        this.#hasNoted = !hasJournal;
      });
  }

  /** Hands over what is left. Rejects with StoreError when the database does not accept it soon. */
  async flush(): Promise<void> {
    if (!this.#backlog.isEmpty) await within(this.#backlog.replay(), closePatienceMs);
    if (!this.#backlog.isEmpty) throw lost();
    this.#report(false);
    await within(this.#noting, closePatienceMs);
  }

  /** Tries to hand over what is left, then closes. What remains is kept for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probeTimer);
    await this.flush().catch((error: Error) =>
      this.#log.warn("ledger_journal_left", { error: error.message }),
    );
    await this.#backlog.close();
  }

  /**
   * Commits while the database is available. Requests of a batch that fails or takes too long go to the
   * journal.
   */
  #commit(batch: LedgerBatch): SentBatch {
    // Requests in the journal are paid from leases, which must still exist when they are handed over.
    const returns = this.#backlog.isEmpty
      ? batch.returns
      : batch.returns.filter(({ amount }) => amount !== "all");
    const reply = this.#tracked(this.#core.commitLedger({ ...batch, returns }));
    const timely = within(this.#answered(reply), leasePatienceMs).catch((error: unknown) => {
      if (isPassing(error)) this.#leave(isLocked(error) ? "slow" : "away", (error as Error).message);
      throw error;
    });
    const leases = timely.then(({ returned, grants }) => {
      const amounts = new Map(returns.map((entry, index) => [entry, returned[index]]));
      return { returned: batch.returns.map((entry) => amounts.get(entry)), grants };
    });
    return { rows: unwatched(this.#rows(batch.values, timely)), leases: unwatched(leases) };
  }

  async #rows(values: readonly RequestValue[], timely: Promise<LedgerReply>): Promise<readonly RowFault[]> {
    try {
      if (await isWithin(timely, quickMs)) return (await timely).faults;
    } catch (error) {
      if (!isPassing(error)) throw error;
      return values.length === 0 ? [] : await this.#keep(values);
    }
    this.#leave("slow", "the database takes long");
    // Without requests there is nothing to keep, and later requests need not wait for these leases.
    if (values.length === 0) return [];
    try {
      return await this.#keep(values);
    } catch {
      // The journal failed too, so only the running commit can save them.
      return (await timely).faults;
    }
  }

  #keep(values: readonly RequestValue[]): Promise<readonly RowFault[]> {
    return this.#backlog.keep(values).finally(() => {
      this.#report(true);
      this.#schedule();
    });
  }

  #tracked(reply: Promise<LedgerReply>): Promise<LedgerReply> {
    this.#commitsUnderWay += 1;
    return reply.finally(() => {
      this.#commitsUnderWay -= 1;
    });
  }

  /** Only one ping at a time, shared by all callers. */
  #ping(): Promise<void> {
    this.#pinging ??= unwatched(
      this.#core.ping().finally(() => {
        this.#pinging = undefined;
      }),
    );
    return this.#pinging;
  }

  /** Waits for a commit's reply as long as the database answers pings. */
  async #answered(reply: Promise<LedgerReply>): Promise<LedgerReply> {
    if (await isWithin(reply, quickMs)) return await reply;
    this.#slowCommits += 1;
    const done = () => {
      this.#slowCommits -= 1;
    };
    reply.then(done, done);
    do await within(this.#ping(), pingPatienceMs);
    while (!(await isWithin(reply, quickMs)));
    return await reply;
  }

  #leave(next: "slow" | "away", reason: string): void {
    if (!this.#isJournalling) this.#log.warn("ledger_journal_begins", { reason });
    this.#isJournalling = true;
    if (this.#state !== "away") this.#state = next;
    this.#schedule();
  }

  /** Schedules the next check. A running check schedules the one after it. */
  #schedule(): void {
    if (this.#probeTimer !== undefined || this.#isProbing || this.#isClosed) return;
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      void this.#probe();
    }, probeMs);
    this.#probeTimer.unref();
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    let isBack = false;
    try {
      isBack = await this.#tryDatabase();
    } catch (error) {
      if (isPassing(error)) this.#leave(isLocked(error) ? "slow" : "away", (error as Error).message);
      else this.#log.error("ledger_replay_failed", { error: (error as Error).message });
    }
    this.#isProbing = false;
    if (isBack && this.#backlog.isEmpty) this.#arrive();
    else this.#schedule();
  }

  /**
   * Hands over what is kept; resolves with true when the database is fast. Rejects when it does not accept
   * it.
   */
  async #tryDatabase(): Promise<boolean> {
    const answer = this.#ping();
    const isQuick = await isWithin(answer, quickMs);
    await within(answer, pingPatienceMs);
    if (!this.#backlog.isEmpty) this.#report(true);
    if (this.#state === "away") await this.#comeBack();
    await this.#backlog.replay(({ isEnd, wasQuick }) => {
      // Nearly caught up and the database is fast: new requests go to the database, or appends might never
      // end.
      if (isEnd && wasQuick && this.#slowCommits === 0 && this.#state === "slow") this.#state = "here";
    });
    return isQuick && this.#slowCommits === 0;
  }

  /** Tries a commit, because a read-only or locked database still answers pings. */
  async #comeBack(): Promise<void> {
    // The outcome of hanging commits must be known before the next lease is taken.
    if (this.#commitsUnderWay > 0) throw lost();
    await this.#answered(this.#tracked(this.#core.commitLedger(emptyBatch)));
    this.#state = "slow";
  }

  #arrive(): void {
    this.#state = "here";
    this.#report(false);
    if (this.#isJournalling) this.#log.info("ledger_journal_ends");
    this.#isJournalling = false;
  }
}
