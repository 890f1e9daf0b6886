/**
 * Sums of requests are kept for each operation. Where all that was summed is chat, which a database of a
 * released version always is, the sums stay as they are. Sums that mixed operations cannot be told apart any
 * more: they are emptied and added up again from `requests`, whose rows say their operation
 * (`../../usage/rollup.ts`). Until that is done, sums are read from the rows: slower, and as exact. The
 * number beside the sums that told chat from all others goes. Columns: `../../sql/schema-usage.ts`.
 */
import type { Migration } from "../migration.ts";

const isMixed = "exists (select 1 from usage_days where not_chat > 0)";

/** `usage_days` last: what it holds decides about the others. */
const summed = ["usage_first_tokens", "usage_minutes", "usage_series", "usage_slots", "usage_days"];

const restart = [
  `update usage_progress set mark = 0, mark_id = '' where ${isMixed}`,
  ...summed.map((table) => `delete from ${table} where ${isMixed}`),
];

const withoutNumber = ["usage_slots", "usage_days"].map(
  (table) => `alter table ${table} drop column not_chat`,
);

const identity = "kind, account_id, key_id, model_id, operation, error_code";

export const usageByOperation: Migration = {
  version: 20,
  name: "usage-by-operation",
  kind: "contract",
  needs: 20,
  sqlite: [
    ...restart,
    ...withoutNumber,
    `create table usage_series_next (
      id integer primary key,
      kind integer not null,
      account_id text not null,
      key_id text not null,
      model_id text not null,
      error_code text not null,
      last_at integer not null,
      operation text not null default 'chat',
      unique (${identity})
    ) strict`,
    `insert into usage_series_next (id, kind, account_id, key_id, model_id, error_code, last_at)
      select id, kind, account_id, key_id, model_id, error_code, last_at from usage_series`,
    "drop table usage_series",
    "alter table usage_series_next rename to usage_series",
  ],
  postgres: [
    ...restart,
    ...withoutNumber,
    `alter table usage_series add column operation text collate "C" not null default 'chat'`,
    "alter table usage_series drop constraint usage_series_kind_account_id_key_id_model_id_error_code_key",
    `alter table usage_series add unique (${identity})`,
  ],
};
