/**
 * The tables as Kysely sees them, the same on SQLite and PostgreSQL. Conventions: money columns end in `_nanos` and are
 * bigint (NanoUsd), times are Unix milliseconds, booleans 0 or 1, lists JSON text. The SQL is in `migrations/`.
 */

import type { RequestState, UsageSource } from "@plaza/contract/usage.ts";
import type { Generated } from "kysely";
import type { AccountStatus, ApiKeyStatus, Change } from "./store.ts";

export interface AccountsTable {
  id: string;
  name: string;
  status: AccountStatus;
  /** Always the sum of the account's ledger entries; both are written in one transaction. */
  balance_nanos: bigint;
  created_at: number;
}

/** Signed lines, never edited or deleted: a trigger refuses it. */
export interface LedgerEntriesTable {
  id: Generated<number>;
  account_id: string;
  kind: "topup" | "adjustment" | "refund" | "charge";
  /** Positive adds to the balance. */
  amount_nanos: bigint;
  /** The request a charge or refund belongs to; a request has at most one entry of a kind. */
  request_id: string | null;
  note: string | null;
  created_at: number;
}

export interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  visible_prefix: string;
  /** SHA-256 of the secret, hex. */
  digest: string;
  status: ApiKeyStatus;
  /** JSON list of model ids; null = all. */
  models: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
  budget_nanos: bigint | null;
  budget_period: "day" | "month" | null;
  expires_at: number | null;
  created_at: number;
}

export interface UpstreamsTable {
  id: string;
  /** Place in the catalog, from 0. */
  position: number;
  provider: string;
  base_url: string;
  connect_ms: number;
  first_token_ms: number;
  idle_ms: number;
  total_ms: number;
}

export interface CredentialsTable {
  upstream_id: string;
  position: number;
  /** `lib/secret.ts`, bound to the upstream's id. */
  sealed: string;
}

export interface ModelsTable {
  id: string;
  position: number;
  name: string;
  description: string | null;
  context: number | null;
  max_output: number | null;
  /** JSON lists; both null when unknown. */
  input_modalities: string | null;
  output_modalities: string | null;
}

/**
 * What a model cost from a time on; the row with the newest `valid_from` is in force. Rows are never edited: a changed
 * price adds one, and one with null prices says that the model has no price any more. Rows outlive their model.
 */
export interface PricesTable {
  id: Generated<number>;
  model_id: string;
  valid_from: number;
  /** Per million tokens of the class. */
  input_nanos: bigint | null;
  output_nanos: bigint | null;
  cached_input_nanos: bigint | null;
  cache_write_nanos: bigint | null;
}

export interface DeploymentsTable {
  model_id: string;
  position: number;
  upstream_id: string;
  upstream_model: string;
  priority: number;
  weight: number;
}

/** One row once a catalog was applied, none before. */
export interface CatalogLimitsTable {
  id: number;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
}

/** No foreign keys: a request is recorded as it happened, whatever became of its key. */
export interface RequestsTable {
  id: string;
  created_at: number;
  account_id: string;
  key_id: string;
  model_id: string | null;
  upstream_id: string | null;
  upstream_model: string | null;
  is_stream: number;
  status: number;
  state: RequestState;
  error_code: string | null;
  attempts: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  usage_source: UsageSource;
  first_token_ms: number | null;
  duration_ms: number;
}

export interface ChangesTable {
  id: Generated<number>;
  kind: Change["kind"];
  subject: string;
  at: number;
}

export interface SchemaMigrationsTable {
  version: number;
  name: string;
  applied_at: number;
}

export interface Database {
  accounts: AccountsTable;
  ledger_entries: LedgerEntriesTable;
  api_keys: ApiKeysTable;
  upstreams: UpstreamsTable;
  credentials: CredentialsTable;
  models: ModelsTable;
  prices: PricesTable;
  deployments: DeploymentsTable;
  catalog_limits: CatalogLimitsTable;
  requests: RequestsTable;
  changes: ChangesTable;
  schema_migrations: SchemaMigrationsTable;
}
