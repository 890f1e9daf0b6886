/**
 * Tables and columns for the console: users, sessions, links, operator tokens, codes, the audit log,
 * settings, and what people change on keys, accounts and the catalog. Columns: `../schema-console.ts`.
 */
import type { Migration } from "../migration.ts";

/** Type names that differ by dialect. */
interface Words {
  /** 64-bit integer. */
  readonly int: string;
  /** Ids, compared byte by byte in both. */
  readonly id: string;
  /** A growing number assigned by the database. */
  readonly serial: string;
  readonly strict: string;
}

const people = ({ int, id, strict }: Words): string[] => [
  `create table users (
    id ${id} primary key not null,
    email ${id} not null unique check (email = lower(email)),
    name text not null,
    password text,
    is_operator ${int} not null check (is_operator in (0, 1)),
    account_id ${id} references accounts (id),
    role text check (role in ('owner', 'member')),
    status text not null check (status in ('active', 'disabled')),
    totp_sealed text,
    totp_confirmed_at ${int},
    totp_last_step ${int},
    language text check (language in ('en', 'zh')),
    theme text check (theme in ('light', 'dark')),
    time_zone text,
    created_at ${int} not null,
    seen_at ${int},
    revision ${int} not null default 0,
    check ((account_id is null) = (role is null)),
    check (totp_confirmed_at is null or totp_sealed is not null)
  ) ${strict}`,
  "create index users_by_account on users (account_id) where account_id is not null",
  `create table recovery_codes (
    user_id ${id} not null references users (id) on delete cascade,
    digest ${id} not null,
    used_at ${int},
    primary key (user_id, digest)
  ) ${strict}`,
  `create table identities (
    issuer ${id} not null,
    subject ${id} not null,
    user_id ${id} not null references users (id) on delete cascade,
    created_at ${int} not null,
    primary key (issuer, subject)
  ) ${strict}`,
  `create table sessions (
    id ${id} primary key not null,
    digest ${id} not null unique,
    previous_digest ${id} unique,
    user_id ${id} not null references users (id) on delete cascade,
    csrf text not null,
    ip text,
    user_agent text,
    created_at ${int} not null,
    rotated_at ${int} not null,
    seen_at ${int} not null,
    expires_at ${int} not null
  ) ${strict}`,
  "create index sessions_by_user on sessions (user_id)",
  "create index sessions_by_expiry on sessions (expires_at)",
  `create table links (
    id ${id} primary key not null,
    digest ${id} not null unique,
    kind text not null check (kind in ('setup', 'invitation', 'reset')),
    email ${id},
    user_id ${id} references users (id) on delete cascade,
    account_id ${id} references accounts (id),
    role text check (role in ('owner', 'member')),
    is_operator ${int} not null check (is_operator in (0, 1)),
    created_by ${id},
    created_at ${int} not null,
    expires_at ${int} not null,
    used_at ${int},
    check ((account_id is null) = (role is null))
  ) ${strict}`,
  "create index links_by_account on links (account_id) where account_id is not null",
  `create table operator_tokens (
    id ${id} primary key not null,
    name text not null,
    visible_prefix text not null,
    digest ${id} not null unique,
    scopes text not null,
    created_by ${id},
    created_at ${int} not null,
    expires_at ${int},
    used_at ${int},
    revoked_at ${int}
  ) ${strict}`,
  `create table failed_attempts (
    subject ${id} primary key not null,
    failures ${int} not null check (failures > 0),
    last_at ${int} not null,
    blocked_until ${int} not null
  ) ${strict}`,
];

const keys = ({ int, id, strict }: Words): string[] => [
  "alter table api_keys add column ips text",
  `alter table api_keys add column created_by ${id}`,
  `alter table api_keys add column revision ${int} not null default 0`,
  `create table key_passes (
    digest ${id} primary key not null,
    key_id ${id} not null references api_keys (id),
    session_id ${id} not null references sessions (id) on delete cascade,
    created_at ${int} not null,
    expires_at ${int} not null
  ) ${strict}`,
  "create index key_passes_by_session on key_passes (session_id)",
  "create index key_passes_by_expiry on key_passes (expires_at)",
];

const money = ({ int, id, strict }: Words): string[] => [
  `alter table accounts add column low_balance_nanos ${int} check (low_balance_nanos >= 0)`,
  `alter table accounts add column revision ${int} not null default 0`,
  `create table code_batches (
    id ${id} primary key not null,
    note text not null,
    amount_nanos ${int} not null check (amount_nanos > 0),
    codes ${int} not null check (codes > 0),
    expires_at ${int},
    created_by ${id},
    created_at ${int} not null,
    voided_at ${int}
  ) ${strict}`,
  `create table codes (
    digest ${id} primary key not null,
    batch_id ${id} not null references code_batches (id),
    number ${int} not null check (number > 0),
    visible_end text not null,
    redeemed_at ${int},
    account_id ${id} references accounts (id),
    user_id ${id},
    entry_id ${int} references ledger_entries (id),
    unique (batch_id, number),
    check ((redeemed_at is null) = (account_id is null)),
    check ((redeemed_at is null) = (entry_id is null))
  ) ${strict}`,
];

const operation = ({ int, id, serial, strict }: Words): string[] => [
  `create table audit_entries (
    id ${serial},
    at ${int} not null,
    actor_kind text not null check (actor_kind in ('user', 'token', 'cli')),
    actor_id ${id},
    actor_name text not null,
    account_id ${id},
    action ${id} not null,
    subject ${id},
    detail text,
    ip text,
    request_id ${id},
    outcome text not null check (outcome in ('begun', 'done', 'refused'))
  ) ${strict}`,
  "create index audit_entries_by_account on audit_entries (account_id, id) where account_id is not null",
  `create table installation_settings (
    name ${id} primary key not null,
    value text not null,
    revision ${int} not null
  ) ${strict}`,
  `create table ledger_checks (
    id ${id} primary key not null,
    started_at ${int} not null,
    started_by ${id},
    ended_at ${int},
    is_ok ${int} check (is_ok in (0, 1)),
    report text
  ) ${strict}`,
  "create index ledger_checks_by_start on ledger_checks (started_at)",
];

const sources = "check (source in ('file', 'console', 'demo'))";

const catalog = ({ int }: Words): string[] => [
  ...["upstreams", "models"].flatMap((table) => [
    `alter table ${table} add column source text not null default 'file' ${sources}`,
    `alter table ${table} add column revision ${int} not null default 0`,
  ]),
  "update upstreams set source = 'demo' where id = 'demo' and provider = 'demo'",
  "update models set source = 'demo' where id = 'demo'",
  "alter table models add column family text",
  "alter table models add column capabilities text",
  `alter table models add column deprecated_at ${int}`,
  `alter table models add column created_at ${int}`,
  `alter table catalog_limits add column source text not null default 'file' ${sources}`,
  `alter table catalog_limits add column revision ${int} not null default 0`,
];

const statements = (words: Words): string[] => [
  ...people(words),
  ...keys(words),
  ...money(words),
  ...operation(words),
  ...catalog(words),
];

export const consoleTables: Migration = {
  version: 10,
  name: "console",
  kind: "expand",
  sqlite: statements({
    int: "integer",
    id: "text",
    serial: "integer primary key autoincrement",
    strict: "strict",
  }),
  postgres: statements({
    int: "bigint",
    id: 'text collate "C"',
    serial: "bigint generated by default as identity primary key",
    strict: "",
  }),
};
