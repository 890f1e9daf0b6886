/**
 * Kysely types of the tables, the same for SQLite and PostgreSQL. Money columns end in `_nanos` and are
 * bigint (NanoUsd), times are Unix milliseconds, booleans 0 or 1, lists JSON text. The SQL is in
 * `migrations/`.
 */

import type { Generated } from "kysely";
import type { ApiKeyStatus } from "../accounts/key-shapes.ts";
import type { LedgerEntry } from "../ledger/shapes.ts";
import type { Change } from "../operation/news-shapes.ts";
import type { RequestsTable } from "../requests/columns.ts";
import type {
  AuditEntriesTable,
  CodeBatchesTable,
  CodesTable,
  ConsoleAccountColumns,
  ConsoleCatalogColumns,
  ConsoleKeyColumns,
  ConsoleModelColumns,
  EphemeralKeysTable,
  FailedAttemptsTable,
  IdentitiesTable,
  InstallationSettingsTable,
  LedgerChecksTable,
  LinksTable,
  OperatorTokensTable,
  RecoveryCodesTable,
  SessionsTable,
  UsersTable,
  YoungerTables,
} from "./schema-console.ts";
import type { ListTables } from "./schema-lists.ts";
import type { RetentionTables } from "./schema-retention.ts";
import type { MigrationProgressTable, SchemaMigrationsTable } from "./schema-upgrades.ts";
import type {
  UsageFirstTokensTable,
  UsageMinutesTable,
  UsageProgressTable,
  UsageSeriesTable,
  UsageSlotsTable,
  UsageSpansTable,
} from "./schema-usage.ts";

export interface AccountsTable extends ConsoleAccountColumns {
  id: string;
  name: string;
  status: "active" | "suspended";
  /** Always the sum of the account's ledger entries; both change in one transaction. */
  balance_nanos: bigint;
  /** Always the sum of the account's leases: 0 ≤ leased ≤ balance. */
  leased_nanos: Generated<bigint>;
  /** Total that requests and adjustments deducted; only needed to compute how much of a grant is used. */
  spent_nanos: Generated<bigint>;
  /** The part of `spent_nanos` already deducted from the account's grants (`grants.ts`). */
  allocated_nanos: Generated<bigint>;
  /** Null while the account is open. */
  closed_at: Generated<number | null>;
  /** Its own limits; null: the catalog's default. */
  requests_per_minute: Generated<number | null>;
  tokens_per_minute: Generated<number | null>;
  concurrency: Generated<number | null>;
  /** How long its responses are kept, in milliseconds; 0 = not at all; null: as for every account. */
  responses_kept_ms: Generated<number | null>;
  created_at: number;
}

/** Signed entries. A trigger prevents changes and deletion. */
export interface LedgerEntriesTable {
  id: Generated<number>;
  account_id: string;
  kind: LedgerEntry["kind"];
  /** Positive amounts add to the balance. */
  amount_nanos: bigint;
  /** The request of a charge, operator loss or refund; a request has at most one entry of each kind. */
  request_id: string | null;
  /** Identifies a repeated top-up; unique per account. */
  reference: string | null;
  note: string | null;
  /** For a top-up whose unused rest expires. */
  expires_at: number | null;
  created_at: number;
}

export interface ApiKeysTable extends ConsoleKeyColumns {
  id: string;
  account_id: string;
  name: string;
  visible_prefix: string;
  /** SHA-256 of the secret, hex. */
  digest: string;
  status: ApiKeyStatus;
  /** JSON list of model ids; null: all. */
  models: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
  budget_nanos: bigint | null;
  budget_period: "day" | "month" | null;
  expires_at: number | null;
  created_at: number;
}

export interface UpstreamsTable extends ConsoleCatalogColumns {
  id: string;
  /** Position in the catalog, from 0. */
  position: number;
  provider: string;
  base_url: string;
  connect_ms: number;
  /** Null: depends on the model, as in `contract/catalog.ts`. */
  first_byte_ms: number | null;
  first_token_ms: number;
  idle_ms: number;
  total_ms: number;
  on_disconnect: "stop" | "finish";
  /** Null: unlimited. */
  concurrency: number | null;
  /** Null: the default of `contract/catalog.ts`. */
  queue: number | null;
  affinity: "key" | "none";
  /** null = none. */
  preset: string | null;
  /** JSON object of texts; null = none. */
  options: string | null;
}

