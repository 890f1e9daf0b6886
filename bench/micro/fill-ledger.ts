/**
 * Writes accounts and charged requests directly to the database, thousands at a time, to create a consistent
 * ledger of any size within minutes.
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { createIdFactory } from "../../server/src/lib/id.ts";
import type { DatabaseTarget } from "../../server/src/store/thread/messages.ts";
import { usualRow } from "./settling.ts";

export interface Filling {
  readonly accountIds: readonly string[];
  /** Initial balance of every account, in NanoUsd. */
  readonly balance: bigint;
  /** Number of requests, evenly over the accounts. */
  readonly rows: number;
  /** Charge of each in NanoUsd, consistent with usage and price. */
  readonly charge: bigint;
  readonly priceId: number;
  readonly nowMs: number;
}

/** Runs one statement; `?` stands for a list of rows, each a list of texts: their columns are `a`, `b`, … */
type Run = (sql: string, rows: readonly (readonly string[])[]) => Promise<unknown>;

const accountsPerBatch = 1_000;
const rowsPerBatch = 10_000;
/** As on a busy server. */
const rowsPerMs = 10;

const columns = "abcdef";

function openSqlite(file: string) {
  const db = new DatabaseSync(file, { timeout: 10_000, enableForeignKeyConstraints: false });
  // Durability does not matter here; a large cache keeps frequently written pages in memory.
  db.exec("pragma synchronous = off; pragma cache_size = -1000000");
  const run: Run = async (sql, rows) => {
    const picked = (rows[0] ?? []).map((_, index) => `value ->> ${index} as ${columns[index]}`);
    const from = `(select ${picked.join(", ")} from json_each(?))`;
    db.prepare(sql.replace("?", from)).run(JSON.stringify(rows));
  };
  const exec = async (sql: string) => db.exec(sql);
  return { run, exec, close: async () => db.close() };
}

async function openPostgres(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  const run: Run = (sql, rows) => {
    const lists = (rows[0] ?? []).map((_, index) => rows.map((row) => row[index]));
    const places = lists.map((_, index) => `$${index + 1}::text[]`).join(", ");
    const names = lists.map((_, index) => columns[index]).join(", ");
    return client.query(sql.replace("?", `unnest(${places}) as given (${names})`), lists);
  };
  return { run, exec: (sql: string) => client.query(sql), close: () => client.end() };
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/**
 * Inserts accounts with their first top-up, requests and charges in order of time, and the resulting
 * balances.
 */
export async function fillLedger(place: DatabaseTarget, filling: Filling): Promise<void> {
  const { accountIds, balance, rows, charge, priceId, nowMs } = filling;
  const db = place.kind === "sqlite" ? openSqlite(place.file) : await openPostgres(place.url);
  const whole = async (work: () => Promise<void>) => {
    await db.exec("begin");
    await work();
    await db.exec("commit");
  };
  // SQLite numbers entries itself; elsewhere each account has numbers of its own.
  const [idColumn, first, next] =
    place.kind === "sqlite" ? ["", "", ""] : ["id, ", "1, ", "cast(d as bigint), "];
  const startMs = nowMs - Math.ceil(rows / rowsPerMs) - 1;
  for (const some of batches(accountIds, accountsPerBatch)) {
    const given = some.map((id) => [id]);
    await whole(async () => {
      await db.run(
        `insert into accounts (id, name, status, balance_nanos, created_at) select a, 'bench', 'active', ${balance}, ${startMs} from ?`,
        given,
      );
      await db.run(
        `insert into ledger_entries (${idColumn}account_id, kind, amount_nanos, created_at) select ${first}a, 'topup', ${balance}, ${startMs} from ?`,
        given,
      );
    });
  }
  let atMs = startMs;
  const newId = createIdFactory({ wallMs: () => atMs, elapsedMs: () => 0 });
  const { modelId, upstreamId, upstreamModel } = usualRow;
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, firstTokenMs, durationMs } =
    usualRow;
  for (let from = 0; from < rows; from += rowsPerBatch) {
    const given = Array.from({ length: Math.min(rowsPerBatch, rows - from) }, (_, index) => {
      atMs = startMs + Math.floor((from + index) / rowsPerMs);
      const accountId = accountIds[(from + index) % accountIds.length] as string;
      const number = 2 + Math.floor((from + index) / accountIds.length);
      return [newId("req"), accountId, String(atMs), String(number)];
    });
    await whole(async () => {
      await db.run(
        `insert into requests (id, created_at, account_id, key_id, model_id, upstream_id, upstream_model, is_stream, status,
          state, attempts, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          usage_source, first_token_ms, duration_ms, price_id, charge_nanos, loss_nanos)
        select a, cast(c as bigint), b, 'key_bench', '${modelId}', '${upstreamId}', '${upstreamModel}', 0, 200, 'complete', 1,
          ${inputTokens}, ${cachedInputTokens}, 0, ${outputTokens}, ${reasoningTokens}, 'exact', ${firstTokenMs}, ${durationMs},
          ${priceId}, ${charge}, 0 from ?`,
        given,
      );
      await db.run(
        `insert into ledger_entries (${idColumn}account_id, kind, amount_nanos, request_id, created_at)
        select ${next}b, 'charge', -${charge}, a, cast(c as bigint) from ?`,
        given,
      );
    });
  }
  const each = Math.floor(rows / accountIds.length);
  const odd = rows % accountIds.length;
  for (const [some, count] of [
    [accountIds.slice(0, odd), each + 1],
    [accountIds.slice(odd), each],
  ] as const) {
    const spent = BigInt(count) * charge;
    for (const part of batches(some, accountsPerBatch)) {
      await db.run(
        `update accounts set balance_nanos = balance_nanos - ${spent}, spent_nanos = spent_nanos + ${spent} where id in (select a from ?)`,
        part.map((id) => [id]),
      );
    }
  }
  // Otherwise the first settlements would pay for checkpointing the fill.
  await db.exec(place.kind === "sqlite" ? "pragma wal_checkpoint(truncate)" : "checkpoint");
  await db.close();
}
