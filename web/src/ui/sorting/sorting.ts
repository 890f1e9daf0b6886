/** Rows in the order of a column. Knows no component. */

/** What a column sorts by; null and undefined come last. Amounts: `nanosOf(row.charge)`. */
export type SortValue = string | number | bigint | null | undefined;

/** How a table is sorted. */
export interface Sorting {
  /** The column's id. */
  readonly id: string;
  readonly desc: boolean;
}

/** Texts in the order of the reader's language. */
const collator = new Intl.Collator();

function compare(left: SortValue, right: SortValue): number {
  if (typeof left === "string" && typeof right === "string") return collator.compare(left, right);
  return (left ?? 0) < (right ?? 0) ? -1 : (left ?? 0) > (right ?? 0) ? 1 : 0;
}

/** The rows in order; those of the same value stay in theirs, and those without one come last either way. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  desc: boolean,
): readonly Row[] {
  const valued = rows.map((row) => ({ row, value: sortBy(row) ?? undefined }));
  valued.sort((left, right) => {
    if (left.value === undefined || right.value === undefined)
      return Number(left.value === undefined) - Number(right.value === undefined);
    const order = compare(left.value, right.value);
    return desc ? -order : order;
  });
  return valued.map(({ row }) => row);
}

/**
 * The next of a column's turns: texts begin ascending, figures with the largest; then the other way, then
 * none.
 */
export function nextSorting(now: Sorting | null, id: string, isText: boolean): Sorting | null {
  if (now?.id !== id) return { id, desc: !isText };
  return now.desc === !isText ? { id, desc: isText } : null;
}

/** As a URL has it: the column's id, with a dash before it where the largest come first. */
export function sortingIn(text: string): Sorting | null {
  if (text === "") return null;
  return text.startsWith("-") ? { id: text.slice(1), desc: true } : { id: text, desc: false };
}

/** The same the other way. */
export const sortingText = (sorting: Sorting | null): string =>
  sorting === null ? "" : `${sorting.desc ? "-" : ""}${sorting.id}`;
