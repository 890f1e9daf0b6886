/**
 * Money: leases and their holders, budgets, grants, charges on requests, stored answers. Meaning of the
 * columns: `../schema.ts`; the rules the constraints repeat: `domain/money/ledger.ts`.
 */
import type { Migration } from "../migration.ts";

/** Joined by OR, because SQLite fills a temporary table at every insert for a list of three or more. */
const entryKinds = `kind = 'charge' or kind = 'topup' or kind = 'operator_loss' or kind = 'adjustment' or kind = 'refund' or kind = 'expiry'`;
const entrySigns = `case kind when 'charge' then amount_nanos < 0 when 'expiry' then amount_nanos < 0
  when 'adjustment' then amount_nanos <> 0 else amount_nanos > 0 end`;
const entryRequest = `request_id is not null or (kind <> 'charge' and kind <> 'operator_loss')`;
const entryExpiry = `expires_at is null or kind = 'topup'`;

const accountRules = {
  leased: "check (leased_nanos >= 0 and leased_nanos <= balance_nanos)",
  spent: "check (spent_nanos >= 0)",
};

const entryIndexes = [
  "create index ledger_entries_by_account on ledger_entries (account_id, id)",
  "create unique index ledger_entries_by_request on ledger_entries (request_id, kind) where request_id is not null",
  "create unique index ledger_entries_by_reference on ledger_entries (account_id, reference) where reference is not null",
];

/** Columns added to `requests` in both dialects. `int`: the dialect's 64-bit integer. */
const requestColumns = (int: string): string[] => [
  // Ids are in time order, so the primary key serves as well, and every index slows each request.
  "drop index requests_by_time",
  `alter table requests add column charge_nanos ${int} not null default 0 check (charge_nanos >= 0)`,
  `alter table requests add column loss_nanos ${int} not null default 0 check (loss_nanos >= 0)`,
  `alter table requests add column price_id ${int}`,
  "alter table requests add column usage_parts text",
  "alter table requests add column attempt_log text",
];

/** Type names that differ by dialect. */
interface Words {
  /** 64-bit integer. */
  readonly int: string;
  /** Ids, compared byte by byte in both. */
  readonly id: string;
  readonly blob: string;
  readonly strict: string;
}

const tables = ({ int, id, blob, strict }: Words): string[] => [
  `create table holders (
    id ${id} primary key not null,
    expires_at ${int} not null,
    created_at ${int} not null
  ) ${strict}`,
  "create index holders_by_expiry on holders (expires_at)",
  `create table leases (
    holder_id ${id} not null references holders (id),
    kind text not null check (kind in ('account', 'budget')),
    subject ${id} not null,
    amount_nanos ${int} not null check (amount_nanos >= 0),
    primary key (holder_id, kind, subject)
  ) ${strict}`,
  `create table key_budgets (
    id ${id} primary key not null,
    key_id ${id} not null references api_keys (id),
    spent_nanos ${int} not null check (spent_nanos >= 0),
    leased_nanos ${int} not null check (leased_nanos >= 0)
  ) ${strict}`,
  "create index key_budgets_by_key on key_budgets (key_id)",
  `create table grants (
    entry_id ${int} primary key not null references ledger_entries (id),
    account_id ${id} not null references accounts (id),
    remaining_nanos ${int} not null check (remaining_nanos >= 0),
    expires_at ${int} not null
  ) ${strict}`,
  "create index grants_open on grants (expires_at) where remaining_nanos > 0",
  "create index grants_by_account on grants (account_id) where remaining_nanos > 0",
  `create table idempotency_keys (
    account_id ${id} not null references accounts (id),
    key ${id} not null,
    fingerprint text not null,
    request_id ${id} not null,
    holder_id ${id},
    status integer check (status between 100 and 599),
    headers text,
    body ${blob},
    expires_at ${int} not null,
    primary key (account_id, key),
    check ((holder_id is null) = (status is not null)),
    check ((status is null) = (body is null))
  ) ${strict}`,
  "create index idempotency_keys_by_expiry on idempotency_keys (expires_at)",
  "create index idempotency_keys_by_holder on idempotency_keys (holder_id) where holder_id is not null",
];

const sqliteEntries = [
  `create table ledger_entries_next (
    id integer primary key autoincrement,
    account_id text not null references accounts (id),
    kind text not null check (${entryKinds}),
    amount_nanos integer not null check (${entrySigns}),
    request_id text check (${entryRequest}),
    reference text,
    note text,
    expires_at integer check (${entryExpiry}),
    created_at integer not null
  ) strict`,
  `insert into ledger_entries_next (id, account_id, kind, amount_nanos, request_id, note, created_at)
    select id, account_id, kind, amount_nanos, request_id, note, created_at from ledger_entries where amount_nanos <> 0`,
  "drop table ledger_entries",
  "alter table ledger_entries_next rename to ledger_entries",
  ...entryIndexes,
  ...["update", "delete"].map(
    (verb) => `create trigger ledger_entries_no_${verb} before ${verb} on ledger_entries
      begin select raise(abort, 'ledger_entries is append-only'); end`,
  ),
];

const postgresEntries = [
  "alter table ledger_entries add column reference text",
  "alter table ledger_entries add column expires_at bigint",
  `do $$ declare rule text; begin
    for rule in select conname from pg_constraint where conrelid = 'ledger_entries'::regclass and contype = 'c'
    loop execute format('alter table ledger_entries drop constraint %I', rule); end loop; end $$`,
  `alter table ledger_entries add check (${entryKinds}), add check (${entrySigns}), add check (${entryRequest}),
    add check (${entryExpiry})`,
  ...["ledger_entries_by_account", "ledger_entries_by_request"].map((name) => `drop index ${name}`),
  ...entryIndexes,
];

const changeKinds = "kind in ('key', 'account', 'catalog', 'recall')";

const sqliteChanges = [
  `create table changes_next (
    id integer primary key autoincrement,
    kind text not null check (${changeKinds}),
    subject text not null,
    at integer not null
  ) strict`,
  "insert into changes_next (id, kind, subject, at) select id, kind, subject, at from changes",
  "drop table changes",
  "alter table changes_next rename to changes",
];

const postgresChanges = [
  "alter table changes drop constraint changes_kind_check",
  `alter table changes add constraint changes_kind_check check (${changeKinds})`,
];

const accountColumns = (int: string): string[] => [
  `alter table accounts add column leased_nanos ${int} not null default 0 ${accountRules.leased}`,
  `alter table accounts add column spent_nanos ${int} not null default 0 ${accountRules.spent}`,
  `alter table accounts add column allocated_nanos ${int} not null default 0`,
  `alter table accounts add column closed_at ${int}`,
];

export const ledger: Migration = {
  version: 2,
  name: "ledger",
  kind: "contract",
  needs: 2,
  sqlite: [
    ...accountColumns("integer"),
    ...sqliteEntries,
    ...sqliteChanges,
    ...requestColumns("integer"),
    ...tables({ int: "integer", id: "text", blob: "blob", strict: "strict" }),
  ],
  postgres: [
    ...accountColumns("bigint"),
    ...postgresEntries,
    ...postgresChanges,
    ...requestColumns("bigint"),
    ...tables({ int: "bigint", id: 'text collate "C"', blob: "bytea", strict: "" }),
  ],
};
