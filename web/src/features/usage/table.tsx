/**
 * Usage as a table: one row for each day, model, key or account, with the same
 * figures as the chart. Knows no route.
 */
import { type ReactNode, useMemo, useState } from "react";
import { compareMoney, nanosOf } from "../../format/money.ts";
import { latencyMessages } from "../../i18n/en/latency.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { type Figure, FigureTable } from "../../ui/figure-table.tsx";
import { Money, TokenCount } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { MaybeCount } from "../requests/cells.tsx";
import { Percentiles } from "./percentiles.tsx";
import type { UsageRow } from "./series.ts";
import type { Latencies } from "./use-latency.ts";

export interface UsageTableProps<Row extends UsageRow> {
  readonly label: string;
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly rowId: (row: Row) => string;
  /** The header and the name of a row; sorted by what `sortBy` gives. */
  readonly name: {
    readonly header: string;
    readonly cell: (row: Row) => ReactNode;
    readonly sortBy: (row: Row) => string;
  };
  readonly latencies: Latencies;
  /** The group of `latencies` that a row is. */
  readonly idOf: (row: Row) => string;
  /** The rows behind a row. */
  readonly rowTo: (row: Row) => string;
  /** Newest day first, or the highest charge first. */
  readonly order: "name" | "charge";
  /** Further columns, as the operator's cost. */
  readonly extra?: readonly Figure<Row>[];
}

/** Rows drawn at first, and added by each press. */
const step = 100;

type TranslateUsage = Translate<KeyOf<typeof usageMessages>>;

function figuresOf<Row extends UsageRow>(
  t: TranslateUsage,
  tLatency: Translate<KeyOf<typeof latencyMessages>>,
  { idOf, latencies: { of, state, answer } }: Pick<UsageTableProps<Row>, "idOf" | "latencies">,
): readonly Figure<Row>[] {
  const count = (id: keyof Row & KeyOf<typeof usageMessages> & string, isWide = false): Figure<Row> => ({
    id,
    header: t(id),
    sortBy: (row) => row[id] as number,
    cell: (row) => <MaybeCount value={row[id] as number} />,
    ...(isWide ? { className: "max-2xl:hidden" } : {}),
  });
  const times = (id: "firstToken" | "duration"): Figure<Row> => ({
    id,
    header: tLatency(`${id}Short`),
    sortBy: (row) => of(idOf(row))?.[id].p95 ?? null,
    cell: (row) => (
      <Percentiles
        state={state}
        times={of(idOf(row))?.[id]}
        meanMs={row[`${id}Ms`]}
        isSample={(answer?.sample ?? null) !== null}
        {...(id === "duration" ? { of: row.complete } : {})}
      />
    ),
    className: "max-xl:hidden",
  });
  return [
    {
      id: "requests",
      header: t("requests"),
      sortBy: (row) => row.requests,
      cell: (row) => <TokenCount value={row.requests} exact />,
    },
    count("failed", true),
    count("inputTokens"),
    count("cachedInputTokens"),
    count("cacheWriteTokens", true),
    count("outputTokens"),
    count("reasoningTokens", true),
    {
      id: "charge",
      header: t("charge"),
      sortBy: (row) => nanosOf(row.charge),
      cell: (row) => <Money value={row.charge} />,
    },
    times("firstToken"),
    times("duration"),
  ];
}

/** See `UsageTableProps`. */
export function UsageTable<Row extends UsageRow>(props: UsageTableProps<Row>) {
  const t = useMessages(usageMessages);
  const tLatency = useMessages(latencyMessages);
  const [shownMax, setShownMax] = useState(step);
  const { name, extra, rows, order, idOf, latencies } = props;
  const figures = useMemo(
    () => [...figuresOf<Row>(t, tLatency, { idOf, latencies }), ...(extra ?? [])],
    [t, tLatency, idOf, latencies, extra],
  );
  const first = useMemo(() => ({ id: "name", ...name }), [name]);
  const sorted = useMemo(
    () =>
      rows?.toSorted((left, right) =>
        order === "charge"
          ? compareMoney(right.charge, left.charge) || right.requests - left.requests
          : name.sortBy(right).localeCompare(name.sortBy(left)),
      ),
    [rows, order, name],
  );
  const shown = useMemo(() => sorted?.slice(0, shownMax), [sorted, shownMax]);
  return (
    <FigureTable
      label={props.label}
      name={first}
      figures={figures}
      rows={shown}
      rowId={props.rowId}
      rowTo={props.rowTo}
      error={props.error}
      onRetry={props.onRetry}
      hasMore={sorted !== undefined && sorted.length > shownMax}
      onMore={() => setShownMax(shownMax + step)}
      empty={<EmptyState title={t("emptyTitle")}>{t("emptyText")}</EmptyState>}
    />
  );
}
