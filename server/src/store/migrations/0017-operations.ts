/**
 * What a model is for, and which operation a request was (`contract/operations.ts`). What was there before is
 * chat: a model without a list, and every request. The sums of requests tell those for other operations
 * apart, so that lists of them need not read all others. Columns: `../sql/schema.ts`,
 * `../sql/schema-usage.ts`, `../requests/columns.ts`.
 */
import type { Migration } from "./migration.ts";

const statements = (isList: string, int: string): string[] => [
  `alter table models add column operations text check (${isList})`,
  "alter table requests add column operation text not null default 'chat'",
  ...["usage_slots", "usage_days"].map(
    (table) => `alter table ${table} add column not_chat ${int} not null default 0`,
  ),
];

export const operations: Migration = {
  version: 17,
  name: "operations",
  sqlite: statements("json_type(operations) = 'array'", "integer"),
  postgres: statements("json_typeof(operations::json) = 'array'", "bigint"),
};
