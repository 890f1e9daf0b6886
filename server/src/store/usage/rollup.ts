/**
 * Sums requests some time after they are settled, in separate transactions. A piece is read first; then one
 * short transaction adds it to the sums and moves the mark. So every row is counted exactly once, even if a
 * process dies.
 */
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import { refill } from "../lists/fill.ts";
import { inOneView } from "../lists/read.ts";
import { removedBelow } from "../retention/removed.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { type InsertionOrder, type Mark, startMark } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import type { UsageProgressTable } from "../sql/schema-usage.ts";
import { addPiece } from "./add-piece.ts";
import { type DayPart, type DaysWritten, firstOpenDay, readDayPart, writeDayPart } from "./days.ts";
import { readPiece } from "./piece.ts";
import { olderKinds, seriesKinds } from "./series.ts";

/** Times to first token are kept for at least the last day. */
const firstTokensKeptMs = 3 * 86_400_000;

/** How long a process keeps the right to sum, in milliseconds. */
const claimMs = 30_000;

/** Tables of sums by the milliseconds of one of their spans. */
const spanTables = [
  ["usage_slots", "span", slotMs],
  ["usage_days", "span", 86_400_000],
  ["usage_first_tokens", "span", slotMs],
  ["usage_minutes", "minute", 60_000],
] as const;

/** How far everything is added up. */
interface Progress {
  readonly mark: Mark;
  readonly days: DaysWritten;
}

const start: Progress = { mark: startMark, days: { openDay: Number.POSITIVE_INFINITY, series: 0 } };

const toProgress = (row: Selectable<UsageProgressTable>): Progress => ({
  mark: { mark: row.mark, markId: row.mark_id },
  days: { openDay: row.open_day ?? start.days.openDay, series: row.closed_series },
});

/** The progress in this snapshot of the database, and whether the rows are where they were. */
export async function readProgress(
  trx: Transaction<Database>,
  order: InsertionOrder,
): Promise<Progress & { isSound: boolean }> {
  const row = await trx.selectFrom("usage_progress").selectAll().executeTakeFirst();
  if (row === undefined) return { ...start, isSound: true };
  const progress = toProgress(row);
  return { ...progress, isSound: await order.isSound(trx, progress.mark) };
}

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
async function takeProgress(
  trx: Transaction<Database>,
  expected: Progress,
  locksRows: boolean,
): Promise<boolean> {
  await sql`insert into usage_progress (id, mark, mark_id, claimed_until) values (1, 0, '', 0) on conflict do nothing`.execute(
    trx,
  );
  const row = await trx
    .selectFrom("usage_progress")
    .selectAll()
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  const { mark, days } = toProgress(row);
  const { openDay, series } = expected.days;
  return isSame(mark, expected.mark) && days.openDay === openDay && days.series === series;
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

/** Runs a write after locking the progress, unless another process made some meanwhile. */
async function writeBehind<T>(
  { lazyDb, dialect }: RollupOptions,
  progress: Progress,
  write: (trx: Transaction<Database>) => Promise<T>,
): Promise<T | undefined> {
  return await lazyDb
    .transaction()
    .setIsolationLevel("read committed")
    .execute(async (trx) => {
      await dialect.commitLazily(trx);
      if (!(await takeProgress(trx, progress, dialect.locksRows))) return undefined;
      return await write(trx);
    });
}

/**
 * Starts again, because the rows that were summed have moved. The sums of days whose requests were removed
 * stay: nothing could be added up for them.
 */
async function restart(options: RollupOptions, from: Progress): Promise<void> {
  await writeBehind(options, from, async (trx) => {
    if (options.dialect.hasAccountLists) await refill(trx);
    const belowMs = await removedBelow(trx);
    for (const [table, column, ms] of spanTables) {
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} >= ${belowMs / ms}`.execute(trx);
    }
    if (belowMs === 0) await trx.deleteFrom("usage_series").execute();
    await options.dialect.insertionOrder.restart(trx);
    await moveMark(trx, startMark);
  });
}

/** Writes one part of a day that has ended. */
async function closeDay(options: RollupOptions, from: Progress, part: DayPart): Promise<void> {
  await writeBehind(options, from, (trx) => writeDayPart(trx, options.dialect.bulkInsert, part));
}

/**
 * Sums the next piece of at most `rowsMax` rows; resolves with their number, 0 when there was nothing to do.
 * `mayClose`: writes a part of a day that is over before.
 */
export async function rollUp(options: RollupOptions, rowsMax: number, mayClose = true): Promise<number> {
  const { db, clock } = options;
  const order = options.dialect.insertionOrder;
  const nowMs = clock.wallMs();
  const sinceMs = nowMs - firstTokensKeptMs;
  const read = await inOneView(db, async (trx) => {
    const from = await readProgress(trx, order);
    if (!from.isSound) return { from };
    const isOver = from.days.openDay < firstOpenDay(nowMs);
    if (mayClose && isOver) return { from, part: await readDayPart(trx, from.days) };
    const to = await order.pieceEnd(trx, from.mark, rowsMax);
    if (to === undefined) return undefined;
    const kinds = from.days.openDay === start.days.openDay ? [...seriesKinds, ...olderKinds] : seriesKinds;
    return { from, to, piece: await readPiece(trx, order.isBetween(from.mark, to), kinds, sinceMs) };
  });
  if (read === undefined) return 0;
  const { from, part, to, piece } = read;
  if (part !== undefined) {
    await closeDay(options, from, part);
    return await rollUp(options, rowsMax, false);
  }
  if (to === undefined || piece === undefined) {
    await restart(options, from);
    return 0;
  }
  const ids = await writeBehind(options, from, async (trx) => {
    const known = knownAt(options.known, from.mark);
    const found = await addPiece(trx, options.dialect.bulkInsert, piece, from.days, known);
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
 * Sums what is left when that is at most `rowsMax` rows. Returns false without a change when there is more to
 * do: further rows, a day that is over, or rows that have moved.
 */
export async function rollUpFew(options: RollupOptions, rowsMax: number): Promise<boolean> {
  const { db, clock, dialect } = options;
  const order = dialect.insertionOrder;
  const isFew = await inOneView(db, async (trx) => {
    const { mark, days, isSound } = await readProgress(trx, order);
    if (!isSound || days.openDay < firstOpenDay(clock.wallMs())) return false;
    const to = await order.pieceEnd(trx, mark, rowsMax);
    return to === undefined || (await order.pieceEnd(trx, to, 1)) === undefined;
  });
  if (isFew) await rollUp(options, rowsMax, false);
  return isFew;
}

/**
 * Sums only the next row, after a failure. A row that cannot be summed is skipped and never counted; resolves
 * with its request's id, or undefined when none was skipped.
 */
export async function passRow(options: RollupOptions): Promise<string | undefined> {
  const order = options.dialect.insertionOrder;
  const next = await inOneView(options.db, async (trx) => {
    const from = await readProgress(trx, order);
    return { from, to: from.isSound ? await order.pieceEnd(trx, from.mark, 1) : undefined };
  });
  const { from, to } = next;
  if (to === undefined) return undefined;
  try {
    await rollUp(options, 1, false);
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
  const found = await inOneView(db, async (trx) => {
    const { mark, days, isSound } = await readProgress(trx, order);
    const isOver = days.openDay < firstOpenDay(nowMs);
    const isBehind = isOver || !isSound || (await order.pieceEnd(trx, mark, 1)) !== undefined;
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
