/**
 * Long work in slices, so that no turn of the event loop is long: a generator that yields between two slices,
 * and one turn for each of them, whatever it is a part of. It must not know what the work is.
 */

/** Work that yields where it may be left for a while. A slice is a few milliseconds at most. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** Does all of it now: for work that is known to be short. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Does the first slice now and `pause` before each other one. What has one slice only is done when this
 * returns. Rejects where `pause` does, which is how work is given up; what the work throws is thrown, or
 * rejected with.
 */
export function inSlices<Result>(work: Sliced<Result>, pause: () => Promise<void>): Result | Promise<Result> {
  const first = work.next();
  return first.done === true ? first.value : finish(work, pause);
}

async function finish<Result>(work: Sliced<Result>, pause: () => Promise<void>): Promise<Result> {
  for (;;) {
    await pause();
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Gives turns of the event loop away, one to each who waits, in the order they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that nobody else who waits here gets. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    const resolve = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#give);
    resolve?.();
  };
}

/** The turns of this process: it has one event loop. */
export const turns = new Turns();

/** Bytes that are copied at once: a few milliseconds. */
const copyBytes = 4 * 1024 * 1024;

/** One buffer of all chunks, which are let go as they are copied. A single chunk is not copied. */
export function* joinChunks(chunks: Buffer[], bytes: number): Sliced<Buffer> {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = Buffer.allocUnsafeSlow(bytes);
  let length = 0;
  let slice = 0;
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index] as Buffer;
    chunks[index] = none;
    for (let at = 0; at < chunk.length; at += copyBytes) {
      if (slice >= copyBytes) {
        yield;
        slice = 0;
      }
      const copied = chunk.copy(whole, length, at, at + copyBytes);
      length += copied;
      slice += copied;
    }
  }
  return whole;
}

const none = Buffer.alloc(0);
