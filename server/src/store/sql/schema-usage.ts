/**
 * Kysely types of the tables with sums of requests; the SQL is in `migrations/0001-0015/0011-usage.ts`. Each
 * row of `requests` is counted exactly once, some time after it was written; `usage_progress` says which rows
 * are not counted yet.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { Generated } from "kysely";

/** What sums are kept for: every used account, key and model, alone and combined. */
export interface UsageSeriesTable {
  id: Generated<number>;
  /** Which of the next four columns are set (`usage/series.ts`); the others are empty. */
  kind: number;
  account_id: string;
  key_id: string;
  /** Also empty for requests without a servable model. */
  model_id: string;
  error_code: string;
  /**
   * Time of its first requests; of the newest for the series of keys with an account alone, which are written
   * until migration 25. Later the half hours have it.
   */
  last_at: number;
  /** Of the paths that were called: a name of every series. */
  operation: Operation;
}

/** Sums over the requests of one series in one time span. */
export interface UsageNumberColumns {
  requests: number;
  complete: number;
  incomplete: number;
  aborted: number;
  /** Requests that count against the model: truncated answers and upstream errors. */
  unserved: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  charge_nanos: bigint;
  loss_nanos: bigint;
  /** Sum over requests with a known cost. */
  cost_nanos: bigint;
  without_cost: number;
  /** Requests with a first token. */
  first_tokens: number;
  /** Sum of their times to it. */
  first_token_ms: number;
  duration_ms: number;
  /** Output tokens of complete streams that had a first token. */
  stream_tokens: number;
  /** Sum of their times from the first token to the last. */
  stream_ms: number;
}

/** `span`: half hours since 1970 in `usage_slots`, UTC days in `usage_days`. */
export interface UsageSpansTable extends UsageNumberColumns {
  series_id: number;
  span: number;
}

export interface UsageSlotsTable extends UsageSpansTable {
  /** Time of the newest request; 0 when servers before schema 24 wrote the row. */
  last_at: Generated<number>;
}

/**
 * Requests of a model by time to first token, in buckets (`domain/routing/first-token-buckets.ts`); for the
 * last days only.
 */
export interface UsageFirstTokensTable {
  span: number;
  series_id: number;
  bucket: number;
  requests: number;
}

/** The smallest and the largest id of the requests of a minute (since 1970), to find rows by time. */
export interface UsageMinutesTable {
  minute: number;
  first_id: string;
  last_id: string;
}

/** At most one row, and none before anything is summed. `sql/insertion-order.ts` explains the mark. */
export interface UsageProgressTable {
  id: number;
  mark: number;
  mark_id: string;
  /** The process that sums, and until when it has that right. */
  claimed_by: string | null;
  claimed_until: number;
  /**
   * Sums of UTC days before it are written, and of itself those of series up to `closed_series`; null before
   * migration 25: all, with the half hours.
   */
  open_day: number | null;
  closed_series: Generated<number>;
}
