/** The last day of a model in 48 bars, and the share of requests that were answered. */
import { formatCount, formatShare } from "../../format/count.ts";
import { statusMessages } from "../../i18n/en/status.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { classNames } from "../../ui/class-names.ts";
import { barStep, countsOf, pathOf, type StripState, stripHeight, stripStates } from "./strip.ts";

const fills: Readonly<Record<StripState, string>> = {
  available: "fill-good",
  degraded: "fill-warn",
  down: "fill-bad",
  none: "fill-control",
};

export interface StatusStripProps {
  /** As `get /status` has it. */
  readonly strip: string;
  readonly className?: string;
}

/** Heights and colours say the state of each half hour; what it adds up to is read aloud. */
export function StatusStrip({ strip, className }: StatusStripProps) {
  const t = useMessages(statusMessages);
  const parts = countsOf(strip).map(([state, count]) => t(`part.${state}`, { count }));
  const label = t("strip", { parts: parts.join(", ") });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${strip.length * barStep - 1} ${stripHeight}`}
      preserveAspectRatio="none"
      className={classNames("h-5 w-full", className)}
    >
      <title>{label}</title>
      {stripStates.map((state) => (
        <path key={state} d={pathOf(strip, state)} className={fills[state]} />
      ))}
    </svg>
  );
}

interface UptimeProps {
  readonly uptime: number | null;
  readonly counted: number;
}

/** "99.9 % answered of 1,200 requests". */
export function Uptime({ uptime, counted }: UptimeProps) {
  const t = useMessages(statusMessages);
  const language = useLanguage();
  if (uptime === null) return <span className="text-faint">{t("noRequests")}</span>;
  return (
    <span className="figures">
      {t("uptime", { share: formatShare(uptime, language) })}{" "}
      <span className="text-small text-faint">
        {t("uptimeOf", { count: counted, shown: formatCount(counted, language) })}
      </span>
    </span>
  );
}
