/**
 * What the database remembers of its migrations, how far a back-fill has come, and the schema of every
 * serving process. 18 and 20 took something away, so nothing before 20 may serve. Columns:
 * `../../sql/schema-upgrades.ts`.
 */
import type { Migration } from "../migration.ts";

const steps = ({ int, strict }: { int: string; strict: string }): string[] => [
  "alter table schema_migrations add column kind text check (kind in ('expand', 'contract'))",
  `alter table schema_migrations add column needs ${int}`,
  "alter table schema_migrations add column digest text",
  `alter table schema_migrations add column duration_ms ${int}`,
  "alter table schema_migrations add column plaza_version text",
  "update schema_migrations set kind = 'expand'",
  "update schema_migrations set kind = 'contract', needs = version where version in (2, 3, 18, 20)",
  `create table migration_progress (
    version ${int} not null primary key,
    name text not null,
    needs ${int},
    digest text not null,
    place text not null,
    rows_done ${int} not null,
    started_at ${int} not null,
    updated_at ${int} not null,
    plaza_version text not null
  ) ${strict}`,
  `alter table holders add column schema_version ${int}`,
];

export const upgrades: Migration = {
  version: 22,
  name: "upgrades",
  kind: "expand",
  sqlite: steps({ int: "integer", strict: "strict" }),
  postgres: steps({ int: "bigint", strict: "" }),
};
