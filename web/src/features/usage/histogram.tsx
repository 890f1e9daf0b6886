/** How long requests took: percentiles of all, and how many took how long. */
import { formatDuration } from "../../format/time.ts";
import { latencyMessages } from "../../i18n/en/latency.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { TokenCount } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { MaybeDuration } from "../requests/cells.tsx";
import type { Latency, Times } from "./use-latency.ts";

export interface HistogramProps {
  /** What the times are of. */
  readonly title: string;
  readonly times: Times;
  readonly buckets: Latency["histograms"]["duration"];
}

/** Fewer requests have no meaningful 99th percentile. */
export const p99Requests = 100;

/** A row for each bucket with its count. */
export function Histogram({ title, times, buckets }: HistogramProps) {
  const t = useMessages(latencyMessages);
  const language = useLanguage();
  if (times.count === 0) return <EmptyState title={t("noTimes")} />;
  const highest = Math.max(1, ...buckets.map(({ count }) => count));
  const write = (ms: number) => formatDuration(ms, language);
  const shares = ["p50", "p75", "p90", "p95", ...(times.count < p99Requests ? [] : ["p99"])] as const;
  return (
    <>
      <dl className="mb-4 flex flex-wrap gap-x-6 gap-y-1">
        {shares.map((name) => (
          <div key={name} className="flex items-baseline gap-1.5">
            <dt className="text-small text-muted">{name}</dt>
            <dd className="font-medium">
              <MaybeDuration ms={times[name as keyof Times]} />
            </dd>
          </div>
        ))}
      </dl>
      <ol aria-label={t("histogramOf", { what: title })} className="flex flex-col gap-1 text-small">
        {buckets.map(({ fromMs, toMs, count }) => (
          <li key={fromMs} className="grid grid-cols-[8.5rem_1fr_3.5rem] items-center gap-2">
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
  );
}
