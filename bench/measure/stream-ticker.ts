/**
 * One timer for thousands of paced streams: a wheel of 0.1 ms slots. Streams are spread over their interval,
 * because a gateway that receives twenty chunks at once has less work for each than with separate chunks, as
 * from real upstreams. Calls back once per due chunk.
 */

/** A stream on the wheel. Set `isClosed` to remove it. */
export interface PacedStream {
  readonly intervalMs: number;
  isClosed: boolean;
  /** Sends what is due; returns whether more will follow. */
  send(): boolean;
}

const slotMs = 0.1;
const slotCount = 16_384;
/** From this many streams on, Node's 1 ms timers would send in significant bursts. */
const fineFromStreams = 256;
/** Maximum number of slots to catch up after a delay, before requests get their turn. */
const slotsPerTurnMax = 50;
/** Never notified: waiting on it is the only way to sleep less than a millisecond in Node. */
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** The wheel; it runs only while it has streams. Intervals are 1 to 1000 ms. */
export class StreamTicker {
  #slots: PacedStream[][] = Array.from({ length: slotCount }, () => []);
  #cursor = 0;
  #startedAt = 0;
  #slotsDone = 0;
  #streamCount = 0;
  #added = 0;

  /**
   * Adds a stream. Its first callback comes after a fraction of its interval that differs between streams.
   */
  add(stream: PacedStream): void {
    if (this.#streamCount++ === 0) {
      this.#startedAt = performance.now();
      this.#slotsDone = 0;
      setTimeout(() => this.#turn(), 1);
    }
    // Multiples of the golden ratio fill the interval evenly for any number of streams.
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
