/**
 * Searching texts for what people type: the same on both databases, with every character standing for itself.
 */
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/** `%`, `_` and the escape itself. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/**
 * Does a column contain the text? Letters are compared without case as far as the database knows their cases.
 */
export function containing(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${column}) like lower(${`%${escaped(text)}%`}) escape '\\'`;
}

/** SQL: true when a column begins with the text, letter by letter. */
export function beginningWith(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${column}, 1, ${[...text].length}) = ${text}`;
}
