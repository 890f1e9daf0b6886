/** Percentiles by day, and below them how all requests of the period are spread. */
import { latencyMessages } from "../../i18n/en/latency.ts";
import { useMessages } from "../../i18n/messages.ts";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { UsageChart } from "./chart.tsx";
import { Histogram } from "./histogram.tsx";
import { SampleNote, useRefusal } from "./percentiles.tsx";
import type { UsageRow } from "./series.ts";
import type { Latencies } from "./use-latency.ts";

interface LatencyChartProps {
  readonly days: readonly string[];
  readonly total: readonly UsageRow[];
  /** By day. */
  readonly latencies: Latencies;
}

/** See the file's comment. */
export function LatencyChart({ days, total, latencies }: LatencyChartProps) {
  const t = useMessages(latencyMessages);
  const { answer, state, error, retry, of } = latencies;
  const refusal = useRefusal(state);
  if (state === "failed") return <ErrorState error={error} onRetry={retry} />;
  if (state === "refused") return <EmptyState title={t("refusedTitle")}>{refusal}</EmptyState>;
  if (answer === undefined) return <Skeleton className="h-64 w-full" />;
  return (
    <>
      <UsageChart days={days} total={total} measure="latency" split="none" latencyOf={of} />
      <SampleNote sample={answer.sample} />
      <div className="mt-6 grid gap-6 border-t border-line pt-5 lg:grid-cols-2">
        {(["firstToken", "duration"] as const).map((kind) => (
          <section key={kind} aria-label={t(kind)} className="min-w-0">
            <h3 className="mb-2 font-medium">{t(kind)}</h3>
            <Histogram title={t(kind)} times={answer.all[kind]} buckets={answer.histograms[kind]} />
          </section>
        ))}
      </div>
    </>
  );
}
