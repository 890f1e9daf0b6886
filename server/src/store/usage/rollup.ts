/**
 * Sums requests some time after they are settled, in separate transactions. A piece is read first; then one
 * short transaction adds it to the sums and moves the mark. So every row is counted exactly once, even if a
 * process dies.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import { refill } from "../lists/fill.ts";
import type { BulkInsert, BulkTarget } from "../sql/bulk-insert.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { type InsertionOrder, type Mark, startMark } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { type Piece, type PieceSeries, readPiece, type SeriesNames, seriesText } from "./piece.ts";
import { addedColumns, named, numberColumns, spanRow } from "./series.ts";

/** Times to first token are kept for at least the last day. */
const firstTokensKeptMs = 3 * 86_400_000;

/** How long a process keeps the right to sum, in milliseconds. */
const claimMs = 30_000;

const tables = ["usage_series", "usage_slots", "usage_days", "usage_first_tokens", "usage_minutes"] as const;

/** The mark in this snapshot of the database; at the start if rows were moved. */
export async function readMark(
  trx: Transaction<Database>,
  order: InsertionOrder,
): Promise<{ mark: Mark; isSound: boolean }> {
  const row = await trx.selectFrom("usage_progress").select(["mark", "mark_id"]).executeTakeFirst();
  if (row === undefined) return { mark: startMark, isSound: true };
  const mark = { mark: row.mark, markId: row.mark_id };
  return { mark, isSound: await order.isSound(trx, mark) };
}

const identity = ["kind", "account_id", "key_id", "model_id", "operation", "error_code"] as const;

const seriesTarget: BulkTarget = {
  table: "usage_series",
  columns: [
    ["kind", "int"],
    ["account_id", "text"],
    ["key_id", "text"],
    ["model_id", "text"],
    ["operation", "text"],
    ["error_code", "text"],
    ["last_at", "int"],
  ],
  key: identity,
  onConflict: {
    last_at:
      "case when excluded.last_at > usage_series.last_at then excluded.last_at else usage_series.last_at end",
  },
  returning: ["id", ...identity],
};

const spansTarget = (table: string): BulkTarget => ({
  table,
  columns: ["series_id", "span", ...numberColumns].map((name) => [name, "int"]),
  key: ["series_id", "span"],
  onConflict: addedColumns(table),
  isSum: true,
});

const slotsTarget = spansTarget("usage_slots");
const daysTarget = spansTarget("usage_days");

const firstTokensTarget: BulkTarget = {
  table: "usage_first_tokens",
  columns: ["span", "series_id", "bucket", "requests"].map((name) => [name, "int"]),
  key: ["span", "series_id", "bucket"],
  onConflict: { requests: "usage_first_tokens.requests + excluded.requests" },
};

const minutesTarget: BulkTarget = {
  table: "usage_minutes",
  columns: [
    ["minute", "int"],
    ["first_id", "text"],
    ["last_id", "text"],
  ],
  key: ["minute"],
  onConflict: {
    first_id:
      "case when excluded.first_id < usage_minutes.first_id then excluded.first_id else usage_minutes.first_id end",
    last_id:
      "case when excluded.last_id > usage_minutes.last_id then excluded.last_id else usage_minutes.last_id end",
  },
};

/**
 * Ids of series, as far as this process has written them. They stay true while no other process moves the
 * mark, because only a restart of the sums takes series out.
 */
export interface KnownSeries {
  /** Where this process left the mark. */
  at: Mark;
  /** By `seriesText`; at most `knownMax`. */
  readonly ids: Map<string, number>;
}

export const noKnownSeries = (): KnownSeries => ({ at: startMark, ids: new Map() });

const knownMax = 100_000;

/** Of these, the time of the newest request is read: when a key was last used. */
const keyKind = named.account + named.key;

/** Writes series with their times; creates those that are new. */
async function putSeries(
  trx: Transaction<Database>,
  insert: BulkInsert,
  series: readonly PieceSeries[],
): Promise<Map<string, number>> {
  const rows = await insert(
    trx,
    seriesTarget,
    series.map(({ kind, account_id, key_id, model_id, operation, error_code, lastAt }) => [
      kind,
      account_id,
      key_id,
      model_id,
      operation,
      error_code,
      lastAt,
    ]),
  );
  return new Map((rows as (SeriesNames & { id: number })[]).map((row) => [seriesText(row), row.id]));
}

