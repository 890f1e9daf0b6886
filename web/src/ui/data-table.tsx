/**
 * The one table of the console: sorting, loading, empty and failed states, row links,
 * "load more"; each row is a card on phones. Knows no page.
 */
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type MouseEvent, memo, type ReactNode } from "react";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { PageLink, useGo } from "./navigation.tsx";
import { useCards } from "./phone.ts";
import type { Sorting, SortValue } from "./sorting/sorting.ts";
import { useSorting } from "./sorting/use-sorting.ts";
import { EmptyState, ErrorState, Skeleton } from "./states.tsx";

/** One column. */
export interface Column<Row> {
  readonly id: string;
  /** "" for a column of buttons. */
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Makes the column sortable within the loaded rows; offered only when there are no more pages. */
  readonly sortBy?: (row: Row) => SortValue;
  /** At the foot of the table, in this column: a total. */
  readonly foot?: ReactNode;
  /** Figures stand at the end. */
  readonly align?: "start" | "end";
  /** On phones: the head of the card, a line of it (as is), or left out. */
  readonly phone?: "head" | "line" | "none";
  /** A class for width, as in `w-40`. */
  readonly className?: string;
}

/** Rows that come in pages; `useApiPages` gives them. */
interface RowPages<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly retry: () => void;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly isLoadingMore: boolean;
}

export interface DataTableProps<Row> {
  /** Read aloud. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while nothing is loaded. */
  readonly rows?: readonly Row[] | undefined;
  readonly error?: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly hasMore?: boolean;
  readonly onMore?: () => void;
  readonly isLoadingMore?: boolean;
  /** Instead of those six. */
  readonly pages?: RowPages<Row>;
  readonly rowId: (row: Row) => string;
  /** What is shown without rows; an `EmptyState`. */
  readonly empty?: ReactNode;
  /** The page of a row. Give the first column's text, too: it becomes the link for keyboards. */
  readonly rowTo?: ((row: Row) => string | undefined) | undefined;
  /** Called when a row is pressed; instead of `rowTo`. */
  readonly onRow?: ((row: Row) => void) | undefined;
  readonly initialSort?: { readonly id: string; readonly desc: boolean };
  /** The name in the URL that keeps the order the reader chose; absent: the table keeps it itself. */
  readonly sortIn?: string;
  /** Number of grey bars shown while rows load. */
  readonly skeletonRows?: number;
  /** Cells beside each other in a card on phones: three where all are short figures. Absent: two. */
  readonly cardCells?: 2 | 3;
  /** Cards are tall on phones: fewer of them are shown at once. Absent: they are with many columns. */
  readonly hasTallCards?: boolean;
}

/** Pages, as if their parts had been given. */
function fromPages<Row>({ pages, ...props }: DataTableProps<Row>): DataTableProps<Row> {
  if (pages === undefined) return props;
  return { ...props, ...pages, onRetry: pages.retry, onMore: pages.loadMore };
}

/** A row of more columns than this is a tall card on phones. */
const tallColumns = 9;

