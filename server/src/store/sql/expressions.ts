/** SQL with the same meaning on both databases: sums of money, and text search. */
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

// Sums of money that cannot overflow: whole dollars and the rest are summed separately. SQLite's `sum` and
// PostgreSQL's cast fail beyond 64 bits. The combined result is exact up to 64 bits, and on PostgreSQL beyond
// that.

/** A sum as read: SQLite returns a rounded number beyond 64 bits; null: no rows. */
export type ReadSum = bigint | number | null;

/** The sum of a NanoUsd column; `over`: the window for a running sum. Read it with `nanosOfSum`. */
export function sumOfNanos(
  column: RawBuilder<unknown>,
  over: RawBuilder<unknown> = sql``,
): RawBuilder<ReadSum> {
  return sql<ReadSum>`(sum(${column} / 1000000000) ${over} * 1000000000 + sum(${column} % 1000000000) ${over})`;
}

export function nanosOfSum(sum: ReadSum): bigint {
  return BigInt(sum ?? 0);
}

// Text search in which every character stands for itself.

/** `%`, `_` and the escape itself. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** True when a column contains the text, ignoring case as far as the database supports it. */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${column}) like lower(${`%${escaped(text)}%`}) escape '\\'`;
}

/** True when a column begins with the text; case matters. */
export function beginningWith(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${column}, 1, ${[...text].length}) = ${text}`;
}
