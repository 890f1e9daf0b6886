/**
 * Lets one piece of work at a time use the connection, in the order they came. Knows nothing of databases.
 */
import { StoreError } from "../error.ts";

const waitersMax = 10_000;

export interface Lock {
  /** undefined when taken immediately, else a promise of the turn. Rejects when too many wait already. */
  take(): Promise<void> | undefined;
  /** The holder releases the lock, exactly once. */
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
