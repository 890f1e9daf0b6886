/**
 * Reads the requests of a short period: for what the sums do not keep, which is upstreams and the spread of
 * times. How many requests that is, is known from the sums before one is read.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import { slotMs, type ZoneStretch } from "../../lib/time/time-zone.ts";
import { newRequests, ownRequests, type RequestScope, readLists } from "../lists/read.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { ExploreFilter, ExploreGroups, LatencyQuestion } from "./explore-shapes.ts";
import type { Cell, Stretch } from "./latency-sample.ts";
import { joinParts, type SumsRow, sumsOfRows } from "./series.ts";
import { filterRows, mergedSums, type NewRows, rowColumns, spanOfRow } from "./sums.ts";

const minuteMs = 60_000;

interface Reading {
  readonly trx: Transaction<Database>;
  readonly dialect: SqlDialect;
  readonly newRows: NewRows;
}

/** Half hours, `to` exclusive. */
interface Slots {
  readonly from: number;
  readonly to: number;
}

const columns: Readonly<Record<ExploreGroups, RawBuilder<string>>> = {
  ...rowColumns,
  tag: rowColumns.tags,
  upstream: sql.raw("coalesce(requests.upstream_id, '')"),
};

/** Half hours as times. */
export const stretchOf = ({ from, to }: Slots): Stretch => ({ fromMs: from * slotMs, toMs: to * slotMs });

/** How many requests of a period would have to be read: of the one account, or of all. */
export async function countReadable(
  { trx, newRows }: Reading,
  { accounts }: ExploreFilter,
  { from, to }: Slots,
): Promise<number> {
  const only = accounts?.length === 1 ? accounts : undefined;
  const stretches: ZoneStretch[] = [{ from, to, offset: 0 }];
  const question = { accounts: only, stretches, byDay: false, by: "none", rowsMax: 10 } as const;
  const [whole] = (await mergedSums(trx, newRows, question)) ?? [];
  return whole?.numbers.requests ?? 0;
}

/** Requests in one place. `isNew`: the few that are not counted or listed yet, found without their time. */
interface Scope extends Pick<RequestScope, "source"> {
  readonly condition: RawBuilder<unknown>;
  readonly time: RawBuilder<number>;
  readonly isNew: boolean;
}

const createdAt = sql.raw<number>("requests.created_at");

/** Where the requests of a period are, each in one scope only. */
async function scopesOf(
  { trx, dialect, newRows }: Reading,
  { accounts }: ExploreFilter,
  { fromMs, toMs }: Stretch,
): Promise<Scope[]> {
  const [only] = accounts ?? [];
  if (only !== undefined && accounts?.length === 1) {
    const lists = await readLists(trx, dialect);
    const own = { ...ownRequests(only, lists), isNew: false };
    return lists === undefined ? [own] : [own, { ...newRequests(only, lists), isNew: true }];
  }
  const table = { source: sql`requests`, time: createdAt };
  const scopes: Scope[] = [{ ...table, condition: newRows.isNew, isNew: true }];
  if (!newRows.isSound) return scopes;
  const { rows } = await sql<{ first: string | null; last: string }>`
    select min(first_id) as first, max(last_id) as last from usage_minutes
    where minute >= ${Math.floor(fromMs / minuteMs)} and minute < ${Math.ceil(toMs / minuteMs)}`.execute(trx);
  const [ids] = rows;
  if (ids === undefined || ids.first === null) return scopes;
  const isCounted = sql`requests.id >= ${ids.first} and requests.id <= ${ids.last} and (${newRows.isNew}) is not true`;
  return [...scopes, { ...table, condition: isCounted, isNew: false }];
}

/**
 * The matching requests of a period, as a table named `requests`: all of them, or only those that are new, or
 * not. Undefined: there are no such scopes.
 */
async function matching(
  reading: Reading,
  filter: ExploreFilter,
  stretch: Stretch,
  isNew?: boolean,
): Promise<RawBuilder<unknown> | undefined> {
  const scopes = await scopesOf(reading, filter, stretch);
  const parts = scopes
    .filter((scope) => isNew === undefined || scope.isNew === isNew)
    .map(
      ({ source, condition, time }) => sql`select requests.* from ${source} where ${condition}
        and ${time} >= ${stretch.fromMs} and ${time} < ${stretch.toMs}`,
    );
  if (parts.length === 0) return undefined;
  return sql`(${sql.join(parts, sql` union all `)}) requests where ${filterRows(filter)}`;
}

