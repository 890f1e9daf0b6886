/**
 * A piece of new requests, added up in memory by every series and span it
 * counts in. Reads, and writes nothing.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import { type RawBuilder, sql, type Transaction } from "kysely";
import { bucketOf } from "../../domain/routing/first-token-buckets.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import type { Database } from "../sql/schema.ts";
import {
  addNumbers,
  copyNumbers,
  countedModel,
  joinParts,
  type Numbers,
  named,
  type SumsRow,
  slotOfRow,
  sumsOfRows,
} from "./series.ts";

/** What a series counts. */
export interface SeriesNames {
  readonly kind: number;
  readonly account_id: string;
  readonly key_id: string;
  readonly model_id: string;
  readonly operation: Operation;
  readonly error_code: string;
}

/** The numbers of a half hour, and the time of its newest request. */
interface PieceSlot {
  readonly numbers: Numbers;
  lastAt: number;
}

/** One series in a piece. */
export interface PieceSeries extends SeriesNames {
  /** `seriesText` of its names. */
  readonly text: string;
  lastAt: number;
  readonly slots: Map<number, PieceSlot>;
}

/** The range of one minute's ids. */
interface PieceMinute {
  readonly minute: number;
  readonly first_id: string;
  readonly last_id: string;
}

/** Requests of a model by time to first token. */
interface PieceFirstTokens {
  readonly modelId: string;
  readonly operation: Operation;
  readonly slot: number;
  readonly bucket: number;
  readonly requests: number;
}

export interface Piece {
  readonly rows: number;
  readonly series: readonly PieceSeries[];
  readonly minutes: readonly PieceMinute[];
  readonly firstTokens: readonly PieceFirstTokens[];
}

interface Group extends SumsRow, Omit<SeriesNames, "kind"> {
  readonly slot: number;
  readonly last_at: number;
}

/**
 * A text that identifies a series. Only the name of a model may be any text, so it comes last; the others
 * have no line break.
 */
export const seriesText = (of: SeriesNames): string =>
  `${of.kind}\n${of.account_id}\n${of.key_id}\n${of.operation}\n${of.error_code}\n${of.model_id}`;

/** The names of the series of a kind that a group of requests counts in. */
const namesOf = (group: Group, kind: number): SeriesNames => ({
  kind,
  account_id: kind & named.account ? group.account_id : "",
  key_id: kind & named.key ? group.key_id : "",
  model_id: kind & named.model ? group.model_id : "",
  operation: group.operation,
  error_code: kind & named.error ? group.error_code : "",
});

function addTo(slots: Map<number, PieceSlot>, group: Group): void {
  const found = slots.get(group.slot);
  if (found === undefined) {
    slots.set(group.slot, { numbers: copyNumbers(group), lastAt: group.last_at });
    return;
  }
  addNumbers(found.numbers, group);
  if (group.last_at > found.lastAt) found.lastAt = group.last_at;
}

function seriesOf(groups: readonly Group[], kinds: readonly number[]): PieceSeries[] {
  const withoutError = kinds.filter((kind) => (kind & named.error) === 0);
  const found = new Map<string, PieceSeries>();
  for (const group of groups) {
    for (const kind of group.error_code === "" ? withoutError : kinds) {
      const names = namesOf(group, kind);
      const text = seriesText(names);
      let series = found.get(text);
      if (series === undefined) {
        series = { ...names, text, lastAt: group.last_at, slots: new Map() };
        found.set(text, series);
      }
      if (group.last_at > series.lastAt) series.lastAt = group.last_at;
      addTo(series.slots, group);
    }
  }
  return [...found.values()];
}

interface TimesRow {
  readonly model_id: string;
  readonly operation: Operation;
  readonly slot: number;
  /** Milliseconds, separated by commas: nearly every request has a time of its own, and a row costs more. */
  readonly times: string;
}

function bucketed(rows: readonly TimesRow[]): PieceFirstTokens[] {
  return rows.flatMap(({ model_id, operation, slot, times }) => {
    const counts = new Map<number, number>();
    for (const ms of times.split(",")) {
      const bucket = bucketOf(Number(ms));
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    return [...counts].map(([bucket, requests]) => ({
      modelId: model_id,
      operation,
      slot,
      bucket,
      requests,
    }));
  });
}

/**
 * Sums the matching rows of `requests` in series of these kinds. Times to first token are separated only for
 * requests made since then.
 */
export async function readPiece(
  trx: Transaction<Database>,
  isInPiece: RawBuilder<boolean>,
  kinds: readonly number[],
  firstTokensSinceMs: number,
): Promise<Piece> {
  const { rows: groups } = await sql<Group>`select account_id, key_id, ${countedModel} as model_id,
      operation, coalesce(error_code, '') as error_code, ${slotOfRow} as slot, max(created_at) as last_at, ${sumsOfRows}
    from requests where ${isInPiece} group by 1, 2, 3, 4, 5, 6`.execute(trx);
  const { rows: minutes } = await sql<PieceMinute>`select (created_at / 60000) as minute, min(id) as first_id,
      max(id) as last_id from requests where ${isInPiece} group by 1`.execute(trx);
  const { rows: times } = await sql<TimesRow>`select
      ${countedModel} as model_id, operation, ${slotOfRow} as slot,
      string_agg(cast(first_token_ms as text), ',') as times
    from requests where ${isInPiece} and first_token_ms is not null
      and created_at >= ${Math.floor(firstTokensSinceMs / slotMs) * slotMs} group by 1, 2, 3`.execute(trx);
  return {
    rows: groups.reduce((sum, { requests }) => sum + requests, 0),
    series: seriesOf(groups.map(joinParts), kinds),
    minutes,
    firstTokens: bucketed(times),
  };
}
