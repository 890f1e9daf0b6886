/** Whether the server answered last time: what is on the page may be old while it does not. Knows no page. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isReached = true;

/** Called after every read. */
export function noteReached(reached: boolean): void {
  if (reached === isReached) return;
  isReached = reached;
  for (const changed of listeners) changed();
}

/** False from a read that met no server until one that did. */
export function useReached(): boolean {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => isReached,
  );
}
