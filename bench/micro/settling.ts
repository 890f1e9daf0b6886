/** Shared by the store benchmarks: a request, batches, and callers that record one row after the other. */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewId } from "../../server/src/lib/id.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import type { StoreCore } from "../../server/src/store/core.ts";
import type { LedgerBatch, TakeEntry } from "../../server/src/store/ledger/batch.ts";
import { pushRequestValues, type RequestValue } from "../../server/src/store/requests/row.ts";
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
  queueMs: 1,
  priceId: null,
  cost: null,
  charge: nanoUsd(0n),
} as const satisfies Partial<RequestRow>;

/** What each request of a batch costs. */
export const charge = nanoUsd(1_007_500n);
const models = ["gpt-5-mini", "gpt-5", "claude-sonnet-4-5"];
const leased = nanoUsd(1_000_000_000_000n);

export interface ChargedBy {
  readonly accountIds: readonly string[];
  readonly holderId: string;
  readonly newId: NewId;
  readonly nowMs: number;
}

/** A batch of charged requests, each of a random account and model, paid from the holder's leases. */
export function chargedBatch(rows: number, { accountIds, holderId, newId, nowMs }: ChargedBy): LedgerBatch {
  const values: RequestValue[] = [];
  for (let row = 0; row < rows; row++) {
    const accountId = accountIds[Math.floor(Math.random() * accountIds.length)] as string;
    pushRequestValues(
      {
        ...usualRow,
        id: newId("req"),
        createdAt: nowMs,
        accountId,
        keyId: `key_${accountId}`,
        modelId: models[Math.floor(Math.random() * models.length)] as string,
        priceId: 1,
        charge,
        firstTokenMs: 100 + Math.floor(Math.random() * 900),
      },
      { holderId, account: { fromLease: charge, release: nanoUsd(0n) } },
      values,
    );
  }
  return { values, returns: [], takes: [] };
}

/** Borrows enough from every account for all batches of a benchmark. */
export async function takeLeases(
  core: StoreCore,
  accountIds: readonly string[],
  holderId: string,
): Promise<void> {
  for (let from = 0; from < accountIds.length; from += 500) {
    const takes: TakeEntry[] = accountIds.slice(from, from + 500).map((id) => ({
      holderId,
      subject: { kind: "account", id, ownerId: id },
      requested: { atLeast: leased, need: leased, want: leased, unit: leased },
    }));
    await core.commitLedger({ values: [], returns: [], takes });
  }
}

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
