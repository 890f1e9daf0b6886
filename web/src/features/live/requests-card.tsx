/** Requests per second over 15 minutes, stacked by how they ended. */
import { useMemo } from "react";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Chart } from "../../ui/charts/chart.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { useLive } from "./use-live.ts";
import { formatClock, formatRate, outcomes } from "./write.ts";

interface RequestsCardProps {
  readonly className?: string;
  readonly height?: number;
}

/** See above. */
export function RequestsCard({ className, height = 240 }: RequestsCardProps) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const zone = useTimeZone();
  const points = useLive((state) => state.points);
  const at = useMemo(() => points.map((point) => new Date(point.t).toISOString()), [points]);
  const series = useMemo(
    () =>
      outcomes.map((outcome) => ({
        label: t(`outcome.${outcome}`),
        heights: points.map(({ requests }) => requests[outcome]),
      })),
    [points, t],
  );
  return (
    <Card title={t("requestsChart")} {...(className === undefined ? {} : { className })}>
      <Chart
        label={t("requestsChart")}
        kind="areas"
        height={height}
        at={at}
        series={series}
        write={(rate) => formatRate(rate, language)}
        writeAt={(iso) => formatClock(iso, language, zone)}
        note={t("last15")}
      />
    </Card>
  );
}
