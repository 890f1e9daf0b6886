/** How long requests took: a histogram of all, and percentiles by group. Never only a mean. */
import { useMemo } from "react";
import type { Answer } from "../../../api/routes.ts";
import { formatDuration } from "../../../format/time.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { TokenCount } from "../../../ui/figures.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import { MaybeDuration } from "../../requests/cells.tsx";
import { useLabels } from "./labels.ts";
import type { ExploreBy } from "./shown.ts";

type Latency = Answer<"get /usage/latency">;
type Group = Latency["groups"][number];

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

/**
 * Bars of a histogram, each with its count; a line for each percentile would say less than the table below.
 */
function Histogram({
  title,
  times,
  buckets,
}: {
  readonly title: string;
  readonly times: Latency["all"]["duration"];
  readonly buckets: Latency["histograms"]["duration"];
}) {
  const t = useMessages(explorerMessages);
  const language = useLanguage();
  const highest = Math.max(1, ...buckets.map(({ count }) => count));
  const write = (ms: number) => formatDuration(ms, language);
  return (
    <Card title={title}>
      {times.count === 0 ? (
        <EmptyState title={t("noTimes")} />
      ) : (
        <>
          <dl className="mb-4 flex flex-wrap gap-x-6 gap-y-1">
            {(["p50", "p75", "p90", "p95", "p99"] as const).map((name) => (
              <div key={name} className="flex items-baseline gap-1.5">
                <dt className="text-small text-muted">{t("percentile", { share: name.slice(1) })}</dt>
                <dd className="font-medium">
                  <MaybeDuration ms={times[name]} />
                </dd>
              </div>
            ))}
          </dl>
          <ol aria-label={t("histogramOf", { what: title })} className="flex flex-col gap-1 text-small">
            {buckets.map(({ fromMs, toMs, count }) => (
              <li key={fromMs} className="grid grid-cols-[9rem_1fr_3.5rem] items-center gap-2">
                <span className="figures text-right whitespace-nowrap text-muted">
                  {t("bucket", { from: write(fromMs), to: write(toMs) })}
                </span>
                <span aria-hidden className="h-3.5 overflow-hidden rounded-sm bg-sunken">
                  <span
                    className="block h-full rounded-sm"
                    style={{ width: `${(count / highest) * 100}%`, background: "var(--series-1)" }}
                  />
                </span>
                <span title={t("histogramCount", { count })} className="figures">
                  <TokenCount value={count} />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Card>
  );
}

function useColumns(by: ExploreBy): Column<Group>[] {
  const t = useMessages(explorerMessages);
  const labelOf = useLabels();
  return useMemo(() => {
    const timeColumn = (kind: "firstToken" | "duration", share: (typeof shares)[number]): Column<Group> => ({
      id: `${kind}${share}`,
      header: t(kind === "duration" ? "durationOf" : "firstTokenOf", { share }),
      align: "end",
      sortBy: (group) => group[kind][`p${share}`],
      cell: (group) => <MaybeDuration ms={group[kind][`p${share}`]} />,
    });
    return [
      {
        id: "group",
        header: t(`by.${by}`),
        cell: (group) => <bdi className="block max-w-72 truncate">{labelOf(by, group, 1)}</bdi>,
        sortBy: (group) => labelOf(by, group, 1),
      },
      {
        id: "count",
        header: t("requests"),
        align: "end",
        sortBy: ({ duration }) => duration.count,
        cell: ({ duration }) => <TokenCount value={duration.count} exact />,
      },
      ...shares.map((share) => timeColumn("firstToken", share)),
      ...shares.map((share) => timeColumn("duration", share)),
    ];
  }, [by, t, labelOf]);
}

/** See the file's comment. */
export function LatencyCards({ by, answer, error, onRetry, rowTo }: LatencyCardsProps) {
  const t = useMessages(explorerMessages);
  const columns = useColumns(by);
  if (answer === undefined && error !== null) {
    return (
      <Card>
        <ErrorState error={error} onRetry={onRetry} />
      </Card>
    );
  }
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        {(["firstToken", "duration"] as const).map((kind) =>
          answer === undefined ? (
            <Card key={kind} title={t(kind)}>
              <Skeleton className="h-64 w-full" />
            </Card>
          ) : (
            <Histogram
              key={kind}
              title={t(kind)}
              times={answer.all[kind]}
              buckets={answer.histograms[kind]}
            />
          ),
        )}
      </div>
      <Card flush title={t("latencyTitle", { by: t(`by.${by}`).toLocaleLowerCase("en") })}>
        <DataTable
          label={t("latencyTitle", { by: t(`by.${by}`).toLocaleLowerCase("en") })}
          columns={columns}
          rows={answer?.groups}
          rowId={({ id }) => `${by}:${id}`}
          rowTo={rowTo}
          empty={<EmptyState title={t("emptyTitle")}>{t("emptyText")}</EmptyState>}
        />
      </Card>
    </>
  );
}
