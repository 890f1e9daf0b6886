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
  upstream: sql.raw("coalesce(requests.upstream_id, '')"),
};

/** True when a period has at most so many requests to read: of the one account, or of all. */
export async function isReadable(
  { trx, newRows }: Reading,
  { accounts }: ExploreFilter,
  { from, to }: Slots,
  requestsMax: number,
): Promise<boolean> {
  const only = accounts?.length === 1 ? accounts : undefined;
  const stretches: ZoneStretch[] = [{ from, to, offset: 0 }];
  const question = { accounts: only, stretches, byDay: false, by: "none", rowsMax: 10 } as const;
  const [whole] = (await mergedSums(trx, newRows, question)) ?? [];
  return (whole?.numbers.requests ?? 0) <= requestsMax;
}

/** Where the requests of a period are, each in one scope only. */
async function scopesOf(
  { trx, dialect, newRows }: Reading,
  { accounts }: ExploreFilter,
  { from, to }: Slots,
): Promise<Pick<RequestScope, "source" | "condition">[]> {
  const [only] = accounts ?? [];
  if (only !== undefined && accounts?.length === 1) {
    const lists = await readLists(trx, dialect);
    const own = ownRequests(only, lists);
    return lists === undefined ? [own] : [own, newRequests(only, lists)];
  }
  const scopes = [{ source: sql`requests`, condition: newRows.isNew as RawBuilder<unknown> }];
  if (!newRows.isSound) return scopes as RequestScope[];
  const { rows } = await sql<{ first: string | null; last: string }>`
    select min(first_id) as first, max(last_id) as last from usage_minutes
    where minute >= ${(from * slotMs) / minuteMs} and minute < ${(to * slotMs) / minuteMs}`.execute(trx);
  const [ids] = rows;
  if (ids === undefined || ids.first === null) return scopes as RequestScope[];
  const isCounted = sql`requests.id >= ${ids.first} and requests.id <= ${ids.last} and (${newRows.isNew}) is not true`;
  return [...scopes, { source: sql`requests`, condition: isCounted }] as RequestScope[];
}

/** The matching requests of a period, as a table named `requests`. */
async function matching(reading: Reading, filter: ExploreFilter, slots: Slots): Promise<RawBuilder<unknown>> {
  const scopes = await scopesOf(reading, filter, slots);
  const parts = scopes.map(
    ({ source, condition }) => sql`select requests.* from ${source} where ${condition}
      and requests.created_at >= ${slots.from * slotMs} and requests.created_at < ${slots.to * slotMs}`,
  );
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
  const from = await matching(reading, question, slots);
  const { rows } = await sql<SumsRow & { id: string; span: number }>`
    select ${columns[by]} as id, ${span} as span, ${sumsOfRows} from ${from} group by 1, 2`.execute(
    reading.trx,
  );
  return rows.map(joinParts);
}

const numbersIn = (text: string | null): number[] => (text === null ? [] : text.split(",").map(Number));

/** Times of requests by group: texts of numbers, because a row for each time costs more. */
export async function timesOfRequests(
  reading: Reading,
  question: Omit<LatencyQuestion, "requestsMax">,
): Promise<{ id: string; firstTokenMs: number[]; durationMs: number[] }[]> {
  const { stretches, by } = question;
  const slots = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 };
  const from = await matching(reading, question, slots);
  const group = by === "day" ? sql`cast(${spanOfRow({ stretches, byDay: true })} as text)` : columns[by];
  const { rows } = await sql<{ id: string; first: string | null; whole: string | null }>`
    select ${group} as id,
      string_agg(cast(requests.first_token_ms as text), ',') as first,
      string_agg(case when requests.state = 'complete' then cast(requests.duration_ms as text) end, ',') as whole
    from ${from} group by 1`.execute(reading.trx);
  return rows.map(({ id, first, whole }) => ({
    id,
    firstTokenMs: numbersIn(first),
    durationMs: numbersIn(whole),
  }));
}
