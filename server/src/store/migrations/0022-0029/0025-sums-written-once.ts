/**
 * From here on only the finest sums are written, with those of models and of everything, and days when they
 * are over (`0024-finest-sums.ts`). What was written before stays; of it only what is still written is read.
 */
import type { Migration } from "../migration.ts";

const steps = (today: string): string[] => [
  `insert into usage_progress (id, mark, mark_id, claimed_until, open_day) values (1, 0, '', 0, ${today})
    on conflict (id) do update set open_day = excluded.open_day, closed_series = 0`,
];

export const sumsWrittenOnce: Migration = {
  version: 25,
  name: "sums_written_once",
  kind: "contract",
  needs: 24,
  sqlite: steps("unixepoch() / 86400"),
  postgres: steps("floor(extract(epoch from clock_timestamp()) / 86400)::bigint"),
};
