/**
 * A table of figures: each row has a name and, at the end of its line, figures by which it can be sorted;
 * below them what they come to together. The order stays in the URL. Knows no page.
 */
import { type ReactNode, useMemo } from "react";
import { type Column, DataTable, type DataTableProps } from "./data-table.tsx";
import type { SortValue } from "./sorting/sorting.ts";

/** A column of figures. */
export interface Figure<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sortBy: (row: Row) => SortValue;
  /** Shares of the whole do not say at its foot that they are all of it. */
  readonly hasFoot?: boolean;
  /** For figures that narrow windows leave out. */
  readonly className?: string;
}

export interface FigureTableProps<Row> extends Omit<DataTableProps<Row>, "columns" | "sortIn"> {
  /** The first column. */
  readonly name: Column<Row>;
  /** Between the name and the figures: what is no figure. */
  readonly picture?: Column<Row> | undefined;
  readonly figures: readonly Figure<Row>[];
  /** All rows as one, with what it is called. */
  readonly whole?: { readonly label: string; readonly row: Row } | undefined;
}

/** See `FigureTableProps`. */
export function FigureTable<Row extends object>(props: FigureTableProps<Row>) {
  const { name, picture, figures, whole, ...table } = props;
  const columns = useMemo(
    (): Column<Row>[] => [
      { ...name, ...(whole === undefined ? {} : { foot: whole.label }) },
      ...(picture === undefined ? [] : [picture]),
      ...figures.map(
        ({ hasFoot = true, ...figure }): Column<Row> => ({
          ...figure,
          align: "end",
          ...(hasFoot && whole !== undefined ? { foot: figure.cell(whole.row) } : {}),
        }),
      ),
    ],
    [name, picture, figures, whole],
  );
  return <DataTable sortIn="sort" {...table} columns={columns} />;
}
