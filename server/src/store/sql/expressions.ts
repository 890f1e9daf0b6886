/**
 * SQL that means the same on both databases: sums of money, and searches for what people type.
 */
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

// Sums of money that no row can make overflow: whole dollars and the rest are added up apart. SQLite's `sum`
// fails beyond 64 bits, and PostgreSQL's cast back to them does; what is put together again is exact on both
// as far as 64 bits go, and beyond that on PostgreSQL.

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

// Searches, in which every character stands for itself.

/** `%`, `_` and the escape itself. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/**
 * Does a column contain the text? Letters are compared without case as far as the database knows their cases.
 */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${column}) like lower(${`%${escaped(text)}%`}) escape '\\'`;
}

/** Does a column begin with the text, letter by letter? */
export function beginningWith(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${column}, 1, ${[...text].length}) = ${text}`;
}