export interface CredentialsTable {
  upstream_id: string;
  position: number;
  /** Sealed by `lib/secret.ts`, bound to the upstream's id. */
  sealed: string;
}

export interface ModelsTable extends ConsoleCatalogColumns, ConsoleModelColumns {
  id: string;
  position: number;
  name: string;
  description: string | null;
  context: number | null;
  max_output: number | null;
  /** JSON lists; both null when unknown. */
  input_modalities: string | null;
  output_modalities: string | null;
  /** For all callers together; null: no limit. */
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
  /** JSON list of model ids; null = none. */
  fallbacks: string | null;
  /** JSON object of type `Hedge`; null: none. */
  hedge: string | null;
}

/**
 * A model's price from a time on. In force is the row with the latest `valid_from` that is not in the future;
 * of several, the one with the largest id. Rows are never edited: a changed price adds a row, and so does a
 * changed or withdrawn schedule, with the same `valid_from`. Null prices mean that the model has no price any
 * more. Rows outlive their model.
 */
export interface PricesTable {
  id: Generated<number>;
  model_id: string;
  valid_from: number;
  /** Per million tokens of the class; null: the price of its fallback class (`contract/catalog.ts`). */
  input_nanos: bigint | null;
  output_nanos: bigint | null;
  cached_input_nanos: bigint | null;
  cache_write_nanos: bigint | null;
  long_cache_write_nanos: bigint | null;
  reasoning_nanos: bigint | null;
  audio_input_nanos: bigint | null;
  audio_output_nanos: bigint | null;
  image_input_nanos: bigint | null;
  image_output_nanos: bigint | null;
  per_request_nanos: bigint | null;
  /** JSON list of tiers (`price-rows.ts`), amounts as decimal strings of nano-dollars; null = none. */
  tiers: string | null;
}

export interface DeploymentsTable {
  model_id: string;
  position: number;
  upstream_id: string;
  upstream_model: string;
  priority: number;
  weight: number;
  /**
   * What the upstream charges: a price as JSON (`price-rows.ts`) with amounts as decimal strings of
   * nano-dollars; null: unknown.
   */
  cost: string | null;
  /** JSON object of timers that differ from the upstream's, in milliseconds; null: none. */
  timeouts: string | null;
}

/** One row once a catalog was applied; null: no limit. */
export interface CatalogLimitsTable extends ConsoleCatalogColumns {
  id: number;
  /** Default for accounts without their own limits. */
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
  /** Limit of the whole installation. */
  installation_requests_per_minute: number | null;
  installation_tokens_per_minute: number | null;
  installation_concurrency: number | null;
}

/**
 * A serving process, from start to end. Its leases are returned once `expires_at` (the database's clock) has
 * passed.
 */
export interface HoldersTable {
  id: string;
  expires_at: number;
  created_at: number;
  /** 1 while its settlements wait in its journal, as far as it could report that. */
  has_journal: Generated<number>;
  /** The newest migration it knows; null: it is older than migration 22. */
  schema_version: Generated<number | null>;
}

/** Part of an account's balance or a key's budget, lent to one process. (`account_id`: migration 34.) */
export interface LeasesTable {
  holder_id: string;
  kind: "account" | "budget";
  /** Account id, or the id of a `key_budgets` row. */
  subject: string;
  amount_nanos: bigint;
}

/** What a key with a budget spent in one period. `id` contains key and period (`domain/money/budget.ts`). */
export interface KeyBudgetsTable {
  id: string;
  key_id: string;
  spent_nanos: bigint;
  leased_nanos: bigint;
}

/** A top-up that expires, and its unused rest when that was last computed. */
export interface GrantsTable {
  entry_id: number;
  account_id: string;
  remaining_nanos: bigint;
  expires_at: number;
}

/**
 * Calls with an idempotency key. In flight: `holder_id` is set. Done: `status`, `headers` and `body` are set.
 */
