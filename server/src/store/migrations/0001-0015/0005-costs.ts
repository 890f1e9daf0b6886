/** What upstreams charge the operator: a cost per deployment and per request. Columns: `../schema.ts`. */
import type { Migration } from "../migration.ts";

/** Amounts are the only strings in it, so any minus sign is a negative amount. */
const costRule = (isObject: string, minusAt: string) => `check (${isObject} and ${minusAt} = 0)`;

export const costs: Migration = {
  version: 5,
  name: "costs",
  kind: "expand",
  sqlite: [
    `alter table deployments add column cost text ${costRule("json_type(cost) = 'object'", "instr(cost, '-')")}`,
    "alter table requests add column cost_nanos integer check (cost_nanos >= 0)",
  ],
  postgres: [
    `alter table deployments add column cost text
      ${costRule("json_typeof(cost::json) = 'object'", "strpos(cost, '-')")}`,
    "alter table requests add column cost_nanos bigint check (cost_nanos >= 0)",
  ],
};
