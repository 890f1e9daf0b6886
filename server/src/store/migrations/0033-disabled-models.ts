/**
 * Whether an operator has disabled a model. Columns: `../sql/schema-console.ts`. Servers before it do not
 * read it: they serve a disabled model, and enable it when they change it.
 */
import type { Migration } from "./migration.ts";

const column = (int: string): string =>
  `alter table models add column is_disabled ${int} not null default 0 check (is_disabled in (0, 1))`;

export const disabledModels: Migration = {
  version: 33,
  name: "disabled_models",
  kind: "expand",
  isIndependent: true,
  sqlite: [column("integer")],
  postgres: [column("bigint")],
};
