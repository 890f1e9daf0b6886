/**
 * Whether the server answered last time. While it does not, it is asked again after growing waits, and what
 * is on the page is read again once it answers. Knows no page.
 */
import { useSyncExternalStore } from "react";

/** What is known about the way to the server. */
export interface Reach {
  readonly isReached: boolean;
  /** When it is asked again, in Unix milliseconds; null while it is reached or being asked. */
  readonly retryAtMs: number | null;
}

const waitsMs = [2_000, 4_000, 8_000, 15_000, 30_000] as const;
/** Longest that one attempt may take. */
const attemptMs = 10_000;

const reached: Reach = { isReached: true, retryAtMs: null };
let reach = reached;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const readers = new Set<() => void>();
const returns = new Set<() => void>();

function set(next: Reach): void {
  reach = next;
  for (const changed of readers) changed();
}

function schedule(): void {
  const waitMs = waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 30_000;
  failures += 1;
  clearTimeout(timer);
  timer = setTimeout(retryNow, waitMs);
  set({ isReached: false, retryAtMs: Date.now() + waitMs });
}

/** Asks the server now; any answer at all counts. */
export function retryNow(): void {
  if (reach.isReached || reach.retryAtMs === null) return;
  clearTimeout(timer);
  set({ isReached: false, retryAtMs: null });
  fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(attemptMs) }).then(
    () => noteReached(true),
    schedule,
  );
}

/** Called after every call. */
export function noteReached(isReached: boolean): void {
  if (isReached === reach.isReached) return;
  if (!isReached) {
    schedule();
    return;
  }
  failures = 0;
  clearTimeout(timer);
  set(reached);
  for (const onReturn of returns) onReturn();
}

/** Calls it whenever the server is reached again. */
export function onReachedAgain(act: () => void): void {
  returns.add(act);
}

/** Not reached from a call that met no server until one that did. */
export function useReach(): Reach {
  return useSyncExternalStore(
    (changed) => {
      readers.add(changed);
      return () => readers.delete(changed);
    },
    () => reach,
  );
}
