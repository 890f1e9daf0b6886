/**
 * When the next batch of the ledger leaves: at the end of the event loop's turn, or later in a busy process,
 * so that more requests share the fixed cost of a commit (waking the storage thread, log pages, the sync).
 */

/** What the gap grows by with every request of the last batch but the first, in milliseconds. */
const gapPerRequestMs = 2;
/** Takes and returns wait no longer: requests wait for them before they are sent to a model. */
const leaseGapMs = 2;

/** What waits: requests, also for a lease, or more than fit into one batch. */
export type Waiting = "requests" | "leases" | "many";

export class Pace {
  readonly #leave: () => void;
  readonly #gapMs: number;
  #isScheduled = false;
  /** Set while the next batch waits for the gap. */
  #timer: NodeJS.Timeout | undefined;
  #sentMs = Number.NEGATIVE_INFINITY;
  #sentRequests = 0;

  /**
   * `gapMs`: most milliseconds between two batches; 0: none. After a batch of one request the next one never
   * waits, so a quiet process does not, nor does one caller after another.
   */
  constructor(leave: () => void, gapMs: number) {
    this.#gapMs = gapMs;
    this.#leave = () => {
      this.#isScheduled = false;
      this.#timer = undefined;
      leave();
    };
  }

  /** Calls of one turn of the event loop leave together. */
  schedule(waiting: Waiting): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const ms = this.#waitMs(waiting);
    // A timer takes at least a millisecond, so shorter waits are skipped.
    if (ms >= 0.5) this.#timer = setTimeout(this.#leave, ms);
    else setImmediate(this.#leave);
  }

  /** As `schedule`, also for a batch that waits for the gap already. */
  scheduleAgain(waiting: Waiting): void {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#isScheduled = false;
    }
    this.schedule(waiting);
  }

  /** To be called when a batch with this many requests was sent. */
  noteSent(requests: number): void {
    if (this.#gapMs === 0) return;
    this.#sentMs = performance.now();
    this.#sentRequests = requests;
  }

  #waitMs(waiting: Waiting): number {
    if (this.#gapMs === 0 || waiting === "many") return 0;
    const most = waiting === "leases" ? Math.min(this.#gapMs, leaseGapMs) : this.#gapMs;
    return this.#sentMs + Math.min(most, (this.#sentRequests - 1) * gapPerRequestMs) - performance.now();
  }
}
