/**
 * Inserts many rows with few statements, each with a constant text: a list per column on PostgreSQL, a fixed
 * number of rows on SQLite. Knows no table.
 */
import { CompiledQuery, type Transaction } from "kysely";
import { arrayLiteral } from "../postgres/array.ts";
import type { Database } from "./schema.ts";

/** The target table, and what happens on conflict. Create it once: statements are cached by it. */
export interface BulkTarget {
  readonly table: string;
  /** Name and type; `int` is a 64-bit integer. */
  readonly columns: readonly (readonly [name: string, type: "int" | "text"])[];
  /** `on conflict …`, and `returning …` if rows are wanted. */
  readonly tail: string;
}

type BulkValue = string | number | bigint;

/**
 * Writes rows, with values in column order; returns what the tail returns. No two rows may conflict with each
 * other.
 */
export type BulkInsert = (
  trx: Transaction<Database>,
  target: BulkTarget,
  rows: readonly (readonly BulkValue[])[],
) => Promise<readonly unknown[]>;

const head = ({ table, columns }: BulkTarget): string =>
  `insert into ${table} (${columns.map(([name]) => name).join(", ")})`;

/** Rows per statement. A bound variable is cheap, a statement is not. */
const sqliteSizes = [128, 16, 1];
const sqliteTexts = new WeakMap<BulkTarget, Map<number, string>>();

function sqliteText(target: BulkTarget, size: number): string {
  let texts = sqliteTexts.get(target);
  if (texts === undefined) {
    texts = new Map();
    sqliteTexts.set(target, texts);
  }
  let text = texts.get(size);
  if (text === undefined) {
    const row = `(${target.columns.map(() => "?").join(", ")})`;
    text = `${head(target)} values ${Array.from({ length: size }, () => row).join(", ")} ${target.tail}`;
    texts.set(size, text);
  }
  return text;
}

export const sqliteBulkInsert: BulkInsert = async (trx, target, rows) => {
  const returned: unknown[] = [];
  for (let index = 0; index < rows.length; ) {
    const size = sqliteSizes.find((candidate) => candidate <= rows.length - index) ?? 1;
    const values = rows.slice(index, index + size).flat();
    const result = await trx.executeQuery(CompiledQuery.raw(sqliteText(target, size), values));
    for (const row of result.rows) returned.push(row);
    index += size;
  }
  return returned;
};

const postgresRows = 5_000;
const postgresTypes = { int: "bigint[]", text: "text[]" } as const;

export const postgresBulkInsert: BulkInsert = async (trx, target, rows) => {
  const lists = target.columns.map(([, type], index) => `$${index + 1}::${postgresTypes[type]}`);
  const text = `${head(target)} select * from unnest(${lists.join(", ")}) ${target.tail}`;
  const returned: unknown[] = [];
  for (let index = 0; index < rows.length; index += postgresRows) {
    const part = rows.slice(index, index + postgresRows);
    const values = target.columns.map((_, column) => arrayLiteral(part.map((row) => row[column])));
    const result = await trx.executeQuery(CompiledQuery.raw(text, values));
    for (const row of result.rows) returned.push(row);
  }
  return returned;
};
