/**
 * Finds the half hours that have requests matching a filter, newest first, from the sums. So a list of rare
 * requests need not read all rows.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import { slotMs, slotsPerDay } from "../../lib/time/time-zone.ts";
import type { Database } from "../sql/schema.ts";
import { finest, named } from "./series.ts";
import { filterSeries } from "./sums.ts";
import type { RequestFilter } from "./usage.ts";

/** A half hour and the number of requests in it that match, or may match. */
interface CandidateSlot {
  readonly slot: number;
  readonly requests: number;
}

/** A series whose sums show whether requests match a filter. */
interface Witness {
  readonly kind: number;
  readonly condition: RawBuilder<boolean>;
}

const stateCounts = {
  complete: "s.complete",
  incomplete: "s.incomplete",
  aborted: "s.aborted",
  failed: "(s.requests - s.complete - s.incomplete - s.aborted)",
} as const;

/** Upper limit of a span's requests with the requested states. */
function stateCount({ states }: RequestFilter): string {
  if (states === undefined) return "s.requests";
  const counts = [...new Set(states)].map((state) => stateCounts[state]);
  return counts.length === 0 ? "0" : `(${counts.join(" + ")})`;
}

/** All must be there where a request fits; that they are is proof only where there is one. */
function witnessesOf(filter: RequestFilter): Witness[] {
  const { accounts, keys, models, operations, projects, tags, errorCode } = filter;
  const isOfKeys = [keys, projects, tags].some((one) => one !== undefined);
  const model = models === undefined ? 0 : named.model;
  const account = accounts === undefined ? 0 : named.account;
  const witnesses: Witness[] = [];
  if (errorCode !== undefined) {
    const condition = sql<boolean>`x.error_code = ${errorCode} and ${filterSeries({ accounts, models, operations })}`;
    witnesses.push({ kind: named.error + model + account, condition });
  }
  if (errorCode === undefined || isOfKeys) {
    const kind = !isOfKeys && accounts === undefined ? model : finest;
    witnesses.push({ kind, condition: filterSeries(filter) });
  }
  return witnesses;
}

async function spansOf(
  trx: Transaction<Database>,
  table: "usage_slots" | "usage_days",
  filter: RequestFilter,
  { from, to }: { from: number; to: number },
): Promise<Map<number, number>> {
  const count = sql.raw<number>(`sum(${stateCount(filter)})`);
  let found: Map<number, number> | undefined;
  for (const { kind, condition } of witnessesOf(filter)) {
    const { rows } = await sql<{ span: number; requests: number }>`select s.span, ${count} as requests
      from usage_series x join ${sql.raw(table)} s on s.series_id = x.id and s.span >= ${from} and s.span < ${to}
      where x.kind = ${kind} and ${condition} group by s.span having ${count} > 0`.execute(trx);
    const spans = new Map<number, number>();
    for (const { span, requests } of rows) {
      const before = found === undefined ? requests : found.get(span);
      if (before !== undefined) spans.set(span, Math.min(before, requests));
    }
    found = spans;
  }
  return found ?? new Map();
}

const newestFirst = (spans: ReadonlyMap<number, number>): number[] =>
  [...spans.keys()].sort((one, other) => other - one);

/**
 * The half hours of a range (Unix milliseconds, `toMs` exclusive) with matching requests, newest first,
 * searched on demand. `openDay`: the first UTC day whose daily sums are not written.
 */
export async function* candidateSlots(
  trx: Transaction<Database>,
  filter: RequestFilter,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  openDay: number,
): AsyncGenerator<CandidateSlot> {
  const whole = { from: Math.floor(fromMs / slotMs), to: Math.ceil(toMs / slotMs) };
  const openFrom = Math.max(whole.from, openDay * slotsPerDay);
  if (openFrom < whole.to) {
    const slots = await spansOf(trx, "usage_slots", filter, { from: openFrom, to: whole.to });
    for (const slot of newestFirst(slots)) yield { slot, requests: slots.get(slot) ?? 0 };
  }
  const range = { from: whole.from, to: Math.min(whole.to, openFrom) };
  if (range.from >= range.to) return;
  const days = newestFirst(
    await spansOf(trx, "usage_days", filter, {
      from: Math.floor(range.from / slotsPerDay),
      to: Math.ceil(range.to / slotsPerDay),
    }),
  );
  // Most pages are filled by one day; rare rows are searched in growing spans.
  for (let index = 0, size = 1; index < days.length; index += size, size *= 2) {
    const batch = days.slice(index, index + size);
    const newest = batch[0] as number;
    const oldest = batch.at(-1) as number;
    const slots = await spansOf(trx, "usage_slots", filter, {
      from: Math.max(range.from, oldest * slotsPerDay),
      to: Math.min(range.to, (newest + 1) * slotsPerDay),
    });
    for (const slot of newestFirst(slots)) yield { slot, requests: slots.get(slot) ?? 0 };
  }
}
