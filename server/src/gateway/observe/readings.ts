/** The load and memory figures that every process publishes to the others. */
import { getHeapStatistics } from "node:v8";
import type { ProcessReadings } from "@plaza/contract/upstream-states.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { OverloadReadings } from "../gate/overload.ts";

export interface ReadingsSources {
  readonly version: string;
  readonly clock: Clock;
  readonly overload: () => OverloadReadings;
  readonly isBehind: () => boolean;
}

export function createReadings({
  version,
  clock,
  overload,
  isBehind,
}: ReadingsSources): () => ProcessReadings {
  const startedAt = new Date(clock.wallMs() - process.uptime() * 1_000).toISOString();
  return () => {
    const { lagP99Ms, inFlight, isLimiting, selfLimit, refused } = overload();
    return {
      pid: process.pid,
      version,
      startedAt,
      loopLagMs: Math.round(lagP99Ms * 10) / 10,
      heapBytes: getHeapStatistics().used_heap_size,
      rssBytes: process.memoryUsage.rss(),
      inFlight,
      isBehind: isBehind(),
      isLimiting,
      selfLimit,
      refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
    };
  };
}
