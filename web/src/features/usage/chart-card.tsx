/** The chart of the usage page with its measure and its stacking; asks for what the stacking needs. */
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import { RadioGroup, Select } from "../../ui/inputs/choices.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { type Stack, UsageChart } from "./chart.tsx";
import { LatencyChart } from "./latency-chart.tsx";
import { chartOf, measures, type Named, type Split, splitsOf, topOf, type UsageRow } from "./series.ts";
import type { Latencies } from "./use-latency.ts";
import { daysOfAnswer, type UsageView } from "./view.ts";

export interface ChartCardProps {
  readonly view: UsageView;
  /** By day; undefined while it loads. */
  readonly total: Answer<"get /usage"> | undefined;
  /** By day. */
  readonly latencies: Latencies;
  readonly measure: string;
  readonly split: string;
  readonly set: (changes: { measure?: string; split?: string }) => void;
}

/** Fields by which the API splits days. */
const daysBy = { model: "day-model", key: "day-key", operation: "day-operation" } as const;
type Thing = keyof typeof daysBy;

const ids: Readonly<Record<Thing, (row: UsageRow) => string | null>> = {
  model: (row) => row.model,
  key: (row) => row.key,
  operation: (row) => row.operation,
};

const isThing = (split: Split): split is Thing => split in daysBy;

/** The items of a split and their rows; undefined when there is no such split or it is still loading. */
function useStack(view: UsageView, split: Split) {
  const t = useMessages(usageMessages);
  const tOperation = useMessages(operationMessages);
  const by = isThing(split) ? split : undefined;
  const all = useApiQuery(
    "get /usage",
    { query: { ...view.query, by: by ?? "model" } },
    { enabled: by !== undefined },
  );
  const things = useMemo(() => {
    if (by === undefined || all.data === undefined) return undefined;
    return topOf(all.data.rows, (row): Named => {
      if (by === "model") return { id: row.model ?? "", label: row.model || t("noModel") };
      if (row.operation !== null)
        return { id: row.operation, label: tOperation(`operation.${row.operation}`) };
      return { id: row.key ?? "", label: row.keyName ?? t("namelessKey", { id: row.key ?? "" }) };
    });
  }, [by, all.data, t, tOperation]);
  const parts = useApiQuery(
    "get /usage",
    {
      query: {
        ...view.query,
        by: daysBy[by ?? "model"],
        ...(by === undefined ? {} : { [by]: things?.map(({ id }) => id) ?? [] }),
      },
    },
    { enabled: things !== undefined && things.length > 0 },
  );
  const stack = useMemo((): Stack | undefined => {
    if (by === undefined || things === undefined) return undefined;
    if (things.length === 0) return { things, rows: [], idOf: ids[by] };
    return parts.data && { things, rows: parts.data.rows, idOf: ids[by] };
  }, [by, things, parts.data]);
  return {
    stack,
    isNeeded: by !== undefined,
    error: all.error ?? parts.error,
    retry: () => void Promise.all([all.refetch(), parts.refetch()]),
  };
}

/** See above. */
export function ChartCard({
  view,
  total,
  latencies,
  measure: givenMeasure,
  split: givenSplit,
  set,
}: ChartCardProps) {
  const t = useMessages(usageMessages);
  const { measure, split } = chartOf(givenMeasure, givenSplit);
  const { stack, isNeeded, error, retry } = useStack(view, split);
  const splits = splitsOf[measure];
  const days = useMemo(() => (total === undefined ? [] : daysOfAnswer(total)), [total]);
  const isReady = total !== undefined && (!isNeeded || stack !== undefined);
  return (
    <Card
      title={t(`measure.${measure}`)}
      action={
        <div className="flex flex-wrap items-center gap-2">
          <RadioGroup
            inline
            label={t("measure")}
            value={measure}
            choices={measures.map((one) => ({ value: one, label: t(`measure.${one}`) }))}
            onChange={(next) => set({ measure: next, split: "" })}
          />
          {splits.length > 1 && (
            <Select
              label={t("split")}
              className="w-36"
              value={split}
              choices={splits.map((one) => ({
                value: one,
                label: t(`split.${one === "account" ? "none" : one}`),
              }))}
              onChange={(next) => set({ split: next })}
            />
          )}
        </div>
      }
    >
      {isReady && measure === "latency" ? (
        <LatencyChart days={days} total={total.rows} latencies={latencies} />
      ) : isReady ? (
        <UsageChart
          days={days}
          total={total.rows}
          measure={measure}
          split={split}
          stack={isNeeded ? stack : undefined}
        />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={retry} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Card>
  );
}
