/** Sorting the loaded rows of a table by one column. Knows no page. */
import { useMemo, useState } from "react";

/** What a column sorts by; null and undefined come last. Amounts: `nanosOf(row.charge)`. */
export type SortValue = string | number | bigint | null | undefined;

/** How a table is sorted. */
export interface Sorting {
  /** The column's id. */
  readonly id: string;
  readonly desc: boolean;
}

/** What it needs of a column. */
interface SortedColumn<Row> {
  readonly id: string;
  readonly sortBy?: (row: Row) => SortValue;
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

const noRows: readonly never[] = [];

interface SortedTable<Row> {
  readonly rows?: readonly Row[] | undefined;
  readonly columns: readonly SortedColumn<Row>[];
  readonly initialSort?: Sorting;
}

/** The rows as sorted, how they are, and a turn for each sortable column; as they come unless `canSort`. */
export function useSorting<Row>(table: SortedTable<Row>, canSort: boolean) {
  const { rows = noRows, columns } = table;
  const [chosen, setChosen] = useState(table.initialSort ?? null);
  const sorting = canSort ? chosen : null;
  const sorted = useMemo(() => {
    const sortBy = columns.find(({ id }) => id === sorting?.id)?.sortBy;
    return sorting === null || sortBy === undefined ? rows : sortRows(rows, sortBy, sorting.desc);
  }, [rows, columns, sorting]);
  return {
    rows: sorted,
    sorting,
    turn: ({ id, sortBy }: SortedColumn<Row>) => {
      const known = rows.map((row) => sortBy?.(row)).find((value) => value !== null && value !== undefined);
      setChosen(nextSorting(sorting, id, typeof known === "string"));
    },
  };
}
