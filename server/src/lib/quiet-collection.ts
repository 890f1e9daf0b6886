/**
 * Collects a thread's garbage while it is idle. V8 collects the old generation only when the heap has
 * doubled, so a thread with little to do keeps what its start and its last busy time left, some 10 MB, for an
 * hour, and the process seems to leak.
 */
import type { Clock } from "./time/clock.ts";
import type { Schedule } from "./time/schedule.ts";

/** Milliseconds between collections. One takes some tens of milliseconds and blocks the thread. */
const everyMs = 5 * 60_000;

/** Milliseconds until the first: the start is over by then. */
const firstAfterMs = 2_000;

export interface QuietCollection {
  /** Called when work begins, and when it ends. */
  begin(): void;
  end(): void;
}

export interface Gaps {
  readonly firstMs: number;
  readonly nextMs: number;
}

/**
 * `collect` is called when work ends and the thread was started, or the last collection was, long enough ago.
 * For a thread that is never idle, V8 collects by itself.
 */
export function createQuietCollection(
  clock: Clock,
  collect: () => void,
  { firstMs, nextMs }: Gaps = { firstMs: firstAfterMs, nextMs: everyMs },
): QuietCollection {
  let underWay = 0;
  let dueMs = clock.elapsedMs() + firstMs;
  return {
    begin() {
      underWay++;
    },
    end() {
      underWay--;
      if (underWay > 0 || clock.elapsedMs() < dueMs) return;
      dueMs = clock.elapsedMs() + nextMs;
      collect();
    },
  };
}

/** Seconds without a call after which a serving process collects. */
const restS = 3;

/**
 * The same for the thread that serves calls: once after each busy time, the start included, when it has
 * rested for some seconds. Returns what stops it.
 */
export function collectAtRest(
  clock: Clock,
  schedule: Schedule,
  isResting: () => boolean,
  collect: () => void = () => void collectGarbage(),
): () => void {
  let hasWorked = true;
  let restedS = 0;
  let dueMs = Number.NEGATIVE_INFINITY;
  return schedule.every(1_000, () => {
    if (!isResting()) {
      hasWorked = true;
      restedS = 0;
      return;
    }
    restedS += 1;
    if (!hasWorked || restedS < restS || clock.elapsedMs() < dueMs) return;
    hasWorked = false;
    dueMs = clock.elapsedMs() + everyMs;
    collect();
  });
}

/**
 * Collects all garbage of this thread and returns its pages, as a debugger's button does; V8 offers no other
 * way without a flag.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
