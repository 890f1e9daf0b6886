/**
 * One viewer's end of the live view. Nothing is queued for a slow reader: it gets the newest event when it
 * asks for the next one.
 */
import type { Clock } from "../../lib/time/clock.ts";

export interface LiveViewer {
  /** Whose it is: the id of a user or a token. */
  readonly name: string;
  /** True: one event, then the end. */
  readonly isOnce: boolean;
  /** False when the session or token ended meanwhile. */
  isStillAllowed(): Promise<boolean>;
}

/** A class because it has a lifetime: from the request to the end of its stream. */
export class ViewerQueue implements AsyncIterableIterator<string> {
  readonly viewer: LiveViewer;
  readonly startedMs: number;
  /** The history sent last (`hub.ts`). */
  historyMark: string | undefined;
  /** When an event was made that was not asked for; undefined: none is waiting. */
  waitingSinceMs: number | undefined;
  readonly #clock: Clock;
  readonly #makeEvent: (queue: ViewerQueue) => string;
  readonly #onEnd: (queue: ViewerQueue) => void;
  #asking: ((result: IteratorResult<string>) => void) | undefined;
  #lastWords: string | undefined;
  #isEnded = false;

  constructor(
    viewer: LiveViewer,
    clock: Clock,
    /** Makes the newest event for this viewer. */
    makeEvent: (queue: ViewerQueue) => string,
    onEnd: (queue: ViewerQueue) => void,
  ) {
    this.viewer = viewer;
    this.startedMs = clock.elapsedMs();
    this.#clock = clock;
    this.#makeEvent = makeEvent;
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** There is something new. */
  wake(): void {
    if (this.#isEnded) return;
    this.waitingSinceMs ??= this.#clock.elapsedMs();
    if (this.#asking !== undefined) this.#give(this.#asking);
  }

  #give(ask: (result: IteratorResult<string>) => void): void {
    this.#asking = undefined;
    this.waitingSinceMs = undefined;
    ask({ done: false, value: this.#makeEvent(this) });
    if (this.viewer.isOnce) this.end();
  }

  next(): Promise<IteratorResult<string>> {
    return new Promise((resolve) => {
      if (this.#lastWords !== undefined) {
        const value = this.#lastWords;
        this.#lastWords = undefined;
        resolve({ done: false, value });
      } else if (this.#isEnded) {
        resolve({ done: true, value: undefined });
      } else if (this.waitingSinceMs !== undefined) {
        this.#give(resolve);
      } else {
        this.#asking = resolve;
      }
    });
  }

  /** Ends the stream, after these last words. */
  end(lastWords?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd(this);
    const ask = this.#asking;
    this.#asking = undefined;
    if (lastWords === undefined) ask?.({ done: true, value: undefined });
    else if (ask === undefined) this.#lastWords = lastWords;
    else ask({ done: false, value: lastWords });
  }

  /** The client disconnected. */
  return(): Promise<IteratorResult<string>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }
}