/** Sums of requests by group, and by span where `byGrain`. */
export async function sumsOfRequests(
  reading: Reading,
  question: ExploreFilter & {
    readonly stretches: readonly ZoneStretch[];
    readonly by: ExploreGroups;
    readonly grain: "day" | "hour" | "none";
  },
): Promise<(SumsRow & { id: string; span: number })[]> {
  const { stretches, grain, by } = question;
  const slots = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 };
  const span = spanOfRow({ stretches, byDay: grain === "day", byHour: grain === "hour" });
  const from = await matching(reading, question, stretchOf(slots));
  if (from === undefined) return [];
  const { rows } = await sql<SumsRow & { id: string; span: number }>`
    select ${columns[by]} as id, ${span} as span, ${sumsOfRows} from ${from} group by 1, 2`.execute(
    reading.trx,
  );
  return rows.map(joinParts);
}

const numbersIn = (text: string | null): number[] => (text === null ? [] : text.split(",").map(Number));

/** Times of some requests, by group and part of the sample. */
export interface TimesRow {
  readonly id: string;
  readonly part: number;
  readonly firstTokenMs: number[];
  readonly durationMs: number[];
}

type TimesQuestion = Omit<LatencyQuestion, "requestsMax">;

/** Reads times as texts of numbers, because a row for each time costs more. */
async function readTimes(
  { trx }: Reading,
  { stretches, by }: TimesQuestion,
  from: RawBuilder<unknown>,
  part: RawBuilder<number>,
): Promise<TimesRow[]> {
  const group = by === "day" ? sql`cast(${spanOfRow({ stretches, byDay: true })} as text)` : columns[by];
  const { rows } = await sql<{ id: string; part: number; first: string | null; whole: string | null }>`
    select ${group} as id, ${part} as part,
      string_agg(cast(requests.first_token_ms as text), ',') as first,
      string_agg(case when requests.state = 'complete' then cast(requests.duration_ms as text) end, ',') as whole
    from ${from} group by 1, 2`.execute(trx);
  return rows.map(({ id, part: found, first, whole }) => ({
    ...{ id, part: Number(found), firstTokenMs: numbersIn(first), durationMs: numbersIn(whole) },
  }));
}

/** Times of all requests of the period. */
export async function timesOfRequests(reading: Reading, question: TimesQuestion): Promise<TimesRow[]> {
  const { stretches } = question;
  const slots = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 };
  const from = await matching(reading, question, stretchOf(slots));
  return from === undefined ? [] : await readTimes(reading, question, from, sql.raw("0"));
}

const rowsIn = (rows: readonly TimesRow[]): number =>
  rows.reduce((sum, { durationMs }) => sum + durationMs.length, 0);

/**
 * Times of the requests in these cells: one query a cell, and one for the rows that are not counted yet.
 * Undefined: there are more than `rowsMax`.
 */
export async function timesOfSample(
  reading: Reading,
  question: TimesQuestion,
  cells: readonly Cell[],
  rowsMax: number,
): Promise<TimesRow[] | undefined> {
  const found: TimesRow[] = [];
  for (const cell of cells) {
    const from = await matching(reading, question, cell, false);
    if (from === undefined) continue;
    found.push(...(await readTimes(reading, question, from, sql.raw(String(cell.part)))));
    if (rowsIn(found) > rowsMax) return undefined;
  }
  const whole = { fromMs: cells[0]?.fromMs ?? 0, toMs: cells.at(-1)?.toMs ?? 0 };
  const added = await matching(reading, question, whole, true);
  if (added === undefined) return found;
  const branches = cells.map(
    ({ fromMs, toMs, part }) =>
      sql`when ${createdAt} >= ${fromMs} and ${createdAt} < ${toMs} then ${sql.raw(String(part))}`,
  );
  const part = sql<number>`(case ${sql.join(branches, sql` `)} end)`;
  found.push(...(await readTimes(reading, question, sql`${added} and ${part} is not null`, part)));
  return rowsIn(found) > rowsMax ? undefined : found;
}
