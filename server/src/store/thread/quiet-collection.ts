/**
 * Collects a storage thread's garbage while it is idle. V8 collects the old generation only when the heap has
 * doubled, so a thread with little to do keeps memory for an hour, and the process seems to leak.
 */
import { Session } from "node:inspector/promises";
import type { Clock } from "../../lib/time/clock.ts";

/** Milliseconds between collections. One takes some tens of milliseconds and blocks the thread. */
const everyMs = 5 * 60_000;

export interface QuietCollection {
  /** Called when work begins, and when it ends. */
  begin(): void;
  end(): void;
}

/**
 * `collect` is called when work ends and the last collection was at least `gapMs` ago. For a thread that is
 * never idle, V8 collects by itself.
 */
export function createQuietCollection(
  clock: Clock,
  collect: () => void,
  gapMs: number = everyMs,
): QuietCollection {
  let underWay = 0;
  let lastMs = clock.elapsedMs();
  return {
    begin() {
      underWay++;
    },
    end() {
      underWay--;
      if (underWay > 0 || clock.elapsedMs() - lastMs < gapMs) return;
      lastMs = clock.elapsedMs();
      collect();
    },
  };
}

/**
 * Collects all garbage of this thread and returns its pages, as a debugger's button does; V8 offers no other
 * way without a flag.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
