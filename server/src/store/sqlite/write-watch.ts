/**
 * Hears from the system that somebody writes to a file, so that a quiet file need not be looked at several
 * times a second. A system may take the watch and then say nothing: it is believed only while it told of
 * every change that was found without it.
 */
import { watch } from "node:fs";

export interface WriteWatch {
  /** Listens from now on; does nothing where it does already, or cannot. */
  open(): void;
  /** Stops listening: a file that is written all the time would wake this thread with every write. */
  close(): void;
  readonly isOpen: boolean;
  /** Writes heard so far. */
  readonly signals: number;
  /** True once it has proved that it reports writes. */
  readonly isTrusted: boolean;
  /**
   * The file was found changed while the watch was open: had it told? One
   * that misses some is closed for good.
   */
  judge(wasSignalled: boolean): void;
  /** Calls `then` with the next write heard, unless the function returned is called before. */
  onWrite(then: () => void): () => void;
}

/**
 * Starts listening to a file; returns what stops it. Throws where the system has
 * no watch for the file, or none left.
 */
export type StartListening = (onWrite: () => void, onEnd: () => void) => () => void;

/**
 * Only where it is known to tell of every write at once, also of other processes' and containers':
 * inotify, which hears of every file that processes of one machine share. SQLite's log is written
 * with `write` and not through memory.
 */
const isKnownPlatform = process.platform === "linux";

/** The file may not be there yet, or the system may be short of watches for a moment. */
const failuresMax = 3;
/** A change can be found before the word of it has been read. */
const missesMax = 3;

const listenTo =
  (file: string): StartListening =>
  (onWrite, onEnd) => {
    const watcher = watch(file, { persistent: false }, (event) => (event === "change" ? onWrite() : onEnd()));
    watcher.on("error", onEnd);
    return () => watcher.close();
  };

/** undefined where writes cannot be heard of. `start` is only for tests. */
export function createWriteWatch(file: string, start?: StartListening): WriteWatch | undefined {
  if (start === undefined && !isKnownPlatform) return undefined;
  const listen = start ?? listenTo(file);
  const waiters = new Set<() => void>();
  let stop: (() => void) | undefined;
  let signals = 0;
  let failures = 0;
  let misses = 0;
  let isTrusted = false;

  function close(): void {
    stop?.();
    stop = undefined;
  }

  function onWrite(): void {
    signals += 1;
    for (const then of waiters) then();
    waiters.clear();
  }

  /** The file was moved or removed, or the system gave up: waiting callers check themselves. */
  function onEnd(): void {
    close();
    onWrite();
  }

  return {
    open() {
      if (stop !== undefined || failures >= failuresMax || misses >= missesMax) return;
      try {
        stop = listen(onWrite, onEnd);
      } catch {
        failures += 1;
      }
    },
    close,
    get isOpen() {
      return stop !== undefined;
    },
    get signals() {
      return signals;
    },
    get isTrusted() {
      return isTrusted;
    },
    judge(wasSignalled) {
      misses = wasSignalled ? 0 : misses + 1;
      if (wasSignalled) isTrusted = true;
      if (misses < missesMax) return;
      isTrusted = false;
      close();
    },
    onWrite(then) {
      waiters.add(then);
      return () => waiters.delete(then);
    },
  };
}