/** Ids of the piece's series. Those of keys are always written, for their time. */
async function seriesIds(
  trx: Transaction<Database>,
  insert: BulkInsert,
  series: readonly PieceSeries[],
  known: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const asked = series.filter(({ kind, text }) => kind === keyKind || !known.has(text));
  const ids = await putSeries(trx, insert, asked);
  for (const { text } of series) {
    if (!ids.has(text)) ids.set(text, known.get(text) as number);
  }
  return ids;
}

/** Rows of one table. */
const spanRows = (
  series: readonly PieceSeries[],
  ids: ReadonlyMap<string, number>,
  which: "slots" | "days",
): (readonly (number | bigint)[])[] => {
  const rows: (readonly (number | bigint)[])[] = [];
  for (const one of series) {
    const id = ids.get(one.text) as number;
    for (const [span, numbers] of one[which]) rows.push(spanRow(id, span, numbers));
  }
  return rows;
};

/** Adds a piece to the sums; resolves with the ids of its series. */
async function addPiece(
  trx: Transaction<Database>,
  insert: BulkInsert,
  piece: Piece,
  known: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const ids = await seriesIds(trx, insert, piece.series, known);
  await insert(trx, slotsTarget, spanRows(piece.series, ids, "slots"));
  await insert(trx, daysTarget, spanRows(piece.series, ids, "days"));
  const idOfModel = (model_id: string, operation: Operation) =>
    ids.get(
      seriesText({ kind: named.model, account_id: "", key_id: "", model_id, operation, error_code: "" }),
    ) as number;
  await insert(
    trx,
    firstTokensTarget,
    piece.firstTokens.map(({ modelId, operation, slot, bucket, requests }) => [
      slot,
      idOfModel(modelId, operation),
      bucket,
      requests,
    ]),
  );
  await insert(
    trx,
    minutesTarget,
    piece.minutes.map(({ minute, first_id, last_id }) => [minute, first_id, last_id]),
  );
  return ids;
}

const isSame = (one: Mark, other: Mark): boolean => one.mark === other.mark && one.markId === other.markId;

/** What is known of series when the mark is here. */
function knownAt({ at, ids }: KnownSeries, mark: Mark): ReadonlyMap<string, number> {
  if (!isSame(at, mark)) ids.clear();
  return ids;
}

/** Keeps the ids that a transaction has committed. */
function keep(known: KnownSeries, at: Mark, ids: ReadonlyMap<string, number>): void {
  if (known.ids.size + ids.size > knownMax) known.ids.clear();
  for (const [text, id] of ids) known.ids.set(text, id);
  known.at = at;
}

/** Locks the progress row until the transaction ends. Returns false when another process was faster. */
async function takeMark(trx: Transaction<Database>, expected: Mark, locksRows: boolean): Promise<boolean> {
  await sql`insert into usage_progress (id, mark, mark_id, claimed_until) values (1, 0, '', 0) on conflict do nothing`.execute(
    trx,
  );
  const row = await trx
    .selectFrom("usage_progress")
    .select(["mark", "mark_id"])
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return isSame({ mark: row.mark, markId: row.mark_id }, expected);
}

async function moveMark(trx: Transaction<Database>, { mark, markId }: Mark): Promise<void> {
  await trx.updateTable("usage_progress").set({ mark, mark_id: markId }).execute();
}

export interface RollupOptions {
  readonly db: Kysely<Database>;
  /** Sums can be recomputed, so their commits do not wait for the disk. */
  readonly lazyDb: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
  readonly known: KnownSeries;
}

/** Runs a write after locking the mark, unless another process moved it meanwhile. */
async function writeBehind<T>(
  { lazyDb, dialect }: RollupOptions,
  mark: Mark,
  write: (trx: Transaction<Database>) => Promise<T>,
): Promise<T | undefined> {
  return await lazyDb
    .transaction()
    .setIsolationLevel("read committed")
    .execute(async (trx) => {
      await dialect.commitLazily(trx);
      if (!(await takeMark(trx, mark, dialect.locksRows))) return undefined;
      return await write(trx);
    });
}

