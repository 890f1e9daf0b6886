/**
 * Sums of money that no row can make overflow: whole dollars and the rest are added up apart. SQLite's `sum`
 * fails beyond 64 bits, and PostgreSQL's cast back to them does; what is put together again is exact on both
 * as far as 64 bits go, and beyond that on PostgreSQL.
 */
import { type RawBuilder, sql } from "kysely";

/** A sum as it is read: SQLite gives a rounded number for what 64 bits do not hold; null = of no rows. */
export type ReadSum = bigint | number | null;

/** The sum of a column of NanoUsd; `over` is the window of a running one. Read it with `nanosOfSum`. */
export function sumOfNanos(
  column: RawBuilder<unknown>,
  over: RawBuilder<unknown> = sql``,
): RawBuilder<ReadSum> {
  return sql<ReadSum>`(sum(${column} / 1000000000) ${over} * 1000000000 + sum(${column} % 1000000000) ${over})`;
}

export function nanosOfSum(sum: ReadSum): bigint {
  return BigInt(sum ?? 0);
}
