/** Sorting the loaded rows of a table by one column. Knows no page. */
import { useMemo, useState } from "react";
import { useFilters } from "../filter-bar.tsx";
import { nextSorting, type Sorting, type SortValue, sortingIn, sortingText, sortRows } from "./sorting.ts";

/** What it needs of a column. */
interface SortedColumn<Row> {
  readonly id: string;
  readonly sortBy?: (row: Row) => SortValue;
}

const noRows: readonly never[] = [];

interface SortedTable<Row> {
  readonly rows?: readonly Row[] | undefined;
  readonly columns: readonly SortedColumn<Row>[];
  readonly initialSort?: Sorting;
  readonly sortIn?: string;
}

/** The order the reader chose, kept by the table or, with a name, in the URL. */
function useChosen({ initialSort, sortIn }: Pick<SortedTable<never>, "initialSort" | "sortIn">) {
  const [own, setOwn] = useState(initialSort ?? null);
  const defaults = useMemo(() => ({ [sortIn ?? "sort"]: "" }), [sortIn]);
  const url = useFilters(defaults);
  const text = sortIn === undefined ? undefined : url.values[sortIn];
  const fromUrl = useMemo(() => (text === undefined ? null : sortingIn(text)), [text]);
  if (sortIn === undefined) return [own, setOwn] as const;
  const set = (next: Sorting | null) => url.set({ [sortIn]: sortingText(next) });
  return [fromUrl ?? initialSort ?? null, set] as const;
}

/** The rows as sorted, how they are, and a turn for each sortable column; as they come unless `canSort`. */
export function useSorting<Row>(table: SortedTable<Row>, canSort: boolean) {
  const { rows = noRows, columns } = table;
  const [chosen, setChosen] = useChosen(table);
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
