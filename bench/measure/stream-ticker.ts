/**
 * One timer for thousands of paced streams: a wheel of 0.1 ms slots. Streams are spread over their
 * interval and never beat in step: a gateway that is handed twenty chunks at once has less to do for
 * each than one that meets them one by one, as it would with real upstreams. Knows nothing of HTTP: it
 * calls back, once per chunk that is due.
 */

/** A stream on the wheel. Set `isClosed` to take it off. */
export interface PacedStream {
  readonly intervalMs: number;
  isClosed: boolean;
  /** Sends what is due now; returns whether more will follow. */
  send(): boolean;
}

const slotMs = 0.1;
const slotCount = 16_384;
/** From so many streams on, Node's 1 ms timers would send in bursts that matter. */
const fineFromStreams = 256;
/** Catches up at most this much after the process was held up; then requests get their turn. */
const slotsPerTurnMax = 50;
/** Never notified: waiting on it is the only sleep shorter than a millisecond in Node. */
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** The wheel; it turns only while streams are on it. Intervals are 1 to 1000 ms. */
export class StreamTicker {
  #slots: PacedStream[][] = Array.from({ length: slotCount }, () => []);
  #cursor = 0;
  #startedAt = 0;
  #slotsDone = 0;
  #streamCount = 0;
  #added = 0;

  /**
   * Puts a stream on the wheel. Its first turn comes after a part of its interval
   * that differs from stream to stream.
   */
  add(stream: PacedStream): void {
    if (this.#streamCount++ === 0) {
      this.#startedAt = performance.now();
      this.#slotsDone = 0;
      setTimeout(() => this.#turn(), 1);
    }
    // Multiples of the golden ratio fill the interval evenly, however many streams there are.
    const phase = (this.#added++ * 0.618_033_988_75) % 1;
    this.#place(stream, phase * stream.intervalMs);
  }

  #place(stream: PacedStream, delayMs: number): void {
    const slots = Math.max(1, Math.round(delayMs / slotMs));
    this.#slots[(this.#cursor + slots) % slotCount]?.push(stream);
  }

  #turn(): void {
    const now = Math.floor((performance.now() - this.#startedAt) / slotMs);
    const due = Math.min(now, this.#slotsDone + slotsPerTurnMax);
    while (this.#slotsDone < due) {
      this.#slotsDone++;
      this.#empty();
    }
    if (this.#streamCount === 0) return;
    if (this.#streamCount < fineFromStreams) {
      setTimeout(() => this.#turn(), 1);
    } else {
      if (due === now) Atomics.wait(sleepCell, 0, 0, slotMs);
      setImmediate(() => this.#turn());
    }
  }

  #empty(): void {
    this.#cursor = (this.#cursor + 1) % slotCount;
    const streams = this.#slots[this.#cursor] ?? [];
    if (streams.length === 0) return;
    this.#slots[this.#cursor] = [];
    for (const stream of streams) {
      if (!stream.isClosed && stream.send()) this.#place(stream, stream.intervalMs);
      else this.#streamCount--;
    }
  }
}
