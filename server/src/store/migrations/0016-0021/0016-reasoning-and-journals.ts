/**
 * Sealed reasoning of tool calls, shared by all processes for a day; and which processes have settlements in
 * a journal, so that the idempotency keys they answered are not released too early. Columns:
 * `../../sql/schema.ts`.
 */
import type { Migration } from "../migration.ts";

const steps = ({ int, id, strict }: { int: string; id: string; strict: string }): string[] => [
  `create table reasoning (
    account_id ${id} not null,
    call_digest ${id} not null,
    sealed text not null,
    bytes ${int} not null check (bytes >= 0),
    expires_at ${int} not null,
    primary key (account_id, call_digest)
  ) ${strict}`,
  "create index reasoning_by_account on reasoning (account_id, expires_at, bytes)",
  "create index reasoning_by_expiry on reasoning (expires_at)",
  `alter table holders add column has_journal ${int} not null default 0 check (has_journal in (0, 1))`,
  `alter table idempotency_keys add column held_until ${int}`,
];

export const reasoningAndJournals: Migration = {
  version: 16,
  name: "reasoning_and_journals",
  kind: "expand",
  sqlite: steps({ int: "integer", id: "text", strict: "strict" }),
  postgres: steps({ int: "bigint", id: 'text collate "C"', strict: "" }),
};
