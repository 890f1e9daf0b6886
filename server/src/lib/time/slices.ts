/**
 * Divides long work into slices, so that no event loop turn is long: a generator that yields between slices,
 * and one turn per slice. Does not know what the work is.
 */

/** Work that yields where it may be interrupted. A slice takes a few milliseconds at most. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** Runs all slices now; for work known to be short. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Runs the first slice now and `pause` before every other one. Work with a single slice is done on return.
 * Rejects when `pause` does, which is how work is cancelled; an error of the work is thrown or rejects.
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

/** Gives one event loop turn to each waiting caller, in order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that no other caller gets. */
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

/** Bytes copied before yielding: a few milliseconds. */
const copyBytes = 4 * 1024 * 1024;

/** Joins all chunks, releasing each after its copy. A single chunk is not copied. */
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
