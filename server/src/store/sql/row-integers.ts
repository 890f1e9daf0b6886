/**
 * One rule for whole numbers in rows, on every dialect: a column whose name ends in `_nanos` holds
 * money and stays a bigint; any other integer is a number. Drivers hand integers over as bigints,
 * so that none was rounded on the way.
 */

export type Row = Record<string, unknown>;

/**
 * Turns every integer but money into a number, in place; one too large for that is refused, never rounded.
 */
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
