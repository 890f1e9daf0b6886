/** The timer of whole answers, and processes' reports about models. Columns: `../schema.ts`. */
import type { Migration } from "../migration.ts";

const statements = (integer: string): string[] => [
  `alter table upstreams add column first_byte_ms ${integer} check (first_byte_ms > 0)`,
  "alter table upstream_states add column models text",
];

export const firstByte: Migration = {
  version: 14,
  name: "first-byte",
  kind: "expand",
  sqlite: statements("integer"),
  postgres: statements("bigint"),
};
