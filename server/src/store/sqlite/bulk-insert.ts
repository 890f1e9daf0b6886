/**
 * Inserts many rows with compiled statements of one row each: SQLite keeps a second journal for a statement
 * that may fail after its first row. Knows no table.
 */
import type { StatementSync } from "node:sqlite";
import { type BulkInsert, type BulkTarget, type BulkValue, headOf, tailOf } from "../sql/bulk-insert.ts";
import { narrowIntegers, type Row } from "../sql/row-integers.ts";
import type { SqliteConnection } from "./connection.ts";

/** Most texts kept for one target; rows of further patterns of zeros use the text for all columns. */
const textsMax = 32;

/** Texts of a target by the columns that are 0, one bit each. Nothing is bound or added for those. */
const textsOf = new WeakMap<BulkTarget, Map<number, string>>();

function zerosIn(row: readonly BulkValue[]): number {
  let zeros = 0;
  for (let index = 0; index < row.length; index++) {
    if (row[index] === 0 || row[index] === 0n) zeros |= 1 << index;
  }
  return zeros;
}

const isZero = (zeros: number, index: number): boolean => ((zeros >> index) & 1) === 1;

function writeText(target: BulkTarget, zeros: number): string {
  const values = target.columns.map((_, index) => (isZero(zeros, index) ? "0" : "?"));
  const changed = target.columns.filter((_, index) => !isZero(zeros, index)).map(([name]) => name);
  return `${headOf(target)} values (${values.join(", ")}) ${tailOf(target, new Set(changed))}`;
}

/** The text for a row with these zeros, and the zeros that it contains. */
function textFor(target: BulkTarget, zeros: number): { text: string; zeros: number } {
  let texts = textsOf.get(target);
  if (texts === undefined) {
    texts = new Map();
    textsOf.set(target, texts);
  }
  const known = texts.size < textsMax || texts.has(zeros) ? zeros : 0;
  let text = texts.get(known);
  if (text === undefined) {
    text = writeText(target, known);
    texts.set(known, text);
  }
  return { text, zeros: known };
}

/** Writes sums: a column that is 0 is part of the text and is not added. */
function addRows(connection: SqliteConnection, target: BulkTarget, rows: readonly (readonly BulkValue[])[]) {
  const statements = new Map<number, { statement: StatementSync; zeros: number }>();
  for (const row of rows) {
    const wanted = zerosIn(row);
    let found = statements.get(wanted);
    if (found === undefined) {
      const { text, zeros } = textFor(target, wanted);
      found = { statement: connection.prepare(text).statement, zeros };
      statements.set(wanted, found);
    }
    const { statement, zeros } = found;
    const bound = zeros === 0 ? row : row.filter((_, index) => !isZero(zeros, index));
    statement.run(...bound);
  }
}

/** `connection`: the one whose transaction the rows belong to. */
export const sqliteBulkInsert =
  (connection: SqliteConnection): BulkInsert =>
  async (_, target, rows) => {
    if (target.isSum === true) {
      addRows(connection, target, rows);
      return [];
    }
    const { statement } = connection.prepare(textFor(target, 0).text);
    if (target.returning === undefined) {
      for (const row of rows) statement.run(...row);
      return [];
    }
    const returned: Row[] = [];
    for (const row of rows) {
      for (const one of statement.all(...row)) returned.push(narrowIntegers(one as Row));
    }
    return returned;
  };
