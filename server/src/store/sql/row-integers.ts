/**
 * How integers in rows are read, for every dialect: a column whose name ends in `_nanos` is money and stays a
 * bigint; any other integer becomes a number. Drivers return bigints, so that nothing is rounded before.
 */

export type Row = Record<string, unknown>;

/** Converts every integer except money to a number, in place. Throws for one that is too large. */
export function narrowIntegers(row: Row): Row {
  for (const name in row) {
    const value = row[name];
    if (typeof value !== "bigint" || name.endsWith("_nanos")) continue;
    const narrowed = Number(value);
    if (!Number.isSafeInteger(narrowed)) throw new RangeError(`${name} is too large for a number: ${value}`);
    row[name] = narrowed;
  }
  return row;
}
