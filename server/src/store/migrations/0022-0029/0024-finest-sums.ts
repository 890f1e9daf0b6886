/**
 * Sums of usage are written once: those of accounts and of keys are added up from the finest ones when they
 * are asked for, and those of a day are written when it is over. Until migration 25 everything is written as
 * servers before read it. `open_day`: null until then; afterwards sums of earlier UTC days are written, and
 * of that day those of series up to `closed_series`. `last_at`: the newest request of a half hour. Columns:
 * `../../sql/schema-usage.ts`.
 */
import type { Migration } from "../migration.ts";

const steps = (int: string): string[] => [
  `alter table usage_slots add column last_at ${int} not null default 0`,
  `alter table usage_progress add column open_day ${int}`,
  `alter table usage_progress add column closed_series ${int} not null default 0`,
];

export const finestSums: Migration = {
  version: 24,
  name: "finest_sums",
  kind: "expand",
  sqlite: steps("integer"),
  postgres: steps("bigint"),
};
