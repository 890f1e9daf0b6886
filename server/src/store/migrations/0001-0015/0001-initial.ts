/** The first schema, here for SQLite and beside it for PostgreSQL. Meaning of the columns: `../schema.ts`. */

import type { Migration } from "../migration.ts";
import { initialPostgres } from "./0001-initial-postgres.ts";

const appendOnly = (table: string): string[] =>
  ["update", "delete"].map(
    (verb) => `create trigger ${table}_no_${verb} before ${verb} on ${table}
      begin select raise(abort, '${table} is append-only'); end`,
  );

const accounts = [
  `create table accounts (
    id text primary key not null,
    name text not null,
    status text not null check (status in ('active', 'suspended')),
    balance_nanos integer not null check (balance_nanos >= 0),
    created_at integer not null
  ) strict`,
  `create table ledger_entries (
    id integer primary key autoincrement,
    account_id text not null references accounts (id),
    kind text not null check (kind in ('topup', 'adjustment', 'refund', 'charge')),
    amount_nanos integer not null check (
      case kind when 'charge' then amount_nanos <= 0 when 'adjustment' then amount_nanos <> 0 else amount_nanos > 0 end
    ),
    request_id text check (request_id is not null or kind <> 'charge'),
    note text,
    created_at integer not null
  ) strict`,
  "create index ledger_entries_by_account on ledger_entries (account_id, id)",
  `create unique index ledger_entries_by_request on ledger_entries (request_id, kind) where request_id is not null`,
  ...appendOnly("ledger_entries"),
  `create table api_keys (
    id text primary key not null,
    account_id text not null references accounts (id),
    name text not null,
    visible_prefix text not null,
    digest text not null unique check (length(digest) = 64),
    status text not null check (status in ('active', 'disabled', 'revoked')),
    models text check (json_type(models) = 'array'),
    requests_per_minute integer check (requests_per_minute >= 0),
    tokens_per_minute integer check (tokens_per_minute >= 0),
    concurrency integer check (concurrency >= 0),
    budget_nanos integer check (budget_nanos >= 0),
    budget_period text check (budget_period in ('day', 'month')),
    expires_at integer,
    created_at integer not null,
    check ((budget_nanos is null) = (budget_period is null))
  ) strict`,
  "create index api_keys_by_account on api_keys (account_id, created_at)",
];

const catalog = [
  `create table upstreams (
    id text primary key not null,
    position integer not null check (position >= 0),
    provider text not null,
    base_url text not null,
    connect_ms integer not null check (connect_ms > 0),
    first_token_ms integer not null check (first_token_ms > 0),
    idle_ms integer not null check (idle_ms > 0),
    total_ms integer not null check (total_ms > 0)
  ) strict`,
  `create table credentials (
    upstream_id text not null references upstreams (id) on delete cascade,
    position integer not null check (position >= 0),
    sealed text not null,
    primary key (upstream_id, position)
  ) strict, without rowid`,
  `create table models (
    id text primary key not null,
    position integer not null check (position >= 0),
    name text not null,
    description text,
    context integer check (context > 0),
    max_output integer check (max_output > 0),
    input_modalities text check (json_type(input_modalities) = 'array'),
    output_modalities text check (json_type(output_modalities) = 'array'),
    check ((input_modalities is null) = (output_modalities is null))
  ) strict`,
  `create table prices (
    id integer primary key autoincrement,
    model_id text not null,
    valid_from integer not null,
    input_nanos integer check (input_nanos >= 0),
    output_nanos integer check (output_nanos >= 0),
    cached_input_nanos integer check (cached_input_nanos >= 0),
    cache_write_nanos integer check (cache_write_nanos >= 0),
    unique (model_id, valid_from),
    check ((input_nanos is null) = (output_nanos is null)),
    check (input_nanos is not null or (cached_input_nanos is null and cache_write_nanos is null))
  ) strict`,
  ...appendOnly("prices"),
  `create table deployments (
    model_id text not null references models (id) on delete cascade,
    position integer not null check (position >= 0),
    upstream_id text not null references upstreams (id),
    upstream_model text not null,
    priority integer not null,
    weight real not null check (weight >= 0),
    primary key (model_id, position)
  ) strict, without rowid`,
  "create index deployments_by_upstream on deployments (upstream_id)",
  `create table catalog_limits (
    id integer primary key check (id = 1),
    requests_per_minute integer check (requests_per_minute >= 0),
    tokens_per_minute integer check (tokens_per_minute >= 0),
    concurrency integer check (concurrency >= 0)
  ) strict`,
];

const requests = [
  // With rowids, because the two indexes then store a small number per row instead of the whole id, which
  // saves a third of the work. Comparisons are joined by OR, because SQLite fills a temporary table at every
  // insert for a list of three or more.
  `create table requests (
    id text primary key not null,
    created_at integer not null,
    account_id text not null,
    key_id text not null,
    model_id text,
    upstream_id text,
    upstream_model text,
    is_stream integer not null check (is_stream in (0, 1)),
    status integer not null check (status between 100 and 599),
    state text not null check (
      state = 'complete' or state = 'incomplete' or state = 'aborted' or state = 'failed'
    ),
    error_code text,
    attempts integer not null check (attempts >= 0),
    input_tokens integer not null check (input_tokens >= 0),
    cached_input_tokens integer not null check (cached_input_tokens >= 0),
    cache_write_tokens integer not null check (cache_write_tokens >= 0),
    output_tokens integer not null check (output_tokens >= 0),
    reasoning_tokens integer not null check (reasoning_tokens >= 0),
    usage_source text not null check (
      usage_source = 'exact' or usage_source = 'estimated' or usage_source = 'none'
    ),
    first_token_ms integer check (first_token_ms >= 0),
    duration_ms integer not null check (duration_ms >= 0)
  ) strict`,
  "create index requests_by_account on requests (account_id, created_at)",
  "create index requests_by_time on requests (created_at)",
];

const changes = [
  `create table changes (
    id integer primary key autoincrement,
    kind text not null check (kind in ('key', 'account', 'catalog')),
    subject text not null,
    at integer not null
  ) strict`,
];

export const initial: Migration = {
  version: 1,
  name: "initial",
  kind: "expand",
  sqlite: [...accounts, ...catalog, ...requests, ...changes],
  postgres: initialPostgres,
};
