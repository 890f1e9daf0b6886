/**
 * Buckets of rate limits and the slices lent to processes. Columns: `../schema.ts`; rules:
 * `domain/limits/limit.ts`.
 */
import type { Migration } from "../migration.ts";

/** `int`: the dialect's 64-bit integer. `id`: text compared byte by byte. */
const tables = (int: string, id: string, strict: string): string[] => [
  `create table limit_buckets (
    subject ${id} primary key not null,
    is_slots ${int} not null check (is_slots in (0, 1)),
    capacity ${int} not null check (capacity >= 0),
    used ${int} not null check (used >= 0),
    outstanding ${int} not null check (outstanding >= 0),
    at ${int} not null,
    full_at ${int} not null
  ) ${strict}`,
  "create index limit_buckets_idle on limit_buckets (full_at) where outstanding = 0",
  `create table limit_slices (
    holder_id ${id} not null references holders (id),
    subject ${id} not null,
    amount ${int} not null check (amount > 0),
    primary key (holder_id, subject)
  ) ${strict}`,
];

export const limits: Migration = {
  version: 6,
  name: "limits",
  kind: "expand",
  sqlite: tables("integer", "text", "strict"),
  postgres: tables("bigint", 'text collate "C"', ""),
};
