/**
 * Hands a storage thread's garbage back while nothing is asked of it. V8 collects the old part of a
 * heap only when it has grown by as much again: a thread with little to do holds on to more for an
 * hour, and the process looks as if it leaked.
 */
import { Session } from "node:inspector/promises";
import type { Clock } from "../../lib/time/clock.ts";

/**
 * How long garbage may gather. A collection takes some tens of milliseconds,
 * in which the thread does nothing else.
 */
const everyMs = 5 * 60_000;

export interface QuietCollection {
  /** Work has begun, or ended. */
  begin(): void;
  end(): void;
}

/**
 * `collect` is called when the last work ended and the last collection is `gapMs` ago; a
 * thread that is never quiet is left to V8.
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
 * Collects all garbage of this thread and gives its pages back, as a debugger's button does:
 * V8 offers no other way without a flag.
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
