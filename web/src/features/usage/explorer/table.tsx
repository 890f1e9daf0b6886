/**
 * The groups of a period: figures, share, change to the period before, trend; a row leads to its requests.
 */
import { useMemo } from "react";
import { formatShare } from "../../../format/count.ts";
import { nanosOf } from "../../../format/money.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import type { Column } from "../../../ui/data-table.tsx";
import { type Figure, FigureTable } from "../../../ui/figure-table.tsx";
import { Money, Percent, TokenCount } from "../../../ui/figures.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import type { FigureFilter } from "../../requests/query.ts";
import type { Scope } from "../use-latency.ts";
import {
  type Change,
  changeOf,
  type Explored,
  type ExploreMeasure,
  figureOf,
  heightOf,
  type Line,
  linesOf,
  shareOf,
  spanFigures,
} from "./groups.ts";
import { useLabels } from "./labels.ts";
import { Sparkline } from "./sparkline.tsx";
import { groupFilter, groupLink } from "./state.ts";

export interface ExplorerTableProps {
  readonly scope: Scope;
  readonly answer: Explored | undefined;
  readonly measure: ExploreMeasure;
  readonly rowFilter: FigureFilter;
}

/** How a figure changed; more is not good or bad by itself, so it has no colour. */
export function ChangeText({ change }: { readonly change: Change }) {
  const t = useMessages(explorerMessages);
  const language = useLanguage();
  if (change.kind === "none") return <span className="text-faint">–</span>;
  if (change.kind === "new") return <span>{t("changeNew")}</span>;
  const sign = change.share > 0 ? "+" : change.share < 0 ? "−" : "";
  return (
    <span className="figures whitespace-nowrap">
      {sign}
      {formatShare(Math.abs(change.share), language)}
    </span>
  );
}

/** An amount of cost or margin, and that part of it is not known. */
export function Partly({
  numbers,
  field,
}: {
  readonly numbers: Line["sums"]["total"];
  readonly field: "cost" | "margin";
}) {
  const t = useMessages(explorerMessages);
  if (!("cost" in numbers)) return null;
  const { requests, withoutCost } = numbers;
  if (withoutCost === 0) return <Money value={numbers[field]} />;
  if (withoutCost === requests) return <Money value={null} />;
  return (
    <span title={t("costUnknown", { count: withoutCost })} className="whitespace-nowrap">
      {field === "margin" ? "≤ " : "≥ "}
      <Money value={numbers[field]} />
    </span>
  );
}

/** One line for the whole. */
const wholeOf = ({ all }: Explored): Line => ({ group: undefined, groups: 0, sums: all });

/** A sparkline of each row. */
function trendOf(header: string, measure: ExploreMeasure): Column<Line> {
  return {
    id: "trend",
    header,
    phone: "none",
    cell: ({ sums }) => <Sparkline values={spanFigures(sums, measure).map(heightOf)} />,
  };
}

function useFigures(whole: Line | undefined, measure: ExploreMeasure, scope: Scope): readonly Figure<Line>[] {
  const t = useMessages(explorerMessages);
  return useMemo(() => {
    const share = (line: Line) =>
      whole && shareOf(figureOf(line.sums.total, measure), figureOf(whole.sums.total, measure));
    const change = ({ sums }: Line) =>
      changeOf(figureOf(sums.total, measure), figureOf(sums.previous, measure));
    const costs = (["cost", "margin"] as const).map(
      (field): Figure<Line> => ({
        id: field,
        header: t(field),
        cell: (line) => <Partly numbers={line.sums.total} field={field} />,
        sortBy: ({ sums: { total } }) => ("cost" in total ? nanosOf(total[field]) : undefined),
      }),
    );
    return [
      {
        id: "charge",
        header: t("charge"),
        cell: ({ sums }) => <Money value={sums.total.charge} />,
        sortBy: ({ sums }) => nanosOf(sums.total.charge),
      },
      ...(scope === "operator" ? costs : []),
      {
        id: "requests",
        header: t("requests"),
        cell: ({ sums }) => <TokenCount value={sums.total.requests} exact />,
        sortBy: ({ sums }) => sums.total.requests,
      },
      {
        id: "tokens",
        header: t("tokens"),
        cell: ({ sums }) => <TokenCount value={Number(figureOf(sums.total, "tokens"))} />,
        sortBy: ({ sums }) => Number(figureOf(sums.total, "tokens")),
      },
      {
        id: "share",
        header: t("share"),
        cell: (line) => <ShareCell share={share(line)} />,
        sortBy: share,
        hasFoot: false,
      },
      {
        id: "change",
        header: t("change"),
        cell: (line) => <ChangeText change={change(line)} />,
        sortBy: (line) => {
          const found = change(line);
          return found.kind === "share" ? found.share : undefined;
        },
      },
    ];
  }, [whole, measure, scope, t]);
}

function ShareCell({ share }: { readonly share: number | undefined }) {
  if (share === undefined) return <span className="text-faint">–</span>;
  return (
    <span className="inline-flex items-center justify-end gap-2">
      <span
        aria-hidden
        className="h-1.5 w-14 overflow-hidden rounded-full bg-sunken max-sm:hidden dark:bg-hover"
      >
        <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="sm:w-14">
        <Percent value={share} />
      </span>
    </span>
  );
}

/** See the file's comment. */
export function ExplorerTable({ scope, answer, measure, rowFilter }: ExplorerTableProps) {
  const t = useMessages(explorerMessages);
  const labelOf = useLabels();
  const by = answer?.by ?? "model";
  const whole = useMemo(() => answer && wholeOf(answer), [answer]);
  const figures = useFigures(whole, measure, scope);
  const name = useMemo(
    (): Column<Line> => ({
      id: "group",
      header: t(`by.${by}`),
      cell: (line) => <bdi className="block max-w-72 truncate">{labelOf(by, line.group, line.groups)}</bdi>,
      sortBy: (line) => labelOf(by, line.group, line.groups),
    }),
    [by, t, labelOf],
  );
  const trend = useMemo(() => trendOf(t("trend"), measure), [t, measure]);
  const total = useMemo(() => whole && { label: t("total"), row: whole }, [t, whole]);
  const rows = useMemo(() => answer && linesOf(answer), [answer]);
  return (
    <Card flush>
      <FigureTable
        label={t(`by.${by}`)}
        name={name}
        picture={trend}
        figures={figures}
        cardCells={3}
        hasTallCards
        whole={total}
        rows={rows}
        rowId={({ group, groups }) =>
          `${by}:${group?.id ?? `others ${groups}`}:${labelOf(by, group, groups)}`
        }
        rowTo={({ group }) => group && groupLink(scope, rowFilter, groupFilter(by, group))}
        empty={<EmptyState title={t("emptyTitle")}>{t("emptyText")}</EmptyState>}
      />
    </Card>
  );
}
