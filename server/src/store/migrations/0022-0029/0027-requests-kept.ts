/**
 * What a database remembers of requests that were removed because they were older than the operator keeps
 * them (`../../retention/`). Columns: `../../sql/schema-retention.ts`.
 *
 * A contract, although it only adds: an expansion would make an upgrade wait until 26 before it has copied
 * every list. Nothing is removed, and readers know of nothing removed, before it has run.
 */
import type { Migration } from "../migration.ts";

const tables = (int: string, id: string, suffix: string): string[] => [
  `create table removed_requests (
    id ${int} primary key not null check (id = 1),
    below_ms ${int} not null,
    claimed_by text,
    claimed_until ${int} not null
  )${suffix}`,
  `create table removed_by_key (
    account_id ${id} not null,
    key_id ${id} not null,
    requests ${int} not null,
    paid_nanos ${int} not null,
    primary key (account_id, key_id)
  )${suffix}`,
  `create table request_archives (
    day ${int} not null,
    part ${int} not null,
    file text not null,
    requests ${int} not null,
    bytes ${int} not null,
    digest text not null,
    end_id ${id} not null,
    mark ${int} not null,
    mark_id ${id} not null,
    archived_at ${int} not null,
    removed_at ${int},
    primary key (day, part)
  )${suffix}`,
];

export const requestsKept: Migration = {
  version: 27,
  name: "requests_kept",
  kind: "contract",
  needs: 23,
  sqlite: tables("integer", "text", " strict"),
  postgres: tables("bigint", 'text collate "C"', ""),
};
