/**
 * An index on the half hours at the ends of a range, for every key or account at once. PostgreSQL stores the
 * sums of half hours in insertion order, so those of some hours are close together and those of one series
 * are far apart. SQLite stores them by series and needs no index.
 */
import type { Migration } from "../migration.ts";

export const usageByTime: Migration = {
  version: 13,
  name: "usage-by-time",
  kind: "expand",
  sqlite: [],
  postgres: ["create index usage_slots_by_span on usage_slots (span)"],
};
