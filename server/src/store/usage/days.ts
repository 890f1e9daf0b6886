/**
 * Sums of days. A day is added up from its half hours once, some time after it is over, a part of its series
 * at a time; until then it is read from them. What comes even later is added to both.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import { slotsPerDay } from "../../lib/time/time-zone.ts";
import type { BulkInsert, BulkTarget } from "../sql/bulk-insert.ts";
import type { Database } from "../sql/schema.ts";
import { joinParts, type Numbers, numberColumns, type SumsRow, spanRow, sumsOfSums } from "./series.ts";

/** How far the sums of days are written. */
export interface DaysWritten {
  /**
   * Those of earlier UTC days are. Infinity: all, together with the half hours, and for all kinds of series
   * that servers before schema 24 read, because some may be alive.
   */
  readonly openDay: number;
  /** Of the open day, those of series up to this id are. */
  readonly series: number;
}

/** True when a row of this day must be added to the sums of the day, too. */
export const isWritten = ({ openDay, series }: DaysWritten, day: number, seriesId: number): boolean =>
  day < openDay || (day === openDay && seriesId <= series);

/** Series of a part: some 50 ms, if each has sums of all half hours. */
const seriesPerPart = 2_000;

/** A day is written this long after it is over; nearly everything has come by then. */
const lateMs = 10 * 60_000;

/** The first UTC day that must not be written yet. */
export const firstOpenDay = (nowMs: number): number => Math.floor((nowMs - lateMs) / 86_400_000);

/** The next part of the open day. */
export interface DayPart {
  readonly sums: readonly (Numbers & { readonly series_id: number })[];
  readonly day: number;
  /** How far days are written with it. */
  readonly after: DaysWritten;
}

/** Adds up the next part; writes nothing. */
export async function readDayPart(
  trx: Transaction<Database>,
  { openDay, series }: DaysWritten,
): Promise<DayPart> {
  const { rows: ids } = await sql<{ id: number }>`select id from usage_series where id > ${series}
    order by id limit ${seriesPerPart}`.execute(trx);
  const isLast = ids.length < seriesPerPart;
  const to = ids.at(-1)?.id ?? series;
  const wanted: RawBuilder<unknown> = sql`select id from usage_series where id > ${series} and id <= ${to}`;
  const from = openDay * slotsPerDay;
  const { rows } = await sql<SumsRow & { series_id: number }>`select s.series_id, ${sumsOfSums("s")}
    from usage_slots s where s.series_id in (${wanted}) and s.span >= ${from} and s.span < ${from + slotsPerDay}
    group by s.series_id`.execute(trx);
  return {
    sums: rows.map(joinParts),
    day: openDay,
    after: isLast ? { openDay: openDay + 1, series: 0 } : { openDay, series: to },
  };
}

const wholeDays: BulkTarget = {
  table: "usage_days",
  columns: ["series_id", "span", ...numberColumns].map((name) => [name, "int"]),
  key: ["series_id", "span"],
  onConflict: Object.fromEntries(numberColumns.map((column) => [column, `excluded.${column}`])),
};

/** Writes a part in a transaction that nothing was added up before since it was read. */
export async function writeDayPart(
  trx: Transaction<Database>,
  insert: BulkInsert,
  { sums, day, after }: DayPart,
): Promise<void> {
  await insert(
    trx,
    wholeDays,
    sums.map((numbers) => spanRow(numbers.series_id, day, numbers)),
  );
  const moved = { open_day: after.openDay, closed_series: after.series };
  await trx.updateTable("usage_progress").set(moved).execute();
}