export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  /** SHA-256 of the request's body, hex. */
  fingerprint: string;
  request_id: string;
  holder_id: string | null;
  status: number | null;
  /** JSON list: name, value, name, value … */
  headers: string | null;
  body: Uint8Array | null;
  expires_at: number;
  /** For a claim whose dead holder left a journal: until then its answer may still appear. */
  held_until: Generated<number | null>;
}

/** The bucket of one rate limit (`domain/limits/limit.ts`). A full one with nothing lent may be missing. */
export interface LimitBucketsTable {
  /** `scope:id:kind`. */
  subject: string;
  is_slots: number;
  /** The limit's value at the last request. */
  capacity: number;
  used: number;
  outstanding: number;
  /** Time of the last refill, by the database's clock. */
  at: number;
  /** When it will be full if nothing is lent. */
  full_at: number;
}

/** Units of a bucket lent to one process. */
export interface LimitSlicesTable {
  holder_id: string;
  subject: string;
  amount: number;
}

/**
 * JSON of `upstreams` and `readings` (contract/upstream-states.ts) from a process's last report; deleted with
 * its holder.
 */
export interface UpstreamStatesTable {
  holder_id: string;
  states: string;
  /** JSON of a `ModelReport`; null: the process sent none. */
  models: string | null;
  at: number;
}

/** Refused calls without a row of their own. */
export interface RefusalsTable {
  account_id: string;
  /** Start of the minute, Unix milliseconds. */
  minute: number;
  key_id: string;
  error_code: string;
  count: number;
}

/** Reasoning of a tool call for the next turn (`reasoning.ts`). */
export interface ReasoningTable {
  account_id: string;
  /** SHA-256 of account and tool call id, hex. */
  call_digest: string;
  /** Sealed by `lib/secret.ts` under a key of this tool call only. */
  sealed: string;
  /** Length of `sealed`. */
  bytes: number;
  expires_at: number;
}

/** A response kept for the caller's next turn (`../responses/responses.ts`). */
export interface StoredResponsesTable {
  /** SHA-256 of account and response id, hex. */
  digest: string;
  account_id: string;
  /** Of the response it continues. */
  parent_digest: string | null;
  model_id: string;
  deployment: string;
  /** `lib/secret.ts`, bound to `digest`. */
  sealed: string;
  /** Length of `sealed`. */
  bytes: number;
  created_at: number;
  expires_at: number;
}

/** Where an item of a stored response is. */
export interface ResponseItemsTable {
  /** SHA-256 of account and item id, hex. */
  item_digest: string;
  response_digest: string;
}

export interface ChangesTable {
  id: Generated<number>;
  kind: Change["kind"];
  subject: string;
  at: number;
}

export interface Database extends ListTables, RetentionTables, YoungerTables {
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
  holders: HoldersTable;
  leases: LeasesTable;
  key_budgets: KeyBudgetsTable;
  grants: GrantsTable;
  idempotency_keys: IdempotencyKeysTable;
  limit_buckets: LimitBucketsTable;
  limit_slices: LimitSlicesTable;
  upstream_states: UpstreamStatesTable;
  refusals: RefusalsTable;
  reasoning: ReasoningTable;
  stored_responses: StoredResponsesTable;
  response_items: ResponseItemsTable;
  changes: ChangesTable;
  users: UsersTable;
  recovery_codes: RecoveryCodesTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  links: LinksTable;
  operator_tokens: OperatorTokensTable;
  failed_attempts: FailedAttemptsTable;
  ephemeral_keys: EphemeralKeysTable;
  code_batches: CodeBatchesTable;
  codes: CodesTable;
  audit_entries: AuditEntriesTable;
  installation_settings: InstallationSettingsTable;
  ledger_checks: LedgerChecksTable;
  usage_series: UsageSeriesTable;
  usage_slots: UsageSlotsTable;
  usage_days: UsageSpansTable;
  usage_first_tokens: UsageFirstTokensTable;
  usage_minutes: UsageMinutesTable;
  usage_progress: UsageProgressTable;
  schema_migrations: SchemaMigrationsTable;
  migration_progress: MigrationProgressTable;
}
