/**
 * The hours at the ends of a range, of every key or account at once: PostgreSQL keeps the sums of half hours
 * in the order in which they came, so those of some hours lie together, and those of one series far apart.
 * SQLite keeps them by series and finds them there.
 */
import type { Migration } from "../migration.ts";

export const usageByTime: Migration = {
  version: 13,
  name: "usage-by-time",
  sqlite: [],
  postgres: ["create index usage_slots_by_span on usage_slots (span)"],
};
