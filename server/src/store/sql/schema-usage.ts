/**
 * The tables of added-up requests as Kysely sees them; SQL in `0001-0015/0011-usage.ts` and
 * `migrations/0020-usage-by-operation.ts`. Each row of `requests` is counted in them exactly once, some time
 * after it was written; what is not counted yet is told by `usage_progress`.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { Generated } from "kysely";

/** What numbers are of: every account, key or model that was used, alone and together. */
export interface UsageSeriesTable {
  id: Generated<number>;
  /** Which of the following four count (`usage/series.ts`); the others are empty. */
  kind: number;
  account_id: string;
  key_id: string;
  /** Empty also for requests that named no model that could be served. */
  model_id: string;
  error_code: string;
  /** When its newest request was made. */
  last_at: number;
  /** Of the paths that were called: a name of every series. */
  operation: Operation;
}

/** Sums over the requests of one series in one span of time. */
export interface UsageNumberColumns {
  requests: number;
  complete: number;
  incomplete: number;
  aborted: number;
  /** Those the model is to blame for: cut answers, and errors of upstreams. */
  unserved: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  charge_nanos: bigint;
  loss_nanos: bigint;
  /** Of those whose cost is known. */
  cost_nanos: bigint;
  without_cost: number;
  /** Requests that had a first token. */
  first_tokens: number;
  /** Their times to it, added up. */
  first_token_ms: number;
  duration_ms: number;
  /** Output of complete streams that had a first token. */
  stream_tokens: number;
  /** Their times from the first token to the last. */
  stream_ms: number;
}

/** `span`: half hours since 1970 in `usage_slots`, UTC days in `usage_days`. */
export interface UsageSpansTable extends UsageNumberColumns {
  series_id: number;
  span: number;
}

/**
 * How many requests of a model had their first token within a bucket of time
 * (`domain/routing/first-token-buckets.ts`); of the last days only.
 */
export interface UsageFirstTokensTable {
  span: number;
  series_id: number;
  bucket: number;
  requests: number;
}

/**
 * The least and the greatest id of the requests made in a minute (since
 * 1970): the way from a time to the rows.
 */
export interface UsageMinutesTable {
  minute: number;
  first_id: string;
  last_id: string;
}

/** At most one row; none while nothing is added up. What the mark means: `sql/insertion-order.ts`. */
export interface UsageProgressTable {
  id: number;
  mark: number;
  mark_id: string;
  /** Which process adds up, and until when it is left alone to it. */
  claimed_by: string | null;
  claimed_until: number;
}
