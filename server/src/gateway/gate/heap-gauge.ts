/** Reads V8's heap usage and garbage collection pauses, with one performance observer. */
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** Heap usage as a share of the heap limit, 0 to 1. */
export interface HeapGauge {
  used(): number;
  /** Usage right after the last full collection; 0 before the first. */
  live(): number;
  stop(): void;
}

/** Collections of one kind since the start. */
export interface CollectorPauses {
  readonly count: number;
  /** Total milliseconds. */
  readonly ms: number;
}

const kinds: ReadonlyMap<number | undefined, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak"],
]);

/**
 * Samples usage after each full collection, because at other times most of it is garbage. Runs until `stop`.
 */
export function createHeapGauge(): HeapGauge & { pauses(): ReadonlyMap<string, CollectorPauses> } {
  let live = 0;
  const pauses = new Map([...kinds.values()].map((kind) => [kind, { count: 0, ms: 0 }]));
  const used = (): number => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return used_heap_size / heap_size_limit;
  };
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceEntry & {
        readonly detail?: { readonly kind?: number };
      };
      const kind = kinds.get(detail?.kind);
      const pause = kind === undefined ? undefined : pauses.get(kind);
      if (pause === undefined) continue;
      pause.count += 1;
      pause.ms += duration;
      if (kind === "major") live = used();
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return {
    used,
    // Usage can also shrink without a full collection, but never below what is alive.
    live: () => Math.min(live, used()),
    pauses: () => pauses,
    stop: () => observer.disconnect(),
  };
}
