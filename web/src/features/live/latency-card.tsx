/** A latency: percentiles now, their lines over 15 minutes, and the distribution of the last minute. */
import type { LivePoint, LiveSnapshot } from "@plaza/contract/api/live.ts";
import { useMemo, useRef, useState } from "react";
import { formatCount } from "../../format/count.ts";
import { formatDuration } from "../../format/time.ts";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Chart } from "../../ui/charts/chart.tsx";
import { Readout } from "../../ui/charts/readout.tsx";
import { useReading } from "../../ui/charts/use-reading.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useTimeZone } from "../../ui/figures.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { useLive } from "./use-live.ts";
import { formatClock, formatRate } from "./write.ts";

type Latency = LiveSnapshot["firstToken"];

const shares = ["p50", "p95", "p99"] as const;

interface LinesProps {
  readonly name: string;
  readonly of: "firstToken" | "duration";
  readonly height: number;
}

function PercentileLines({ name, of, height }: LinesProps) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const zone = useTimeZone();
  const points: readonly LivePoint[] = useLive((state) => state.points);
  const at = useMemo(() => points.map((point) => new Date(point.t).toISOString()), [points]);
  const series = useMemo(
    () => shares.map((share) => ({ label: t(share), heights: points.map((point) => point[of][share]) })),
    [points, of, t],
  );
  return (
    <Chart
      label={t("percentilesChart", { name })}
      kind="lines"
      height={height}
      at={at}
      series={series}
      write={(ms) => formatDuration(ms, language)}
      writeAt={(iso) => formatClock(iso, language, zone)}
      note={t("last15")}
    />
  );
}

function Percentiles({ latency }: { readonly latency: Latency }) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1">
      {shares.map((share) => (
        <div key={share} className="flex items-baseline gap-2">
          <dt className="text-small text-muted">{t(share)}</dt>
          <dd className="figures text-figure font-semibold">
            {latency[share] === null ? "–" : formatDuration(latency[share], language)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Histogram({ latency }: { readonly latency: Latency }) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const { bounds, counts } = latency;
  const largest = Math.max(...counts, 1);
  const bars = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const countAt = (index: number): string => formatCount(counts[index] ?? 0, language);
  const rangeOf = (index: number): string =>
    index < bounds.length
      ? t("upTo", { bound: formatDuration(bounds[index] ?? 0, language) })
      : t("over", { bound: formatDuration(bounds.at(-1) ?? 0, language) });
  const { slider, keys } = useReading({
    label: t("distribution"),
    points: counts.length,
    at,
    onMove: setAt,
    textOf: (index) => `${rangeOf(index)}: ${countAt(index)}`,
  });
  const width = bars.current?.clientWidth ?? 0;
  return (
    <figure className="relative max-sm:hidden">
      <figcaption className="mb-1 text-small text-muted">
        {t("distribution")} · {t("measured", { count: formatRate(latency.count, language) })}
      </figcaption>
      <div
        ref={bars}
        {...slider}
        onPointerLeave={() => setAt(undefined)}
        className="flex h-24 items-end gap-px rounded-t-sm border-b border-control"
      >
        {counts.map((count, index) => (
          <div
            key={bounds[index] ?? "over"}
            onPointerEnter={() => setAt(index)}
            className={classNames("flex h-full min-w-0 flex-1 items-end", index === at && "bg-hover")}
          >
            <div
              className="w-full rounded-t-sm"
              style={{
                height: count === 0 ? 0 : `max(2px, ${(count / largest) * 100}%)`,
                background: "var(--series-1)",
              }}
            />
          </div>
        ))}
      </div>
      {keys}
      {at !== undefined && (
        <Readout
          left={((at + 0.5) / counts.length) * width}
          width={width}
          title={rangeOf(at)}
          rows={[{ label: t("count"), colour: "var(--series-1)", text: countAt(at) }]}
        />
      )}
      <div aria-hidden className="mt-1 flex justify-between text-tiny text-faint">
        {[0, Math.floor(bounds.length / 3), Math.floor((bounds.length * 2) / 3), bounds.length - 1].map(
          (index) => (
            <span key={index}>{formatDuration(bounds[index] ?? 0, language)}</span>
          ),
        )}
      </div>
      {/* A table cannot be made smaller than its text, and would widen the page. */}
      <div className="sr-only">
        <table>
          <caption>{t("distribution")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("range")}</th>
              <th scope="col">{t("count")}</th>
            </tr>
          </thead>
          <tbody>
            {counts.map((count, index) => (
              <tr key={bounds[index] ?? "over"}>
                <th scope="row">{rangeOf(index)}</th>
                <td>{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

export interface LatencyCardProps {
  /** Which latency of a snapshot. */
  readonly of: "firstToken" | "duration";
  /** Lower, and without the distribution: for the wall. */
  readonly isShort?: boolean;
}

/** See above. */
export function LatencyCard({ of, isShort = false }: LatencyCardProps) {
  const t = useMessages(operatorLiveMessages);
  const latency = useLive(({ snapshot }) => snapshot?.[of] ?? null);
  const name = t(of);
  return (
    <Card title={name}>
      <div className="flex flex-col gap-4">
        {latency !== null && <Percentiles latency={latency} />}
        <div className={isShort ? "min-h-44" : "min-h-56"}>
          <PercentileLines name={name} of={of} height={isShort ? 130 : 180} />
        </div>
        {latency !== null && !isShort && <Histogram latency={latency} />}
      </div>
    </Card>
  );
}
