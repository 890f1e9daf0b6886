/** The shapes of success rates in the chart, and what they mean. */
import { plazaChartMessages } from "../../../i18n/en/pages/plaza-chart.ts";
import { useMessages } from "../../../i18n/messages.ts";
import type { Quality } from "./points.ts";

const shapes: Readonly<Record<Quality, { readonly d: string; readonly className: string }>> = {
  high: { d: "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z", className: "fill-good stroke-surface" },
  middle: { d: "M0 -7L7 0L0 7L-7 0Z", className: "fill-warn stroke-surface" },
  low: { d: "M0 -6.5L6.8 5.5L-6.8 5.5Z", className: "fill-bad stroke-surface" },
  unknown: { d: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z", className: "fill-surface stroke-muted" },
};

/** One shape around 0, 0. */
export function Shape({ quality }: { readonly quality: Quality }) {
  const { d, className } = shapes[quality];
  return <path d={d} className={className} strokeWidth={1.5} />;
}

/** All shapes with their words. */
export function Legend() {
  const t = useMessages(plazaChartMessages);
  return (
    <ul aria-label={t("legend")} className="ml-auto flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
      <li aria-hidden className="font-medium">
        {t("legend")}
      </li>
      {(["high", "middle", "low", "unknown"] as const).map((quality) => (
        <li key={quality} className="flex items-center gap-1.5">
          <svg viewBox="-9 -9 18 18" className="size-4" aria-hidden="true">
            <Shape quality={quality} />
          </svg>
          {t(`quality.${quality}`)}
        </li>
      ))}
    </ul>
  );
}
