/**
 * Collects a thread's garbage while it is idle, where that pays. V8 collects the old generation only when the
 * heap has doubled, so a thread with little to do keeps what its start left, some 10 MB, for an hour, and the
 * process seems to leak. But such a collection also drops compiled code, because no object of a request is
 * alive then, and the next requests cost up to twice as much until it is compiled again. So it is done after
 * a start without work, and later only when the old generation has grown by much.
 */
import { getHeapSpaceStatistics } from "node:v8";
import type { Clock } from "./time/clock.ts";
import type { Schedule } from "./time/schedule.ts";

/** Least milliseconds between looks at the heap. A collection takes some tens and blocks the thread. */
const everyMs = 5 * 60_000;

/** Milliseconds after which a start is over. */
const startMs = 2_000;

/** A first look so soon after the start collects, for what the start left; in milliseconds, … */
const startGarbageMs = 10_000;

/** … or after so few pieces of work, for a thread that is told what to do. */
const startWorkMax = 200;

/** Milliseconds without work after which a thread that is told what to do counts as idle. */
const idleMsDefault = 500;

/** Garbage worth a collection, in bytes: about what a start leaves. */
const grownBytesMin = 16 * 1024 * 1024;

/** Bytes in use by everything but the youngest objects, which are collected often. */
function oldBytes(): number {
  let bytes = 0;
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics()) {
    if (!name.startsWith("new_")) bytes += used;
  }
  return bytes;
}

/** Replaceable in tests. */
export interface CollectionBounds {
  /** Least milliseconds from the start to the first look, and between looks. */
  readonly firstMs?: number;
  readonly nextMs?: number;
  /** Milliseconds without work after which a thread that is told what to do counts as idle. */
  readonly idleMs?: number;
  /** Growth of the old generation, in bytes, that is worth a collection. */
  readonly grownBytes?: number;
}

export interface QuietCollectionOptions extends CollectionBounds {
  readonly clock: Clock;
  /** Collects all garbage of this thread; resolves when that is done. Replaceable in tests. */
  readonly collect?: () => Promise<void>;
  /** Bytes in use in the old generation. Replaceable in tests. */
  readonly usedBytes?: () => number;
}

/** Decides at a moment of rest whether to collect. */
class Collector {
  readonly #clock: Clock;
  readonly #collect: () => Promise<void>;
  readonly #usedBytes: () => number;
  readonly #nextMs: number;
  readonly #grownBytes: number;
  #dueMs: number;
  /** In use after the last collection, or the least at a look since then. */
  #leastBytes: number | undefined;

  constructor(options: QuietCollectionOptions) {
    this.#clock = options.clock;
    this.#collect = options.collect ?? collectGarbage;
    this.#usedBytes = options.usedBytes ?? oldBytes;
    this.#nextMs = options.nextMs ?? everyMs;
    this.#grownBytes = options.grownBytes ?? grownBytesMin;
    this.#dueMs = this.#clock.elapsedMs() + (options.firstMs ?? startMs);
  }

  /** `isStart`: little but the start was done yet. False: it is too soon after the last look. */
  look(isStart: boolean): boolean {
    const nowMs = this.#clock.elapsedMs();
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + this.#nextMs;
    const usedBytes = this.#usedBytes();
    const isFirst = this.#leastBytes === undefined;
    const leastBytes = Math.min(this.#leastBytes ?? usedBytes, usedBytes);
    this.#leastBytes = leastBytes;
    if ((isFirst && isStart) || usedBytes - leastBytes >= this.#grownBytes) void this.#collectNow();
    return true;
  }

  async #collectNow(): Promise<void> {
    await this.#collect();
    this.#leastBytes = this.#usedBytes();
  }
}

export interface QuietCollection {
  /** Called when work begins, and when it ends. */
  begin(): void;
  end(): void;
}

/**
 * For a thread that is told what to do: looks when work ends that came after an idle time. For a thread that
 * is never idle, V8 collects by itself.
 */
export function createQuietCollection(options: QuietCollectionOptions): QuietCollection {
  const { clock, idleMs = idleMsDefault } = options;
  const collector = new Collector(options);
  let underWay = 0;
  let endedMs = clock.elapsedMs();
  let wasIdle = false;
  let done = 0;
  return {
    begin() {
      if (underWay++ > 0) return;
      wasIdle = clock.elapsedMs() - endedMs >= idleMs;
    },
    end() {
      underWay--;
      if (underWay > 0) return;
      endedMs = clock.elapsedMs();
      done++;
      if (wasIdle) collector.look(done < startWorkMax);
    },
  };
}

/** Seconds without a call after which a serving process looks. */
const restS = 3;

/**
 * For the thread that serves calls: looks once after each busy time, the start included, when it has rested
 * for some seconds. Returns what stops it.
 */
export function collectAtRest(
  options: QuietCollectionOptions & {
    readonly schedule: Pick<Schedule, "every">;
    readonly isResting: () => boolean;
  },
): () => void {
  const { clock } = options;
  const collector = new Collector(options);
  const startEndsMs = clock.elapsedMs() + startGarbageMs;
  let isDone = false;
  let restedS = 0;
  return options.schedule.every(1_000, () => {
    if (!options.isResting()) {
      isDone = false;
      restedS = 0;
      return;
    }
    restedS += 1;
    if (isDone || restedS < restS) return;
    isDone = collector.look(clock.elapsedMs() < startEndsMs);
  });
}

/**
 * Collects all garbage of this thread and returns its pages, as a debugger's button does; V8 offers no other
 * way without a flag.
 */
async function collectGarbage(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
