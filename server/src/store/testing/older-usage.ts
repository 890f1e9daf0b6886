/**
 * For tests: a database from before sums of usage were kept by operation, with two requests in it. Made of
 * the older migrations, past the store.
 */
import { usageByOperation } from "../migrations/0016-0021/0020-usage-by-operation.ts";
import { migrations } from "../migrations/index.ts";
import { numberColumns } from "../usage/series.ts";
import type { UsageQuestion } from "../usage/usage.ts";

export interface OlderUsage {
  readonly dialect: "sqlite" | "postgres";
  /** Up to where rows of `requests` are added up: two SQL expressions over them. */
  readonly mark: readonly [mark: string, markId: string];
  /** The operation of the second request; the first is chat. */
  readonly second: "chat" | "embeddings";
  /** What the sums say of the two requests, so that it shows whether they were kept. */
  readonly summed: number;
}

const at = Date.parse("2026-03-04T10:10:00Z");
const slot = Math.floor(at / 1_800_000);

/** Of both requests, by operation. */
export const byOperation: UsageQuestion = {
  stretches: [{ from: slot - 48, to: slot + 48, offset: 0 }],
  byDay: false,
  by: "operation",
  rowsMax: 10,
};

const requestsOf = (second: string): string => `insert into requests (id, created_at, account_id, key_id,
    model_id, operation, is_stream, status, state, attempts, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, reasoning_tokens, usage_source, duration_ms)
  values ('req_1', ${at}, 'acc_1', 'key_1', 'm', 'chat', 0, 200, 'complete', 1, 10, 0, 0, 5, 0, 'exact', 7),
    ('req_2', ${at}, 'acc_1', 'key_1', 'm', '${second}', 0, 200, 'complete', 1, 20, 0, 0, 0, 0, 'exact', 7)`;

/** The statements that make it, in order. */
export function olderUsage({ dialect, mark, second, summed }: OlderUsage): readonly string[] {
  const older = migrations.filter(({ version }) => version < usageByOperation.version);
  const sums = (table: string, span: number) =>
    `insert into ${table} (series_id, span, not_chat, ${numberColumns.join(", ")})
      values (1, ${span}, ${second === "chat" ? 0 : 1},
        ${numberColumns.map((column) => (column === "requests" ? summed : 0)).join(", ")})`;
  return [
    "create table schema_migrations (version integer primary key, name text not null, applied_at bigint not null)",
    ...older.flatMap((migration) => [
      ...migration[dialect],
      `insert into schema_migrations values (${migration.version}, '${migration.name}', 0)`,
    ]),
    requestsOf(second),
    `insert into usage_series (id, kind, account_id, key_id, model_id, error_code, last_at)
      values (1, 0, '', '', '', '', ${at})`,
    sums("usage_slots", slot),
    sums("usage_days", Math.floor(slot / 48)),
    `insert into usage_progress (id, mark, mark_id, claimed_until)
      select 1, ${mark[0]}, ${mark[1]}, 0 from requests`,
  ];
}
