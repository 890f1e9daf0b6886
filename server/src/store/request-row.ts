/**
 * A RequestRow as the flat list of values that travels to the thread and into the INSERT, in the order of `requestColumns`.
 * Knows no Kysely: it is loaded by every process that records requests.
 */
import type { RequestRow } from "./store.ts";

export type RequestValue = string | number | null;

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
] as const;

/** Appends one row's values. Elapsed times are rounded to whole milliseconds. */
export function pushRequestValues(row: RequestRow, into: RequestValue[]): void {
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
  );
}
