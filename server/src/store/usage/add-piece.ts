/** Adds a piece to the sums: to those of half hours, and to those of days that are written already. */
import type { Operation } from "@plaza/contract/operations.ts";
import type { Transaction } from "kysely";
import { slotsPerDay } from "../../lib/time/time-zone.ts";
import type { BulkInsert, BulkTarget } from "../sql/bulk-insert.ts";
import type { Database } from "../sql/schema.ts";
import { type DaysWritten, isWritten } from "./days.ts";
import { type Piece, type PieceSeries, type SeriesNames, seriesText } from "./piece.ts";
import {
  addedColumns,
  addNumbers,
  copyNumbers,
  type Numbers,
  named,
  numberColumns,
  olderKeys,
  spanRow,
} from "./series.ts";

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

const spanColumns = ["series_id", "span", ...numberColumns];

const slotsTarget: BulkTarget = {
  table: "usage_slots",
  columns: [...spanColumns, "last_at"].map((name) => [name, "int"]),
  key: ["series_id", "span"],
  onConflict: {
    ...addedColumns("usage_slots"),
    last_at:
      "case when excluded.last_at > usage_slots.last_at then excluded.last_at else usage_slots.last_at end",
  },
  isSum: true,
};

const daysTarget: BulkTarget = {
  table: "usage_days",
  columns: spanColumns.map((name) => [name, "int"]),
  key: ["series_id", "span"],
  onConflict: addedColumns("usage_days"),
  isSum: true,
};

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

/** Ids of the piece's series. Those of `olderKeys` are always written, for their time. */
async function seriesIds(
  trx: Transaction<Database>,
  insert: BulkInsert,
  series: readonly PieceSeries[],
  known: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const asked = series.filter(({ kind, text }) => kind === olderKeys || !known.has(text));
  const ids = await putSeries(trx, insert, asked);
  for (const { text } of series) {
    if (!ids.has(text)) ids.set(text, known.get(text) as number);
  }
  return ids;
}

const slotRows = (series: readonly PieceSeries[], ids: ReadonlyMap<string, number>) => {
  const rows: (readonly (number | bigint)[])[] = [];
  for (const one of series) {
    const id = ids.get(one.text) as number;
    for (const [slot, { numbers, lastAt }] of one.slots) rows.push([...spanRow(id, slot, numbers), lastAt]);
  }
  return rows;
};

/** Rows of the days that are written already. */
function dayRows(series: readonly PieceSeries[], ids: ReadonlyMap<string, number>, written: DaysWritten) {
  const rows: (readonly (number | bigint)[])[] = [];
  for (const one of series) {
    const id = ids.get(one.text) as number;
    const days = new Map<number, Numbers>();
    for (const [slot, { numbers }] of one.slots) {
      const day = Math.floor(slot / slotsPerDay);
      if (!isWritten(written, day, id)) continue;
      const sums = days.get(day);
      if (sums !== undefined) addNumbers(sums, numbers);
      // Nearly every piece lies in one half hour, whose sums are the day's.
      else days.set(day, one.slots.size === 1 ? numbers : copyNumbers(numbers));
    }
    for (const [day, numbers] of days) rows.push(spanRow(id, day, numbers));
  }
  return rows;
}

/** Adds a piece to the sums; resolves with the ids of its series. */
export async function addPiece(
  trx: Transaction<Database>,
  insert: BulkInsert,
  piece: Piece,
  written: DaysWritten,
  known: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const ids = await seriesIds(trx, insert, piece.series, known);
  await insert(trx, slotsTarget, slotRows(piece.series, ids));
  await insert(trx, daysTarget, dayRows(piece.series, ids, written));
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
