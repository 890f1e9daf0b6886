/** What usage is summed by, and which numbers are summed: the only list of each, in SQL. Pure. */
import { type RawBuilder, sql } from "kysely";
import type { UsageNumberColumns } from "../sql/schema-usage.ts";

/** Bits for the names a series has. A key's series also names its account. */
export const named = { account: 1, key: 2, model: 4, error: 8 } as const;

/** The finest kind: sums of accounts and of keys are added up from it. */
export const finest = named.account + named.key + named.model;

/** Of these, servers before schema 24 read the time of the newest request: when a key was last used. */
export const olderKeys = named.account + named.key;

/** Kinds of series that only servers before schema 24 read, and that are written for them. */
export const olderKinds: readonly number[] = [named.account, named.account + named.model, olderKeys];

/** Every kind of series a request counts in; those with an error only if it has one. */
export const seriesKinds: readonly number[] = [
  0,
  named.model,
  finest,
  named.error,
  named.error + named.model,
  named.account + named.error,
  named.account + named.error + named.model,
];

type NumberColumn = keyof UsageNumberColumns;

const when = (condition: string, value = "1") => `sum(case when ${condition} then ${value} else 0 end)`;
const isTimed = "first_token_ms is not null";
const isStreamed = `state = 'complete' and is_stream = 1 and ${isTimed} and duration_ms > first_token_ms`;

/** Overload and a missing ledger are this installation's fault, not the model's. */
const isUnserved = `state = 'incomplete' or (state = 'failed' and status >= 500
  and coalesce(error_code, '') not in ('overloaded', 'ledger_unavailable'))`;

/** Sums of money are read in two parts, the upper and the lower 32 bits, because they may exceed 64 bits. */
const moneyColumns = ["charge_nanos", "loss_nanos", "cost_nanos"] as const satisfies readonly NumberColumn[];
type MoneyColumn = (typeof moneyColumns)[number];
const isMoney = (column: NumberColumn): column is MoneyColumn => moneyColumns.some((one) => one === column);
const upperOf = <Column extends MoneyColumn>(column: Column): `upper_${Column}` => `upper_${column}`;

/** Largest value read or kept of a sum of counts; for money, what the column can hold. */
const countReadMax = Number.MAX_SAFE_INTEGER;
const countKeptMax = 2 ** 48;
const moneyKeptMax = 2n ** 63n - 1n;

/** A sum of counts, limited to what a number can hold. */
const bounded = (sum: string, column: string): string =>
  `case when ${sum} > ${countReadMax} then ${countReadMax} else ${sum} end as ${column}`;

const moneySum = (value: string, column: MoneyColumn): string =>
  `sum((${value}) >> 32) as ${upperOf(column)}, sum((${value}) & 4294967295) as ${column}`;

/** Each number as a sum over rows of `requests`; for money, the summed expression. */
const numberSums: Readonly<Record<NumberColumn, string>> = {
  requests: "count(*)",
  complete: when("state = 'complete'"),
  incomplete: when("state = 'incomplete'"),
  aborted: when("state = 'aborted'"),
  unserved: when(isUnserved),
  input_tokens: "sum(input_tokens)",
  cached_input_tokens: "sum(cached_input_tokens)",
  cache_write_tokens: "sum(cache_write_tokens)",
  output_tokens: "sum(output_tokens)",
  reasoning_tokens: "sum(reasoning_tokens)",
  charge_nanos: "charge_nanos",
  loss_nanos: "loss_nanos",
  cost_nanos: "coalesce(cost_nanos, 0)",
  without_cost: when("cost_nanos is null"),
  first_tokens: when(isTimed),
  first_token_ms: "sum(coalesce(first_token_ms, 0))",
  duration_ms: "sum(duration_ms)",
  stream_tokens: when(isStreamed, "output_tokens"),
  stream_ms: when(isStreamed, "duration_ms - first_token_ms"),
};

export const numberColumns = Object.keys(numberSums) as NumberColumn[];

/** A row of sums as it is read; `joinParts` combines its parts. */
export type SumsRow = UsageNumberColumns & { readonly [Column in MoneyColumn as `upper_${Column}`]: bigint };

/** Combines a row's sums, in place. Sums over no rows are read as null and become 0. */
export function joinParts<Row extends SumsRow>(row: Row): Row {
  for (const column of moneyColumns)
    row[column] = (row[column] ?? 0n) + ((row[upperOf(column)] ?? 0n) << 32n);
  return row;
}

/** The list of `sum(…) as …` over `requests`. */
export const sumsOfRows: RawBuilder<SumsRow> = sql.raw(
  numberColumns
    .map((column) =>
      isMoney(column) ? moneySum(numberSums[column], column) : bounded(numberSums[column], column),
    )
    .join(", "),
);

/** The same over rows of sums in this table; columns in `leftOut` are 0, which costs nothing. */
export const sumsOfSums = (table: string, leftOut: readonly NumberColumn[] = []): RawBuilder<SumsRow> =>
  sql.raw(
    numberColumns
      .map((column) => {
        if (leftOut.includes(column)) return `0 as ${column}`;
        const name = `${table}.${column}`;
        return isMoney(column) ? moneySum(name, column) : bounded(`sum(${name})`, column);
      })
      .join(", "),
  );

/** Sums of what `sumsOfSums` made in this subquery. */
export const sumsOfSummed = (table: string): RawBuilder<SumsRow> =>
  sql.raw(
    numberColumns
      .map((column) => {
        const sum = `sum(${table}.${column})`;
        if (!isMoney(column)) return bounded(sum, column);
        return `sum(${table}.${upperOf(column)}) as ${upperOf(column)}, ${sum} as ${column}`;
      })
      .join(", "),
  );

