/** A fair lock for the connection: one user at a time, in order of arrival. Knows nothing about databases. */
import { StoreError } from "../error.ts";

const waitersMax = 10_000;

export interface Lock {
  /**
   * Returns undefined when the lock is free, else a promise that resolves when it is. Rejects when too many
   * wait.
   */
  take(): Promise<void> | undefined;
  /** Releases the lock; the holder must call it exactly once. */
  release(): void;
}

export function createLock(): Lock {
  let isTaken = false;
  const waiters: (() => void)[] = [];
  return {
    take() {
      if (!isTaken) {
        isTaken = true;
        return undefined;
      }
      if (waiters.length >= waitersMax) {
        return Promise.reject(
          new StoreError("queue_full", `the database is too slow: ${waitersMax} calls wait for it already`),
        );
      }
      return new Promise((resolve) => waiters.push(resolve));
    },
    release() {
      const next = waiters.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
}
