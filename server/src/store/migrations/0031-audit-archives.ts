/**
 * What a database remembers of entries of the audit log that were archived (`../retention/audit.ts`).
 * Columns: `../sql/schema-retention.ts`. A contract for the reason of 27: until it has run, entries that
 * would be archived stay.
 */
import type { Migration } from "./migration.ts";

const table = (int: string, suffix: string): string => `create table audit_archives (
    day ${int} not null,
    part ${int} not null,
    file text not null,
    entries ${int} not null,
    bytes ${int} not null,
    digest text not null,
    end_id ${int} not null,
    archived_at ${int} not null,
    removed_at ${int},
    primary key (day, part)
  )${suffix}`;

export const auditArchives: Migration = {
  version: 31,
  name: "audit_archives",
  kind: "contract",
  needs: 23,
  sqlite: [table("integer", " strict")],
  postgres: [table("bigint", "")],
};
