/** How long requests took: a histogram of all, and percentiles by group. Never only a mean. */
import { useMemo } from "react";
import { latencyMessages } from "../../../i18n/en/latency.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useMessages } from "../../../i18n/messages.ts";
import type { Column } from "../../../ui/data-table.tsx";
import { type Figure, FigureTable } from "../../../ui/figure-table.tsx";
import { TokenCount } from "../../../ui/figures.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import { MaybeDuration } from "../../requests/cells.tsx";
import { Histogram } from "../histogram.tsx";
import { SampleNote } from "../percentiles.tsx";
import type { LatencyGroup as Group, Latency } from "../use-latency.ts";
import { useLabels } from "./labels.ts";
import type { ExploreBy } from "./shown.ts";

export interface LatencyCardsProps {
  readonly by: ExploreBy;
  readonly answer: Latency | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The requests of a group. */
  readonly rowTo: (group: Group) => string | undefined;
}

/** Percentiles in the table. */
const shares = [50, 95, 99] as const;

function useFigures(isSample: boolean): readonly Figure<Group>[] {
  const t = useMessages(explorerMessages);
  const tLatency = useMessages(latencyMessages);
  return useMemo(() => {
    const time = (kind: "firstToken" | "duration", share: (typeof shares)[number]): Figure<Group> => ({
      id: `${kind}${share}`,
      header: tLatency(`${kind}Of`, { percentile: `p${share}` }),
      sortBy: (group) => group[kind][`p${share}`],
      cell: (group) => <MaybeDuration ms={group[kind][`p${share}`]} />,
    });
    return [
      {
        id: "count",
        header: isSample ? tLatency("inSample") : t("requests"),
        sortBy: ({ duration }) => duration.count,
        cell: ({ duration }) => <TokenCount value={duration.count} exact />,
      },
      ...shares.map((share) => time("firstToken", share)),
      ...shares.map((share) => time("duration", share)),
    ];
  }, [isSample, t, tLatency]);
}

/** See the file's comment. */
export function LatencyCards({ by, answer, error, onRetry, rowTo }: LatencyCardsProps) {
  const t = useMessages(explorerMessages);
  const tLatency = useMessages(latencyMessages);
  const labelOf = useLabels();
  const figures = useFigures((answer?.sample ?? null) !== null);
  const name = useMemo(
    (): Column<Group> => ({
      id: "group",
      header: t(`by.${by}`),
      cell: (group) => <bdi className="block max-w-72 truncate">{labelOf(by, group, 1)}</bdi>,
      sortBy: (group) => labelOf(by, group, 1),
    }),
    [by, t, labelOf],
  );
  if (answer === undefined && error !== null) {
    return (
      <Card>
        <ErrorState error={error} onRetry={onRetry} />
      </Card>
    );
  }
  return (
    <>
      <SampleNote sample={answer?.sample} />
      <div className="grid gap-4 lg:grid-cols-2">
        {(["firstToken", "duration"] as const).map((kind) =>
          answer === undefined ? (
            <Card key={kind} title={tLatency(kind)}>
              <Skeleton className="h-64 w-full" />
            </Card>
          ) : (
            <Card key={kind} title={tLatency(kind)}>
              <Histogram title={tLatency(kind)} times={answer.all[kind]} buckets={answer.histograms[kind]} />
            </Card>
          ),
        )}
      </div>
      <Card flush title={t("latencyTitle", { by: t(`by.${by}`).toLocaleLowerCase("en") })}>
        <FigureTable
          label={t("latencyTitle", { by: t(`by.${by}`).toLocaleLowerCase("en") })}
          name={name}
          figures={figures}
          cardCells={3}
          hasTallCards
          rows={answer?.groups}
          rowId={({ id }) => `${by}:${id}`}
          rowTo={rowTo}
          empty={<EmptyState title={t("emptyTitle")}>{t("emptyText")}</EmptyState>}
        />
      </Card>
    </>
  );
}
