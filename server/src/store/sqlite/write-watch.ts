/**
 * Gets reports of writes to a file from the system, so that a quiet file need not be polled. A system may
 * accept the watch and then report nothing, so it is trusted only while it reported every change that polling
 * found.
 */
import { watch } from "node:fs";

export interface WriteWatch {
  /** Starts to listen; does nothing when it already listens or cannot. */
  open(): void;
  /** Stops listening, because a file that is written all the time would wake this thread with every write. */
  close(): void;
  readonly isOpen: boolean;
  /** Number of reported writes. */
  readonly signals: number;
  /** True once it has proved that it reports writes. */
  readonly isTrusted: boolean;
  /**
   * Called when polling found a change while the watch was open. `wasSignalled`: whether it was reported. A
   * watch that misses some is closed for good.
   */
  judge(wasSignalled: boolean): void;
  /** Calls `then` at the next reported write, unless the returned function is called before. */
  onWrite(then: () => void): () => void;
}

/**
 * Starts to listen to a file; returns a function that stops it. Throws when the system has no watch for the
 * file, or none left.
 */
export type StartListening = (onWrite: () => void, onEnd: () => void) => () => void;

/**
 * Only on systems known to report every write at once, including those of other processes and containers:
 * inotify reports writes to any file on the same machine. SQLite writes its log with `write`, not through
 * mapped memory.
 */
const isKnownPlatform = process.platform === "linux";

/** The file may not exist yet, or the system may be out of watches for a moment. */
const failuresMax = 3;
/** A change may be found before its report is read. */
const missesMax = 3;

const listenTo =
  (file: string): StartListening =>
  (onWrite, onEnd) => {
    const watcher = watch(file, { persistent: false }, (event) => (event === "change" ? onWrite() : onEnd()));
    watcher.on("error", onEnd);
    return () => watcher.close();
  };

/** Returns undefined when writes cannot be watched. `start` is only for tests. */
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

  /** The file was moved or removed, or the system gave up; waiting callers check themselves. */
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
