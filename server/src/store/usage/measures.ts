/** Measurements of models, and usage of keys: from the sums and the rows that are not summed yet. */
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, sql, type Transaction } from "kysely";
import { bucketOf, percentileOf } from "../../domain/routing/first-token-buckets.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import { inOneView } from "../lists/read.ts";
import { nanosOfSum, type ReadSum, sumOfNanos } from "../sql/expressions.ts";
import type { InsertionOrder } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import {
  addNumbers,
  countedModel,
  finest,
  joinParts,
  type Numbers,
  named,
  noNumbers,
  olderKeys,
  type SumsRow,
  sumsOfRows,
  sumsOfSums,
} from "./series.ts";
import { findNewRows, type NewRows } from "./sums.ts";
import type { KeyNumbers, ModelNumbers } from "./usage.ts";

type Counts = Map<number, number>;

interface Measured {
  readonly numbers: Numbers;
  /** Bucket → requests. */
  readonly firstTokens: Counts;
}

function measuredOf(models: Map<string, Measured>, model: string): Measured {
  let measured = models.get(model);
  if (measured === undefined) {
    measured = { numbers: noNumbers(), firstTokens: new Map() };
    models.set(model, measured);
  }
  return measured;
}

function count({ firstTokens }: Measured, bucket: number, requests: number): void {
  firstTokens.set(bucket, (firstTokens.get(bucket) ?? 0) + requests);
}

type ModelSums = SumsRow & { model: string };

async function addCounted(trx: Transaction<Database>, models: Map<string, Measured>, fromSlot: number) {
  const { rows } = await sql<ModelSums>`select x.model_id as model, ${sumsOfSums("s")}
    from usage_series x join usage_slots s on s.series_id = x.id and s.span >= ${fromSlot}
    where x.kind = ${named.model} group by x.model_id`.execute(trx);
  for (const row of rows) addNumbers(measuredOf(models, row.model).numbers, joinParts(row));
  const { rows: buckets } = await sql<{ model: string; bucket: number; requests: number }>`
    select x.model_id as model, t.bucket, sum(t.requests) as requests
    from usage_first_tokens t join usage_series x on x.id = t.series_id
    where t.span >= ${fromSlot} group by x.model_id, t.bucket`.execute(trx);
  for (const { model, bucket, requests } of buckets) count(measuredOf(models, model), bucket, requests);
}

async function addNew(
  trx: Transaction<Database>,
  models: Map<string, Measured>,
  fromMs: number,
  { isNew }: NewRows,
) {
  const { rows } = await sql<ModelSums>`select ${countedModel} as model, ${sumsOfRows} from requests
    where ${isNew} and requests.created_at >= ${fromMs} group by 1`.execute(trx);
  for (const row of rows) addNumbers(measuredOf(models, row.model).numbers, joinParts(row));
  const { rows: times } = await sql<{ model: string; ms: number; requests: number }>`
    select ${countedModel} as model, requests.first_token_ms as ms, count(*) as requests from requests
    where ${isNew} and requests.created_at >= ${fromMs} and requests.first_token_ms is not null group by 1, 2`.execute(
    trx,
  );
  for (const { model, ms, requests } of times) count(measuredOf(models, model), bucketOf(ms), requests);
}

export async function modelNumbers(
  db: Kysely<Database>,
  order: InsertionOrder,
  sinceMs: number,
): Promise<ModelNumbers[]> {
  const fromSlot = Math.floor(sinceMs / slotMs);
  const models = new Map<string, Measured>();
  await inOneView(db, async (trx) => {
    const newRows = await findNewRows(trx, order);
    await addNew(trx, models, fromSlot * slotMs, newRows);
    if (newRows.isSound) await addCounted(trx, models, fromSlot);
  });
  return [...models].map(([modelId, { numbers, firstTokens }]) => ({
    modelId,
    requests: numbers.requests,
    complete: numbers.complete,
    unserved: numbers.unserved,
    firstTokenP50Ms: percentileOf(firstTokens, 0.5),
    firstTokenP95Ms: percentileOf(firstTokens, 0.95),
    streamTokens: numbers.stream_tokens,
    streamMs: numbers.stream_ms,
  }));
}

interface KeyRow {
  readonly key: string;
  readonly last_at: number;
  /** Null: used, but not since then. */
  readonly requests: number | null;
  readonly charge_nanos: ReadSum;
}

/**
 * When each key was used, and how often since a half hour, a row for each of its series. Whole days would be
 * faster to read, but there are few keys. A key was last used when the newest half hour says, or its series.
 */
async function countedKeys(
  trx: Transaction<Database>,
  accountId: string,
  fromSlot: number,
): Promise<KeyRow[]> {
  const newest = sql`select s.last_at from usage_slots s where s.series_id = x.id order by s.span desc limit 1`;
  const { rows } = await sql<KeyRow & { series_at: number }>`select g.key, g.requests, g.charge_nanos,
      g.series_at, coalesce((${newest}), 0) as last_at
    from (select x.id, x.key_id as key, x.last_at as series_at, sum(s.requests) as requests,
        ${sumOfNanos(sql`s.charge_nanos`)} as charge_nanos
      from usage_series x left join usage_slots s
        on s.series_id = x.id and s.span >= ${fromSlot} and x.kind = ${finest}
      where x.kind in (${finest}, ${olderKeys}) and x.account_id = ${accountId}
      group by x.id, x.key_id, x.last_at) g join usage_series x on x.id = g.id`.execute(trx);
  return rows.map((row) => ({ ...row, last_at: Math.max(row.last_at, row.series_at) }));
}

export async function keyNumbers(
  db: Kysely<Database>,
  order: InsertionOrder,
  accountId: string,
  sinceMs: number,
): Promise<KeyNumbers[]> {
  const fromSlot = Math.floor(sinceMs / slotMs);
  const found = new Map<string, KeyNumbers>();
  const add = ({ key, last_at, requests, charge_nanos }: KeyRow) => {
    const known = found.get(key);
    found.set(key, {
      keyId: key,
      lastUsedAt: Math.max(known?.lastUsedAt ?? 0, last_at),
      requests: (known?.requests ?? 0) + (requests ?? 0),
      charge: nanoUsd((known?.charge ?? 0n) + nanosOfSum(charge_nanos)),
    });
  };
  await inOneView(db, async (trx) => {
    const { isNew, account, isSound } = await findNewRows(trx, order);
    const isSince = sql`requests.created_at >= ${fromSlot * slotMs}`;
    const { rows } = await sql<KeyRow>`select requests.key_id as key, max(requests.created_at) as last_at,
        sum(case when ${isSince} then 1 else 0 end) as requests,
        ${sumOfNanos(sql`(case when ${isSince} then requests.charge_nanos else 0 end)`)} as charge_nanos
      from requests where ${isNew} and ${account} = ${accountId} group by requests.key_id`.execute(trx);
    for (const row of rows) add(row);
    if (isSound) for (const row of await countedKeys(trx, accountId, fromSlot)) add(row);
  });
  return [...found.values()];
}
