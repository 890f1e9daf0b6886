/** The timer of whole answers. Column: `../schema.ts`. */
import type { Migration } from "./migration.ts";

const statements = (integer: string): string[] => [
  `alter table upstreams add column first_byte_ms ${integer} check (first_byte_ms > 0)`,
];

export const firstByte: Migration = {
  version: 14,
  name: "first-byte",
  sqlite: statements("integer"),
  postgres: statements("bigint"),
};
