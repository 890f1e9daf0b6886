/**
 * Whether an upstream continues when the client disconnects; and an index for the limit of an account's
 * idempotency keys. Columns: `../schema.ts`.
 */
import type { Migration } from "../migration.ts";

const statements = [
  `alter table upstreams add column when_caller_leaves text not null default 'stop'
    check (when_caller_leaves in ('stop', 'finish'))`,
  "create index idempotency_keys_by_account on idempotency_keys (account_id, expires_at)",
];

export const upstreamSettings: Migration = {
  version: 4,
  name: "upstream-settings",
  kind: "expand",
  sqlite: statements,
  postgres: statements,
};
