/**
 * A request and its settlement as the flat list of values that travels to the storage thread, into the INSERT and, while
 * the database is away, into the journal. Knows no Kysely: it is loaded by every process that records requests.
 */
import type { RequestRow, Settlement } from "./store.ts";

export type RequestValue = string | number | bigint | Uint8Array | null;

/** Columns of `requests`, in the order of the values; `loss_nanos` is found out while settling. */
export const requestColumns = [
  "id",
  "created_at",
  "account_id",
  "key_id",
  "model_id",
  "upstream_id",
  "upstream_model",
  "is_stream",
  "status",
  "state",
  "error_code",
  "attempts",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "usage_source",
  "first_token_ms",
  "duration_ms",
  "usage_parts",
  "attempt_log",
  "price_id",
  "cost_nanos",
  "charge_nanos",
  "loss_nanos",
] as const;

/** Where the values of `requestColumns` and, behind them, those of the settlement lie. */
export const at = {
  id: 0,
  createdAt: 1,
  accountId: 2,
  keyId: 3,
  charge: 24,
  loss: 25,
  holderId: 26,
  accountFromLease: 27,
  accountRelease: 28,
  budgetId: 29,
  budgetFromLease: 30,
  budgetRelease: 31,
  idempotencyKey: 32,
  answerStatus: 33,
  answerHeaders: 34,
  answerBody: 35,
} as const;

/** Values of one request. */
export const valuesPerRequest = 36;

/** Appends one request's values. Elapsed times are rounded to whole milliseconds. */
export function pushRequestValues(
  row: RequestRow,
  settlement: Settlement | undefined,
  into: RequestValue[],
): void {
  into.push(
    row.id,
    row.createdAt,
    row.accountId,
    row.keyId,
    row.modelId,
    row.upstreamId,
    row.upstreamModel,
    row.isStream ? 1 : 0,
    row.status,
    row.state,
    row.errorCode,
    row.attempts,
    row.inputTokens,
    row.cachedInputTokens,
    row.cacheWriteTokens,
    row.outputTokens,
    row.reasoningTokens,
    row.usageSource,
    row.firstTokenMs === null ? null : Math.round(row.firstTokenMs),
    Math.round(row.durationMs),
    row.usageParts === null ? null : JSON.stringify(row.usageParts),
    row.attemptLog === null ? null : JSON.stringify(row.attemptLog),
    row.priceId,
    row.cost,
    row.charge,
    0n,
  );
  pushSettlementValues(settlement, into);
}

function pushSettlementValues(settlement: Settlement | undefined, into: RequestValue[]): void {
  const account = settlement?.account;
  const budget = settlement?.budget;
  const idempotency = settlement?.idempotency;
  const answer = idempotency?.answer;
  into.push(
    settlement?.holderId ?? null,
    account?.fromLease ?? 0n,
    account?.release ?? 0n,
    budget?.id ?? null,
    budget?.fromLease ?? 0n,
    budget?.release ?? 0n,
    idempotency?.key ?? null,
    answer?.status ?? null,
    answer === undefined ? null : JSON.stringify(answer.headers),
    answer?.body ?? null,
  );
}
