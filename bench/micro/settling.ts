/** Shared by the two store benchmarks: a request's row, and callers that record rows one after the other. */
import { nanoUsd } from "@plaza/contract/money.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import type { RequestRow } from "../../server/src/store/requests/shapes.ts";
import { percentile } from "../measure/statistics.ts";

/** A typical request without a charge; the benchmark adds account and time. */
export const usualRow = {
  modelId: "gpt-5-mini",
  upstreamId: "main",
  upstreamModel: "gpt-5-mini-2026-01-01",
  isStream: false,
  operation: "chat",
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 1200,
  cachedInputTokens: 300,
  cacheWriteTokens: 0,
  outputTokens: 350,
  reasoningTokens: 50,
  usageSource: "exact",
  firstTokenMs: 210,
  durationMs: 4200,
  usageParts: null,
  attemptLog: null,
  priceId: null,
  cost: null,
  charge: nanoUsd(0n),
} as const satisfies Partial<RequestRow>;

export interface Round {
  /** CPU time of the whole process. */
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Runs `callers` loops, each starting its next row when the last is durable. `one` resolves with the time at
 * which its wait began.
 */
export async function measureRows(
  callers: number,
  rows: number,
  one: (number: number) => Promise<number>,
): Promise<Round> {
  const latencies: number[] = [];
  let left = rows;
  const loop = async () => {
    while (left-- > 0) {
      const beganMs = await one(left);
      latencies.push(systemClock.elapsedMs() - beganMs);
    }
  };
  const beganMs = systemClock.elapsedMs();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: callers }, loop));
  const { user, system } = process.cpuUsage(before);
  const seconds = (systemClock.elapsedMs() - beganMs) / 1000;
  return {
    cpuUs: (user + system) / rows,
    perSecond: rows / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
