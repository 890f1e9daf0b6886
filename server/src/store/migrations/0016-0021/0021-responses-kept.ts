/**
 * How long an account's responses are kept, where that is not as long as for every account. Columns:
 * `../../sql/schema.ts`.
 */
import type { Migration } from "../migration.ts";

const column = (int: string): string[] => [
  `alter table accounts add column responses_kept_ms ${int} check (responses_kept_ms >= 0)`,
];

export const responsesKept: Migration = {
  version: 21,
  name: "responses_kept",
  kind: "expand",
  sqlite: column("integer"),
  postgres: column("bigint"),
};
