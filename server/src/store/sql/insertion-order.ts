/**
 * The order in which rows were inserted into `requests`, and a mark up to which they are summed: nothing new
 * can appear before it. The only part of usage that differs by dialect. A request's time cannot be used,
 * because a journal may be replayed days later.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import { postgresInsertion } from "../migrations/0001-0015/0011-usage.ts";
import type { Database } from "./schema.ts";

/** The last row that is summed. */
export interface Mark {
  /** SQLite: rowid. PostgreSQL: transaction, or 0 while rows without one are left. */
  readonly mark: number;
  /** SQLite: id of that row. PostgreSQL: the last id of that transaction. */
  readonly markId: string;
}

export const startMark: Mark = { mark: 0, markId: "" };

export interface InsertionOrder {
  /** Condition on `requests`: not summed yet. */
  readonly isAfter: (mark: Mark) => RawBuilder<boolean>;
  /**
   * Changes an indexed column in conditions next to `isAfter`, so that the few new rows are read first and
   * not everything the index finds.
   */
  readonly aside: (mark: Mark, column: RawBuilder<string>) => RawBuilder<string>;
  /** Condition on `requests`: after `from`, up to and including `to`. */
  readonly isBetween: (from: Mark, to: Mark) => RawBuilder<boolean>;
  /**
   * Condition on `requests`: before the mark, or where it does not matter for `isSound`, at it. Such rows may
   * be removed.
   */
  readonly isBefore: (mark: Mark) => RawBuilder<boolean>;
  /** The end of a piece of at most `rowsMax` rows; undefined when there is nothing to sum. */
  readonly pieceEnd: (trx: Transaction<Database>, from: Mark, rowsMax: number) => Promise<Mark | undefined>;
  /** True while rows keep their insertion order; false after a restore from a dump. */
  readonly isSound: (trx: Transaction<Database>, mark: Mark) => Promise<boolean>;
  /** Marks every row as new. */
  readonly restart: (trx: Transaction<Database>) => Promise<void>;
}

/** One writer at a time, so rowids are in commit order, and none is reused while the newest row exists. */
export const sqliteOrder: InsertionOrder = {
  isAfter: ({ mark }) => sql`requests.rowid > ${mark}`,
  aside: ({ mark }, column) => (mark === 0 ? column : sql`+${column}`),
  isBetween: (from, to) => sql`requests.rowid > ${from.mark} and requests.rowid <= ${to.mark}`,
  // The row at the mark stays: it shows that no row has moved, and that its number is not used again.
  isBefore: ({ mark }) => sql`requests.rowid < ${mark}`,
  async pieceEnd(trx, from, rowsMax) {
    const { rows } = await sql<{ mark: number; id: string }>`select rowid as mark, id from requests
      where rowid = (select max(rowid) from (select rowid from requests where rowid > ${from.mark} order by rowid limit ${rowsMax}))`.execute(
      trx,
    );
    const [end] = rows;
    return end && { mark: end.mark, markId: end.id };
  },
  async isSound(trx, { mark, markId }) {
    if (mark === 0) return true;
    const { rows } = await sql<{ place: number; id: string }>`select rowid as place, id from requests
      where rowid = ${mark} or id = ${markId}`.execute(trx);
    if (rows.length > 0) return rows.every(({ place, id }) => place === mark && id === markId);
    // It was deleted. If there are later rows, that is not a sign of a changed order.
    const { rows: later } = await sql`select 1 from requests where rowid > ${mark} limit 1`.execute(trx);
    return later.length > 0;
  },
  restart: async () => {},
};

/** A transaction's number as a parameter. */
const xid = ({ mark }: Mark) => sql`${String(mark)}::text::xid8`;

/** Before the first row with a transaction. */
const firstXid: Mark = { mark: 1, markId: "" };

/** The end of a piece of rows without a transaction. */
async function oldPieceEnd(
  trx: Transaction<Database>,
  { markId }: Mark,
  rowsMax: number,
): Promise<Mark | undefined> {
  const { rows } = await sql<{ id: string }>`select id from (select id from requests
    where xid is null and id > ${markId} order by id limit ${rowsMax}) as piece order by id desc limit 1`.execute(
    trx,
  );
  return rows[0] && { mark: 0, markId: rows[0].id };
}

async function newPieceEnd(
  trx: Transaction<Database>,
  from: Mark,
  rowsMax: number,
): Promise<Mark | undefined> {
  const { rows } = await sql<{ mark: number; id: string }>`select xid::text::bigint as mark, id from (
      select xid, id from requests where xid >= ${xid(from)} and (xid, id) > (${xid(from)}, ${from.markId})
        and xid < pg_snapshot_xmin(pg_current_snapshot())
      order by xid, id limit ${rowsMax}) as piece order by xid desc, id desc limit 1`.execute(trx);
  return rows[0] && { mark: rows[0].mark, markId: rows[0].id };
}

/**
 * Rows of transactions older than every open one are all visible. They come in order of transaction and id,
 * after the rows older than the column, which come in order of id and have no transaction in their mark.
 */
export const postgresOrder: InsertionOrder = {
  isAfter: (mark) =>
    mark.mark === 0
      ? sql`(requests.xid is not null or requests.id > ${mark.markId})`
      : sql`(requests.xid >= ${xid(mark)} and (requests.xid > ${xid(mark)} or requests.id > ${mark.markId}))`,
  // PostgreSQL's planner knows how few new rows there are.
  aside: (_, column) => column,
  isBetween(from, to) {
    if (to.mark === 0)
      return sql`(requests.xid is null and requests.id > ${from.markId} and requests.id <= ${to.markId})`;
    const begin = from.mark === 0 ? firstXid : from;
    return sql`(requests.xid >= ${xid(begin)} and requests.xid <= ${xid(to)}
      and (requests.xid, requests.id) > (${xid(begin)}, ${begin.markId})
      and (requests.xid, requests.id) <= (${xid(to)}, ${to.markId}))`;
  },
  isBefore: (mark) =>
    mark.mark === 0
      ? sql`(requests.xid is null and requests.id <= ${mark.markId})`
      : sql`(requests.xid is null or requests.xid < ${xid(mark)}
          or (requests.xid = ${xid(mark)} and requests.id <= ${mark.markId}))`,
  async pieceEnd(trx, from, rowsMax) {
    if (from.mark > 0) return await newPieceEnd(trx, from, rowsMax);
    return (await oldPieceEnd(trx, from, rowsMax)) ?? (await newPieceEnd(trx, firstXid, rowsMax));
  },
  async isSound(trx, { mark }) {
    const { rows } = await sql<{ next: number }>`select
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next`.execute(trx);
    return mark <= (rows[0]?.next ?? 0);
  },
  async restart(trx) {
    await sql`alter table requests drop column xid`.execute(trx);
    for (const statement of postgresInsertion) await sql.raw(statement).execute(trx);
  },
};
