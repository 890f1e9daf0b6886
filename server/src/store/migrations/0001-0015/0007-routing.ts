/**
 * Limits of accounts, models and the installation; fallbacks and hedging of models; concurrency of upstreams;
 * timers of deployments. Columns: `../schema.ts`.
 */
import type { Migration } from "../migration.ts";

const limitKinds = ["requests_per_minute", "tokens_per_minute", "concurrency"];

function add(table: string, column: string, type: string, rule: string): string {
  return `alter table ${table} add column ${column} ${type} check (${rule})`;
}

interface Dialect {
  readonly integer: string;
  /** The constraint that a column's text is JSON of a kind. */
  readonly isJson: (column: string, kind: "array" | "object") => string;
}

const statements = ({ integer, isJson }: Dialect): string[] => {
  const limits = (table: string, prefix = "") =>
    limitKinds.map((kind) => add(table, prefix + kind, integer, `${prefix}${kind} >= 0`));
  return [
    ...limits("accounts"),
    ...limits("models"),
    ...limits("catalog_limits", "installation_"),
    add("models", "fallbacks", "text", isJson("fallbacks", "array")),
    add("models", "hedge", "text", isJson("hedge", "object")),
    add("upstreams", "concurrency", integer, "concurrency >= 1"),
    add("upstreams", "queue", integer, "queue >= 0"),
    add("upstreams", "affinity", "text not null default 'key'", "affinity in ('key', 'none')"),
    add("deployments", "timeouts", "text", isJson("timeouts", "object")),
  ];
};

export const routing: Migration = {
  version: 7,
  name: "routing",
  kind: "expand",
  sqlite: statements({
    integer: "integer",
    isJson: (column, kind) => `json_type(${column}) = '${kind}'`,
  }),
  postgres: statements({
    integer: "bigint",
    isJson: (column, kind) => `json_typeof(${column}::json) = '${kind}'`,
  }),
};