const keptCount = (count: number): number => (count > countKeptMax ? countKeptMax : count);
const keptMoney = (nanos: bigint): bigint => (nanos > moneyKeptMax ? moneyKeptMax : nanos);

/** What each number becomes when a row is added to the existing one, within the same limits. */
export const addedColumns = (table: string): Record<string, string> =>
  Object.fromEntries(
    numberColumns.map((column) => {
      const max = isMoney(column) ? moneyKeptMax : countKeptMax;
      const sum = `${table}.${column} + excluded.${column}`;
      return [
        column,
        `case when ${table}.${column} > ${max} - excluded.${column} then ${max} else ${sum} end`,
      ];
    }),
  );

/**
 * The model a request counts under. Unknown names are arbitrary and unlimited, so they count under the empty
 * name, with requests that name no model.
 */
export const countedModel: RawBuilder<string> = sql.raw(
  "case when error_code in ('model_not_found', 'model_not_allowed') then '' else coalesce(requests.model_id, '') end",
);

export const slotOfRow: RawBuilder<number> = sql.raw("(requests.created_at / 1800000)");

export type Numbers = { [Column in NumberColumn]: UsageNumberColumns[Column] };

export const noNumbers = (): Numbers => ({
  requests: 0,
  complete: 0,
  incomplete: 0,
  aborted: 0,
  unserved: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_nanos: 0n,
  loss_nanos: 0n,
  cost_nanos: 0n,
  without_cost: 0,
  first_tokens: 0,
  first_token_ms: 0,
  duration_ms: 0,
  stream_tokens: 0,
  stream_ms: 0,
});

/** Copies only the numbers of a row. Written out, because it runs for every row of every piece. */
export const copyNumbers = (from: Numbers): Numbers => ({
  requests: from.requests,
  complete: from.complete,
  incomplete: from.incomplete,
  aborted: from.aborted,
  unserved: from.unserved,
  input_tokens: from.input_tokens,
  cached_input_tokens: from.cached_input_tokens,
  cache_write_tokens: from.cache_write_tokens,
  output_tokens: from.output_tokens,
  reasoning_tokens: from.reasoning_tokens,
  charge_nanos: from.charge_nanos,
  loss_nanos: from.loss_nanos,
  cost_nanos: from.cost_nanos,
  without_cost: from.without_cost,
  first_tokens: from.first_tokens,
  first_token_ms: from.first_token_ms,
  duration_ms: from.duration_ms,
  stream_tokens: from.stream_tokens,
  stream_ms: from.stream_ms,
});

/** Adds one set of numbers to another, in place. */
export function addNumbers(to: Numbers, from: Numbers): Numbers {
  to.requests += from.requests;
  to.complete += from.complete;
  to.incomplete += from.incomplete;
  to.aborted += from.aborted;
  to.unserved += from.unserved;
  to.input_tokens += from.input_tokens;
  to.cached_input_tokens += from.cached_input_tokens;
  to.cache_write_tokens += from.cache_write_tokens;
  to.output_tokens += from.output_tokens;
  to.reasoning_tokens += from.reasoning_tokens;
  // A sum of bigints is a new object even when nothing is added.
  if (from.charge_nanos !== 0n) to.charge_nanos += from.charge_nanos;
  if (from.loss_nanos !== 0n) to.loss_nanos += from.loss_nanos;
  if (from.cost_nanos !== 0n) to.cost_nanos += from.cost_nanos;
  to.without_cost += from.without_cost;
  to.first_tokens += from.first_tokens;
  to.first_token_ms += from.first_token_ms;
  to.duration_ms += from.duration_ms;
  to.stream_tokens += from.stream_tokens;
  to.stream_ms += from.stream_ms;
  return to;
}

/** A row of sums: series, span and the numbers in the order of `numberColumns`, each within its limit. */
export const spanRow = (seriesId: number, span: number, of: Numbers): readonly (number | bigint)[] => [
  seriesId,
  span,
  keptCount(of.requests),
  keptCount(of.complete),
  keptCount(of.incomplete),
  keptCount(of.aborted),
  keptCount(of.unserved),
  keptCount(of.input_tokens),
  keptCount(of.cached_input_tokens),
  keptCount(of.cache_write_tokens),
  keptCount(of.output_tokens),
  keptCount(of.reasoning_tokens),
  keptMoney(of.charge_nanos),
  keptMoney(of.loss_nanos),
  keptMoney(of.cost_nanos),
  keptCount(of.without_cost),
  keptCount(of.first_tokens),
  keptCount(of.first_token_ms),
  keptCount(of.duration_ms),
  keptCount(of.stream_tokens),
  keptCount(of.stream_ms),
];

/** The numbers with opposite sign. */
export const negated = (from: Numbers): Numbers => ({
  requests: -from.requests,
  complete: -from.complete,
  incomplete: -from.incomplete,
  aborted: -from.aborted,
  unserved: -from.unserved,
  input_tokens: -from.input_tokens,
  cached_input_tokens: -from.cached_input_tokens,
  cache_write_tokens: -from.cache_write_tokens,
  output_tokens: -from.output_tokens,
  reasoning_tokens: -from.reasoning_tokens,
  charge_nanos: -from.charge_nanos,
  loss_nanos: -from.loss_nanos,
  cost_nanos: -from.cost_nanos,
  without_cost: -from.without_cost,
  first_tokens: -from.first_tokens,
  first_token_ms: -from.first_token_ms,
  duration_ms: -from.duration_ms,
  stream_tokens: -from.stream_tokens,
  stream_ms: -from.stream_ms,
});
