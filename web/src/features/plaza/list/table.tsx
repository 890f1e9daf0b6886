/**
 * The models found as a table: the name stays at the left while the columns scroll, the heads stay at the top
 * while the rows do, and only rows in view are drawn. Orders are the list's, in the URL.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { memo, useRef } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { classNames } from "../../../ui/class-names.ts";
import { Checkbox } from "../../../ui/inputs/choices.tsx";
import { PageLink } from "../../../ui/navigation.tsx";
import { MakerLogo } from "../makers/maker-logo.tsx";
import { makerOf } from "../makers/makers.ts";
import { Deprecation, Operations } from "../model-facts.tsx";
import { modelPath, type PlazaModel } from "../models.ts";
import { type ColumnName, useColumns } from "./chosen-columns.ts";
import { useColumnName } from "./column-names.ts";
import { columnOf, IdCell } from "./columns.tsx";
import { isAscending, nextOrder, orderOf, type SortName } from "./order.ts";
import { printedRows, useIsPrinting } from "./printing.ts";

/** Up to so many are all drawn, so that the browser's own search finds them. */
const wholeMax = 200;
/** Height of a row before it is measured, in pixels. */
const guessedPx = 61;
const nameRem = 15.5;

export interface PlazaTableProps {
  readonly models: readonly PlazaModel[];
  readonly compared: readonly string[];
  /** No more can be marked. */
  readonly isFull: boolean;
  readonly onCompare: (id: string, isCompared: boolean) => void;
  /** As the URL has it. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** See above. */
export function PlazaTable(props: PlazaTableProps) {
  const { models, sort, onSort } = props;
  const t = useMessages(plazaMessages);
  const columns = useColumns();
  const isPrinting = useIsPrinting();
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: models.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => guessedPx,
    overscan: models.length <= wholeMax ? models.length : 12,
  });
  const drawn = isPrinting
    ? models.slice(0, printedRows).map((_, index) => ({ index, start: 0, end: 0 }))
    : rows.getVirtualItems();
  const before = isPrinting ? 0 : (drawn[0]?.start ?? 0);
  const after = isPrinting ? 0 : rows.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  const widthRem = columns.reduce((sum, name) => sum + columnOf(name).widthRem, nameRem);
  return (
    <section
      ref={scroller}
      aria-label={t("title")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
      tabIndex={0}
      className="relative max-h-[max(24rem,calc(100dvh-6rem))] overflow-auto rounded-xl border border-line bg-surface shadow-card print:max-h-none print:overflow-visible"
    >
      <table
        aria-label={t("title")}
        aria-rowcount={models.length + 1}
        className="figures w-full table-fixed border-separate border-spacing-0 text-left"
        style={{ minWidth: `${widthRem}rem` }}
      >
        <colgroup>
          <col className="w-[11rem] sm:w-[15.5rem]" />
          {columns.map((name) => (
            <col key={name} style={{ width: `${columnOf(name).widthRem}rem` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <HeadCell name="name" sort={sort} onSort={onSort} />
            {columns.map((name) => (
              <HeadCell key={name} name={name} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space px={before} columns={columns.length + 1} />
          {drawn.map(({ index }) => {
            const model = models[index];
            if (model === undefined) return null;
            return (
              <Row
                key={model.id}
                model={model}
                index={index}
                columns={columns}
                measure={rows.measureElement}
                isCompared={props.compared.includes(model.id)}
                isFull={props.isFull}
                onCompare={props.onCompare}
              />
            );
          })}
          <Space px={after} columns={columns.length + 1} />
        </tbody>
      </table>
    </section>
  );
}

/** Stands for the rows that are not drawn. */
function Space({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row cannot be focused.
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: px, padding: 0 }} />
    </tr>
  );
}

interface HeadCellProps {
  readonly name: SortName;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function HeadCell({ name, sort, onSort }: HeadCellProps) {
  const t = useMessages(uiMessages);
  const label = useColumnName()(name);
  const order = orderOf(sort);
  const isSorted = order?.name === name;
  const isUp = order !== undefined && isAscending(order);
  const Arrow = !isSorted ? ChevronsUpDown : isUp ? ArrowUp : ArrowDown;
  const isFigure = name !== "name" && columnOf(name).isFigure === true;
  return (
    <th
      scope="col"
      aria-sort={!isSorted ? undefined : isUp ? "ascending" : "descending"}
      className={classNames(
        "sticky top-0 z-10 border-b border-line bg-surface px-2 py-2 last:pr-4 align-bottom text-small font-medium text-muted print:static",
        isFigure && "text-right",
        name === "name" && "left-0 z-20 border-r pl-4",
      )}
    >
      <button
        type="button"
        title={t("sortBy", { what: label })}
        onClick={() => onSort(nextOrder(sort, name))}
        className={classNames(
          "inline-flex items-center gap-1 rounded hover:text-ink",
          isFigure && "flex-row-reverse text-right",
          !isFigure && "text-left",
        )}
      >
        {label}
        <Arrow aria-hidden className={classNames("size-3.5 shrink-0", !isSorted && "opacity-50")} />
      </button>
    </th>
  );
}

interface RowProps {
  readonly model: PlazaModel;
  readonly index: number;
  readonly columns: readonly ColumnName[];
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly isCompared: boolean;
  readonly isFull: boolean;
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** Drawn again only when its model, its mark or the columns change. */
const Row = memo(function Row({ model, index, columns, measure, ...compare }: RowProps) {
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2} className="group">
      <th
        scope="row"
        className="sticky left-0 z-[1] border-r border-b border-line bg-surface py-2 pr-3 pl-4 align-middle font-normal group-hover:bg-hover print:static"
      >
        <NameCell model={model} hasId={!columns.includes("id")} {...compare} />
      </th>
      {columns.map((name) => {
        const { isFigure, cell } = columnOf(name);
        return (
          <td
            key={name}
            className={classNames(
              "border-b border-line px-2 py-2 last:pr-4 align-middle group-hover:bg-hover",
              isFigure === true && "text-right",
            )}
          >
            {cell(model)}
          </td>
        );
      })}
    </tr>
  );
});

interface NameCellProps extends Pick<RowProps, "model" | "isCompared" | "isFull" | "onCompare"> {
  /** The id stands below the name. */
  readonly hasId: boolean;
}

function NameCell({ model, hasId, isCompared, isFull, onCompare }: NameCellProps) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const isLocked = isFull && !isCompared;
  return (
    <span className="flex items-center gap-2.5">
      <span className="print:hidden" title={isLocked ? tList("compareFull") : undefined}>
        <Checkbox
          label={<span className="sr-only">{t("compareThis", { name: model.name })}</span>}
          value={isCompared}
          disabled={isLocked}
          onChange={(is) => onCompare(model.id, is)}
        />
      </span>
      <span className="max-sm:hidden">
        <MakerLogo name={makerOf(model)?.name ?? null} size="small" />
      </span>
      <span className="min-w-0">
        <PageLink
          to={modelPath(model.id)}
          title={model.name}
          dir="auto"
          className="line-clamp-2 font-medium hover:text-accent"
        >
          {model.name}
        </PageLink>
        {hasId && (
          <span className="block text-small text-muted">
            <IdCell id={model.id} isBelow />
          </span>
        )}
        <span className="flex flex-wrap gap-1">
          <Operations model={model} />
          <Deprecation at={model.deprecatedAt} />
        </span>
      </span>
    </span>
  );
}