/** Starts again, because the rows that were summed have moved. */
async function restart(options: RollupOptions, from: Mark): Promise<void> {
  await writeBehind(options, from, async (trx) => {
    if (options.dialect.hasAccountLists) await refill(trx);
    for (const table of tables) await trx.deleteFrom(table).execute();
    await options.dialect.insertionOrder.restart(trx);
    await moveMark(trx, startMark);
  });
}

/**
 * Sums the next piece of at most `rowsMax` rows; resolves with their number, 0 when there was nothing to do.
 */
export async function rollUp(options: RollupOptions, rowsMax: number): Promise<number> {
  const { db, clock } = options;
  const order = options.dialect.insertionOrder;
  const sinceMs = clock.wallMs() - firstTokensKeptMs;
  const read = await db
    .transaction()
    .setAccessMode("read only")
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const { mark, isSound } = await readMark(trx, order);
      if (!isSound) return { from: mark, isSound };
      const to = await order.pieceEnd(trx, mark, rowsMax);
      if (to === undefined) return undefined;
      return { from: mark, isSound, to, piece: await readPiece(trx, order.isBetween(mark, to), sinceMs) };
    });
  if (read === undefined) return 0;
  const { from, to, piece } = read;
  if (to === undefined || piece === undefined) {
    await restart(options, from);
    return 0;
  }
  const ids = await writeBehind(options, from, async (trx) => {
    const known = knownAt(options.known, from);
    const found = await addPiece(trx, options.dialect.bulkInsert, piece, known);
    await trx
      .deleteFrom("usage_first_tokens")
      .where("span", "<", Math.floor(sinceMs / slotMs))
      .execute();
    await moveMark(trx, to);
    return found;
  });
  if (ids === undefined) return 0;
  keep(options.known, to, ids);
  return piece.rows;
}

/**
 * Sums only the next row, after a failure. A row that cannot be summed is skipped and never counted; resolves
 * with its request's id, or undefined when none was skipped.
 */
export async function passRow(options: RollupOptions): Promise<string | undefined> {
  const order = options.dialect.insertionOrder;
  const next = await options.db
    .transaction()
    .setAccessMode("read only")
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const { mark, isSound } = await readMark(trx, order);
      return { from: mark, to: isSound ? await order.pieceEnd(trx, mark, 1) : undefined };
    });
  const { from, to } = next;
  if (to === undefined) return undefined;
  try {
    await rollUp(options, 1);
    return undefined;
  } catch {
    return await writeBehind(options, from, async (trx) => {
      await moveMark(trx, to);
      return to.markId;
    });
  }
}

/**
 * True when there is something to sum and it is this process's turn. A cheap check for every few seconds. A
 * process keeps its turn while it asks and loses it when it stops. Two processes that both believe it is
 * their turn do no harm.
 */
export async function claimRollup(options: RollupOptions, processId: string): Promise<boolean> {
  const { db, clock } = options;
  const order = options.dialect.insertionOrder;
  const nowMs = clock.wallMs();
  const found = await db
    .transaction()
    .setAccessMode("read only")
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const { mark, isSound } = await readMark(trx, order);
      const isBehind = !isSound || (await order.pieceEnd(trx, mark, 1)) !== undefined;
      const row = await trx
        .selectFrom("usage_progress")
        .select(["claimed_by", "claimed_until"])
        .executeTakeFirst();
      return { isBehind, row };
    });
  if (!found.isBehind) return false;
  const { claimed_by: owner = null, claimed_until: until = 0 } = found.row ?? {};
  if (owner !== null && owner !== processId && until > nowMs) return false;
  // Not renewed at every check, because a write is a commit.
  if (owner === processId && until > nowMs + claimMs / 2) return true;
  await sql`insert into usage_progress (id, mark, mark_id, claimed_by, claimed_until)
    values (1, 0, '', ${processId}, ${nowMs + claimMs}) on conflict (id) do update
    set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until`.execute(db);
  return true;
}
