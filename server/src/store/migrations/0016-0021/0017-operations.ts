/**
 * The operations of a model and of each request (`contract/operations.ts`). Existing rows count as chat. The
 * sums of requests count other operations separately, so that lists of them need not read all rows. Columns:
 * `../../sql/schema.ts`, `../../sql/schema-usage.ts`, `../../requests/columns.ts`.
 */
import type { Migration } from "../migration.ts";

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
  kind: "expand",
  sqlite: statements("json_type(operations) = 'array'", "integer"),
  postgres: statements("json_typeof(operations::json) = 'array'", "bigint"),
};
