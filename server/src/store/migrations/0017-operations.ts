/**
 * What a model is for, and which operation a request was (`contract/operations.ts`). What was there before is chat: a
 * model without a list, and every request. Columns: `../sql/schema.ts`, `../requests/request-columns.ts`.
 */
import type { Migration } from "./migration.ts";

const statements = (isList: string): string[] => [
  `alter table models add column operations text check (${isList})`,
  "alter table requests add column operation text not null default 'chat'",
];

export const operations: Migration = {
  version: 17,
  name: "operations",
  sqlite: statements("json_type(operations) = 'array'"),
  postgres: statements("json_typeof(operations::json) = 'array'"),
};
