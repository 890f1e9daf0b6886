/** Many earlier requests for P28's back-fill, made by SQL from one that was served without a charge. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Ask } from "../../upgrades/corpus.ts";
import type { Stage } from "./p28-stage.ts";

/** Columns that differ from row to row, or are filled by the database. */
const own = ["id", "charge_nanos", "loss_nanos", "usage_source", "price_id"];

/** The statement that makes `count` rows like the first one; ids sort before those of served requests. */
function statement(columns: readonly string[], numbers: string): string {
  const kept = columns.filter((name) => !own.includes(name)).join(", ");
  return `insert into requests (${own.join(", ")}, ${kept})
    select 'req_00' || number, 0, 0, 'none', null, ${kept} from (select * from requests limit 1) as one, ${numbers}`;
}

const inSqlite = (count: number) =>
  `(with recursive counter(number) as (select 1000000 union all select number + 1 from counter
    where number < ${1_000_000 + count - 1}) select number from counter) as numbers`;

const inPostgres = (count: number) =>
  `(select number::text as number from generate_series(1000000, ${1_000_000 + count - 1}) as number) as numbers`;

export async function addRequests({ kind, database }: Stage, count: number): Promise<void> {
  if (kind === "sqlite") {
    const file = new DatabaseSync(database.slice("sqlite:".length), { timeout: 30_000 });
    const columns = file.prepare("select name from pragma_table_info('requests')").all();
    file.exec(
      statement(
        columns.map(({ name }) => String(name)),
        inSqlite(count),
      ),
    );
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(`select column_name as name from information_schema.columns
    where table_name = 'requests' and column_default is null and is_generated = 'NEVER'`);
  const names = (rows as { name: string }[]).map(({ name }) => name);
  await client.query(statement(names, inPostgres(count)));
  await client.end();
}

/** True when every row has its copy, also those that older servers wrote meanwhile. */
export async function isCopied(ask: Ask): Promise<boolean> {
  const [row] = await ask(`select cast(count(*) as text) as count from requests
    where next_at is null or next_at <> created_at`);
  return row?.["count"] === "0";
}
