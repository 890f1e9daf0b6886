/**
 * Indexes for the operator's lists: accounts and keys with their own limits, and the audit log by time, which
 * also serves to find old entries.
 */
import type { Migration } from "../migration.ts";

const limits = ["requests_per_minute", "tokens_per_minute", "concurrency"];
const anyOf = (columns: readonly string[]): string =>
  columns.map((column) => `${column} is not null`).join(" or ");

const statements: readonly string[] = [
  `create index accounts_with_limits on accounts (created_at, id) where ${anyOf(limits)}`,
  `create index api_keys_with_limits on api_keys (created_at, id)
    where status <> 'revoked' and (${anyOf([...limits, "budget_nanos"])})`,
  "create index audit_entries_by_time on audit_entries (at)",
];

export const lookups: Migration = {
  version: 12,
  name: "lookups",
  kind: "expand",
  sqlite: statements,
  postgres: statements,
};
