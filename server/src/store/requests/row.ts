/**
 * A request and its settlement as the flat list of values that travels to the storage thread, into
 * the INSERT and, while the database is away, into the journal. Knows no Kysely: it is loaded by
 * every process that records requests.
 */

import { columnList, type RequestProperty } from "./columns.ts";
import type { Settlement } from "./settlement-shapes.ts";
import type { RequestRow } from "./shapes.ts";

export type RequestValue = string | number | bigint | Uint8Array | null;

/**
 * What stands behind the columns of a request, in the order in which `pushSettlementValues`
 * writes it and journals have it on disk.
 */
const settlementValues = [
  "holderId",
  "accountFromLease",
  "accountRelease",
  "budgetId",
  "budgetFromLease",
  "budgetRelease",
  "idempotencyKey",
  "answerStatus",
  "answerHeaders",
  "answerBody",
] as const;

type ValueName = RequestProperty | (typeof settlementValues)[number];

const names: readonly ValueName[] = [...columnList.map(({ property }) => property), ...settlementValues];

/** Where the value of a property of the request, or of its settlement, lies in its values. */
export const at = Object.fromEntries(names.map((name, index) => [name, index])) as Readonly<
  Record<ValueName, number>
>;

/** Values of one request that are columns; its settlement's stand behind them. */
export const columnsPerRequest = columnList.length;

/** Values of one request with its settlement. */
export const valuesPerRequest = names.length;

/** How many values a line of a journal had before requests had an operation. */
const valuesBeforeOperation = valuesPerRequest - 1;

/**
 * The values of one request as a journal has them, of this version or the one before: what a line lacks is
 * added. undefined for a list that is not one whole request.
 */
export function wholeValues(values: readonly RequestValue[]): readonly RequestValue[] | undefined {
  if (values.length === valuesPerRequest) return values;
  return values.length === valuesBeforeOperation ? values.toSpliced(at.operation, 0, "chat") : undefined;
}

const writers = columnList.map(({ write }) => write);

/** Appends one request's values. Elapsed times are rounded to whole milliseconds. */
export function pushRequestValues(
  row: RequestRow,
  settlement: Settlement | undefined,
  into: RequestValue[],
): void {
  for (const write of writers) into.push(write(row));
  pushSettlementValues(settlement, into);
}

function pushSettlementValues(settlement: Settlement | undefined, into: RequestValue[]): void {
  const account = settlement?.account;
  const budget = settlement?.budget;
  const idempotency = settlement?.idempotency;
  const answer = idempotency?.answer;
  into.push(
    settlement?.holderId ?? null,
    account?.fromLease ?? 0n,
    account?.release ?? 0n,
    budget?.id ?? null,
    budget?.fromLease ?? 0n,
    budget?.release ?? 0n,
    idempotency?.key ?? null,
    answer?.status ?? null,
    answer === undefined ? null : JSON.stringify(answer.headers),
    answer?.body ?? null,
  );
}
