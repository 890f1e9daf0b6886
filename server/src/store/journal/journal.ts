/**
 * Between the batches and the database: while the database answers it only passes on. When it is lost or
 * slow, settlements are written to a local file instead, so that callers get the end of their answers, and
 * are handed over exactly once when it is back (a request id that is there already changes nothing). When it
 * is lost, leases cannot be taken: that fails immediately.
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
  /** In the order of the batch; undefined for one that was not done and may be tried later. */
  readonly returned: readonly (NanoUsd | undefined)[];
  readonly grants: readonly LeaseGrant[];
}

/** What became of a batch, in its two parts. */
export interface SentBatch {
  /** Resolves when every request is durable, in the database or in the journal. */
  readonly rows: Promise<readonly RowFault[]>;
  readonly leases: Promise<LeaseReply>;
}

export interface JournalOptions {
  readonly core: Pick<StoreCore, "commitLedger" | "ping">;
  readonly directory: string;
  readonly log: Log;
  /** Largest file; about a day of a busy process by default. Beyond it nothing more is served. */
  readonly bytesMax?: number | undefined;
  /**
   * Tells the database whether settlements of this process wait here, so that the keys
   * they answer stay taken should it die.
   */
  readonly note?: ((hasJournal: boolean) => Promise<void>) | undefined;
}

/** A database that answers neither a commit nor, this long, a ping beside it is lost. */
const pingPatienceMs = 1_000;
/** How long leases wait for a database that is slow but lives: longer than every timeout inside it. */
const leasePatienceMs = 12_000;
/** How often a lost or slow database is tried. */
const probeMs = 250;
/** How long the end of a process may wait for it. */
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

/** The promise's value; rejects as lost when it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  if (await isWithin(promise, ms)) return await promise;
  throw lost();
}

export class Journal {
  readonly #core: JournalOptions["core"];
  readonly #log: Log;
  readonly #backlog: Backlog;
  readonly #note: NonNullable<JournalOptions["note"]>;
  /** What the database was last told, or is being told now. */
  #hasNoted = false;
  #noting: Promise<void> = Promise.resolve();
  /**
   * `slow`: requests go to the journal, and the database is asked for leases. `away`: leases fail too, until
   * it has shown that it takes a commit.
   */
  #state: "here" | "slow" | "away" = "here";
  /**
   * From the first request kept until all are handed over and the database is here again: what the log says.
   */
  #isJournalling = false;
  /** Since when something waits, as far as it was looked at. */
  #since: number | null = null;
  #commitsUnderWay = 0;
  /** Commits that are not done although they should be: while there is one, the database is not quick. */
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

  /** True when the database does not respond, or requests wait here. */
  get isBehind(): boolean {
    return this.#state !== "here" || !this.#backlog.isEmpty;
  }

  /** What waits here. */
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

  /** Looks for what earlier processes left, and begins to hand it over. */
  async adopt(): Promise<void> {
    await this.#backlog.open();
    if (this.#backlog.isEmpty) return;
    // Whoever asked for this goes on under another name: what waits here has to be told for that one.
    this.#hasNoted = false;
    this.#takeUp();
  }

  /**
   * Takes over what processes of this system left that died since, and hands it over before their
   * Idempotency-Keys are given free. Takes two seconds at most where there is something, and never rejects.
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
   * Notes in the database whether something waits here; a note that fails is made
   * again with the next request or look.
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

  /** Hands over what is left; rejects with StoreError when the database does not take it soon. */
  async flush(): Promise<void> {
    if (!this.#backlog.isEmpty) await within(this.#backlog.replay(), closePatienceMs);
    if (!this.#backlog.isEmpty) throw lost();
    this.#report(false);
    await within(this.#noting, closePatienceMs);
  }

  /** Tries to hand over what is left, and closes; what could not be handed over stays for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probeTimer);
    await this.flush().catch((error: Error) =>
      this.#log.warn("ledger_journal_left", { error: error.message }),
    );
    await this.#backlog.close();
  }

  /**
   * Commits while the database is here; the requests of a batch that fails
   * or takes too long go to the journal.
   */
  #commit(batch: LedgerBatch): SentBatch {
    // What waits in the journal is paid from leases that must still be there when it is handed over.
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
    // Without requests there is nothing to keep; the next ones need not wait for these leases.
    if (values.length === 0) return [];
    try {
      return await this.#keep(values);
    } catch {
      // Neither here nor there: only the commit that is still under way can save them.
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

  /** One ping at a time, however many want to know. */
  #ping(): Promise<void> {
    this.#pinging ??= unwatched(
      this.#core.ping().finally(() => {
        this.#pinging = undefined;
      }),
    );
    return this.#pinging;
  }

  /** The reply to a commit, waited for as long as the database shows that it lives. */
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

  /** The next look at the database; one that is under way arranges for the one after it. */
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
   * Hands over what is kept; resolves with whether the database is quick. Rejects when it does not take it.
   */
  async #tryDatabase(): Promise<boolean> {
    const answer = this.#ping();
    const isQuick = await isWithin(answer, quickMs);
    await within(answer, pingPatienceMs);
    if (!this.#backlog.isEmpty) this.#report(true);
    if (this.#state === "away") await this.#comeBack();
    await this.#backlog.replay(({ isEnd, wasQuick }) => {
      // As good as caught up with a database that is quick again: what comes now goes
      // there, or appends could go on for ever.
      if (isEnd && wasQuick && this.#slowCommits === 0 && this.#state === "slow") this.#state = "here";
    });
    return isQuick && this.#slowCommits === 0;
  }

  /**
   * A database that only reads, or whose file is locked, answers pings:
   * whether it takes a commit has to be tried.
   */
  async #comeBack(): Promise<void> {
    // What became of a commit that still hangs must be known before the next lease is asked for.
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
