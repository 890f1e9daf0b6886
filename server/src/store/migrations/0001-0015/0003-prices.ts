/**
 * Prices for every class, per request and by prompt size, and prices that apply later. Several rows of a
 * model may now begin at the same time, because rows are only added: a newer row overrules a schedule.
 * Columns: `../schema.ts`.
 */
import type { Migration } from "../migration.ts";

const addedAmounts = [
  "long_cache_write_nanos",
  "reasoning_nanos",
  "audio_input_nanos",
  "audio_output_nanos",
  "image_input_nanos",
  "image_output_nanos",
  "per_request_nanos",
];

/** A row that means "no price" has no other values. */
const emptyRule = `check (input_nanos is not null or (${[
  "cached_input_nanos",
  "cache_write_nanos",
  ...addedAmounts,
  "tiers",
]
  .map((column) => `${column} is null`)
  .join(" and ")}))`;

const byModel = "create index prices_by_model on prices (model_id, valid_from)";

/** SQLite cannot drop a constraint, so the table is created again with the same ids. */
const sqlite = [
  `create table prices_next (
    id integer primary key autoincrement,
    model_id text not null,
    valid_from integer not null,
    input_nanos integer check (input_nanos >= 0),
    output_nanos integer check (output_nanos >= 0),
    cached_input_nanos integer check (cached_input_nanos >= 0),
    cache_write_nanos integer check (cache_write_nanos >= 0),
    ${addedAmounts.map((column) => `${column} integer check (${column} >= 0),`).join("\n    ")}
    tiers text check (json_type(tiers) = 'array'),
    check ((input_nanos is null) = (output_nanos is null)),
    ${emptyRule}
  ) strict`,
  `insert into prices_next
      (id, model_id, valid_from, input_nanos, output_nanos, cached_input_nanos, cache_write_nanos)
    select id, model_id, valid_from, input_nanos, output_nanos, cached_input_nanos, cache_write_nanos from prices`,
  "drop table prices",
  "alter table prices_next rename to prices",
  byModel,
  ...["update", "delete"].map(
    (verb) => `create trigger prices_no_${verb} before ${verb} on prices
      begin select raise(abort, 'prices is append-only'); end`,
  ),
];

const postgres = [
  "alter table prices drop constraint prices_model_id_valid_from_key",
  ...addedAmounts.map((column) => `alter table prices add column ${column} bigint check (${column} >= 0)`),
  "alter table prices add column tiers text check (json_typeof(tiers::json) = 'array')",
  `alter table prices add ${emptyRule}`,
  byModel,
];

export const prices: Migration = { version: 3, name: "prices", kind: "contract", needs: 3, sqlite, postgres };
