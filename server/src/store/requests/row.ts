/**
 * A request and its settlement as a flat list of values. The list is sent to the storage thread, used in the
 * INSERT and, while the database is unavailable, written to the journal. Knows no Kysely, because every
 * process that records requests loads it.
 */

import { columnList, type RequestProperty } from "./columns.ts";
import type { Settlement } from "./settlement-shapes.ts";
import type { RequestRow } from "./shapes.ts";

export type RequestValue = string | number | bigint | Uint8Array | null;

/** The values after a request's columns, in the order of `pushSettlementValues` and of journals on disk. */
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

/** The index of each property of a request or its settlement in the list. */
export const at = Object.fromEntries(names.map((name, index) => [name, index])) as Readonly<
  Record<ValueName, number>
>;

/** Number of a request's columns; the settlement's values follow them. */
export const columnsPerRequest = columnList.length;

/** Number of values of one request with its settlement. */
export const valuesPerRequest = names.length;

/** Number of values in a journal's line before requests had an operation. */
const valuesBeforeOperation = valuesPerRequest - 1;

/**
 * The values of one request from a journal's line of the current or the previous version; missing ones are
 * added. Undefined for a list that is not one complete request.
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