/** See `DataTableProps`. */
export function DataTable<Row extends object>(given: DataTableProps<Row>) {
  const props = fromPages(given);
  const t = useMessages(uiMessages);
  // Of a list that goes on, the loaded part alone cannot be in order.
  const canSort = props.hasMore !== true;
  const { rows, sorting, turn } = useSorting(props, canSort);
  const { hasTallCards = props.columns.length > tallColumns } = props;
  const cards = useCards(rows.length, hasTallCards ? "tall" : "low");
  if (props.rows === undefined && props.error !== undefined && props.error !== null) {
    return <ErrorState error={props.error} onRetry={props.onRetry} />;
  }
  if (props.rows !== undefined && props.rows.length === 0) {
    return props.empty ?? <EmptyState title={t("noMatches")} />;
  }
  return (
    <div className="min-w-0">
      <div className="relative overflow-x-auto">
        <table className="w-full border-collapse text-left max-sm:block" aria-label={props.label}>
          <thead className="max-sm:sr-only">
            <tr>
              {props.columns.map((column) => (
                <HeadCell
                  key={column.id}
                  column={column}
                  sort={
                    canSort && column.sortBy !== undefined
                      ? { direction: directionOf(sorting, column.id), turn: () => turn(column) }
                      : undefined
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody className="max-sm:block">
            {props.rows === undefined ? (
              <SkeletonRows columns={props.columns} count={props.skeletonRows ?? 6} />
            ) : (
              rows
                .slice(0, cards.shown)
                .map((row) => <BodyRow key={props.rowId(row)} row={row} table={props} />)
            )}
          </tbody>
          {props.rows !== undefined && props.columns.some(({ foot }) => foot !== undefined) && (
            <FootRow columns={props.columns} cells={props.cardCells} />
          )}
        </table>
      </div>
      {cards.next > 0 ? (
        <div className="flex justify-center border-t border-line p-3">
          <Button size="small" onClick={cards.showMore}>
            {t("showMore", { count: cards.next })}
          </Button>
        </div>
      ) : (
        props.hasMore === true && (
          <div className="flex justify-center border-t border-line p-3">
            <Button size="small" busy={props.isLoadingMore === true} onClick={props.onMore}>
              {props.isLoadingMore === true ? t("loadingMore") : t("loadMore")}
            </Button>
          </div>
        )
      )}
    </div>
  );
}

const cardClasses = {
  2: "max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3",
  3: "max-sm:grid max-sm:grid-cols-3 max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3",
};

interface FootRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly cells: 2 | 3 | undefined;
}

function FootRow<Row>({ columns, cells = 2 }: FootRowProps<Row>) {
  return (
    <tfoot className="max-sm:block">
      <tr className={classNames("font-medium", cardClasses[cells])}>
        {columns.map((column, at) => (
          <BodyCell
            key={column.id}
            column={column.foot === undefined ? { ...column, phone: "none" } : column}
            isFirst={at === 0}
          >
            {column.foot}
          </BodyCell>
        ))}
      </tr>
    </tfoot>
  );
}

interface Sort {
  readonly direction: "asc" | "desc" | false;
  readonly turn: () => void;
}

function directionOf(sorting: Sorting | null, id: string): Sort["direction"] {
  if (sorting?.id !== id) return false;
  return sorting.desc ? "desc" : "asc";
}

function HeadCell<Row>({ column, sort }: { readonly column: Column<Row>; readonly sort: Sort | undefined }) {
  const t = useMessages(uiMessages);
  const isEnd = column.align === "end";
  const ariaSort =
    sort === undefined || sort.direction === false
      ? undefined
      : sort.direction === "asc"
        ? "ascending"
        : "descending";
  const Arrow = sort?.direction === "asc" ? ArrowUp : sort?.direction === "desc" ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={ariaSort}
      className={classNames(
        "border-b border-line px-3 py-2 align-bottom text-small font-medium wrap-normal break-keep text-muted first:pl-5 last:pr-5",
        isEnd && "text-right",
        column.className,
      )}
    >
      {column.header === "" && <span className="sr-only">{t("acts")}</span>}
      {sort === undefined ? (
        column.header
      ) : (
        <button
          type="button"
          title={t("sortBy", { what: column.header })}
          onClick={sort.turn}
          className={classNames(
            "inline-flex items-center gap-1 rounded hover:text-ink",
            isEnd && "flex-row-reverse",
          )}
        >
          {column.header}
          <Arrow aria-hidden className={classNames("size-3.5", sort.direction === false && "opacity-50")} />
        </button>
      )}
    </th>
  );
}

interface BodyRowProps<Row> {
  readonly row: Row;
  readonly table: DataTableProps<Row>;
}

/** Rows that say the same are not drawn again when more are loaded. */
const BodyRow = memo(
  PlainRow,
  (former, next) =>
    former.row === next.row &&
    former.table.columns === next.table.columns &&
    former.table.onRow === next.table.onRow &&
    former.table.rowTo?.(former.row) === next.table.rowTo?.(next.row),
) as typeof PlainRow;

function PlainRow<Row>({ row, table }: BodyRowProps<Row>) {
  const go = useGo();
  const to = table.rowTo?.(row);
  const open = to !== undefined ? () => go(to) : table.onRow && (() => table.onRow?.(row));
  const onClick =
    open &&
    ((event: MouseEvent<HTMLElement>) => {
      // Presses in a menu or dialog that a cell opened come by here, too, though
      // they lie elsewhere in the document.
      if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return;
      const pressed = event.target.closest("a, button, input, label, select");
      const isSelecting = (window.getSelection()?.toString() ?? "") !== "";
      if (!pressed && !isSelecting) open();
    });
  return (
    <tr
      onClick={onClick || undefined}
      className={classNames(
        cardClasses[table.cardCells ?? 2],
        "max-sm:border-b max-sm:border-line max-sm:last:border-b-0 sm:not-last:*:border-b sm:*:border-line",
        open && "cursor-pointer hover:bg-hover",
      )}
    >
      {table.columns.map((column, at) => (
        <BodyCell key={column.id} column={column} isFirst={at === 0}>
          <Opening isFirst={at === 0} to={to} onRow={table.onRow && (() => table.onRow?.(row))}>
            {column.cell(row)}
          </Opening>
        </BodyCell>
      ))}
    </tr>
  );
}

interface BodyCellProps<Row> {
  readonly column: Column<Row>;
  readonly isFirst: boolean;
  readonly children: ReactNode;
}

function BodyCell<Row>({ column, isFirst, children }: BodyCellProps<Row>) {
  const phone = column.phone ?? (isFirst ? "head" : "line");
  return (
    <td
      className={classNames(
        "align-middle sm:px-3 sm:py-2.5 sm:first:pl-5 sm:last:pr-5",
        column.align === "end" && "sm:text-right",
        phone === "none" && "max-sm:hidden",
        phone === "head" && "max-sm:col-span-full max-sm:block max-sm:font-medium",
        phone === "line" && "max-sm:block max-sm:min-w-0",
        column.className,
      )}
    >
      {phone === "line" && (
        <span aria-hidden className="block text-tiny text-muted sm:hidden">
          {column.header}
        </span>
      )}
      <span className="min-w-0">{children}</span>
    </td>
  );
}

interface OpeningProps {
  readonly isFirst: boolean;
  readonly to: string | undefined;
  readonly onRow: (() => void) | undefined;
  readonly children: ReactNode;
}

function Opening({ isFirst, to, onRow, children }: OpeningProps) {
  if (!isFirst || (to === undefined && onRow === undefined)) return children;
  if (to !== undefined) {
    return (
      <PageLink to={to} className="font-medium hover:text-accent">
        {children}
      </PageLink>
    );
  }
  return (
    <button type="button" onClick={onRow} className="text-left font-medium hover:text-accent">
      {children}
    </button>
  );
}

function SkeletonRows<Row>({
  columns,
  count,
}: {
  readonly columns: readonly Column<Row>[];
  readonly count: number;
}) {
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: grey bars have only their place.
    <tr key={at} className="max-sm:block max-sm:px-4 max-sm:py-3">
      {columns.map((column, column_at) => (
        <td key={column.id} className={column_at === 0 ? "p-3 sm:pl-5 max-sm:block" : "p-3 max-sm:hidden"}>
          <Skeleton className="h-4 w-full max-w-32" />
        </td>
      ))}
    </tr>
  ));
}
