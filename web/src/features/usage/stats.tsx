/** The totals of a period as a row of figures, each a link to its rows. Knows no route. */
import type { ReactNode } from "react";
import { formatCount, formatShortCount } from "../../format/count.ts";
import { compareMoney, formatMoney } from "../../format/money.ts";
import { formatDuration } from "../../format/time.ts";
import { latencyMessages } from "../../i18n/en/latency.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money, Percent, TokenCount } from "../../ui/figures.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Stat, StatRow } from "../../ui/surfaces.tsx";
import { MaybeDuration } from "../requests/cells.tsx";
import { p99Requests } from "./histogram.tsx";
import { useRefusal } from "./percentiles.tsx";
import type { UsageNumbers } from "./series.ts";
import type { Latencies } from "./use-latency.ts";

export interface UsageStatsProps {
  /** Undefined while it loads. */
  readonly total: UsageNumbers | undefined;
  /** The rows of a result; undefined is all of them. */
  readonly rowsTo: (state?: "complete") => string;
  readonly latencies: Latencies;
  /** A further figure. */
  readonly children?: ReactNode;
}

/** See `UsageStatsProps`. */
export function UsageStats({ total, rowsTo, latencies, children }: UsageStatsProps) {
  const t = useMessages(usageMessages);
  const tLatency = useMessages(latencyMessages);
  const language = useLanguage();
  if (total === undefined) {
    return (
      <StatRow>
        {(["charge", "requests", "tokens", "complete"] as const).map((name) => (
          <Stat key={name} label={t(name)} note={<Skeleton className="h-4 w-24" />}>
            <Skeleton className="h-7 w-20" />
          </Stat>
        ))}
        <Stat label={tLatency("firstTokenP50")} note={<Skeleton className="h-4 w-24" />}>
          <Skeleton className="h-7 w-20" />
        </Stat>
        {children}
      </StatRow>
    );
  }
  const input = total.inputTokens + total.cachedInputTokens + total.cacheWriteTokens;
  const loss =
    compareMoney(total.loss, "0") === 0 ? undefined : t("loss", { amount: formatMoney(total.loss) });
  return (
    <StatRow>
      <Stat label={t("charge")} to={rowsTo()} note={loss}>
        <Money value={total.charge} />
      </Stat>
      <Stat label={t("requests")} to={rowsTo()}>
        <TokenCount value={total.requests} exact />
      </Stat>
      <Stat
        label={t("tokens")}
        to={rowsTo()}
        note={t("tokensInOut", {
          input: formatShortCount(input),
          output: formatShortCount(total.outputTokens),
        })}
      >
        <TokenCount value={input + total.outputTokens} />
      </Stat>
      <Stat
        label={t("complete")}
        to={rowsTo("complete")}
        note={t("completeOf", {
          complete: formatCount(total.complete, language),
          requests: formatCount(total.requests, language),
        })}
      >
        {total.requests === 0 ? (
          <span className="text-faint">–</span>
        ) : (
          <Percent value={total.complete / total.requests} />
        )}
      </Stat>
      <FirstTokenStat to={rowsTo()} latencies={latencies} meanMs={total.firstTokenMs} />
      {children}
    </StatRow>
  );
}

interface FirstTokenProps {
  readonly to: string;
  readonly latencies: Latencies;
  readonly meanMs: number | null;
}

/** The median, with the slower percentiles below it. */
function FirstTokenStat({ to, latencies: { answer, state }, meanMs }: FirstTokenProps) {
  const t = useMessages(latencyMessages);
  const language = useLanguage();
  const refusal = useRefusal(state, true);
  const times = answer?.all.firstToken;
  if (state === "loading")
    return (
      <Stat label={t("firstTokenP50")} note={<Skeleton className="h-4 w-24" />}>
        <Skeleton className="h-7 w-20" />
      </Stat>
    );
  const write = (ms: number | null) => (ms === null ? "–" : formatDuration(ms, language));
  const slower =
    times === undefined || times.count === 0
      ? undefined
      : [
          `p95 ${write(times.p95)}`,
          ...(times.count < p99Requests ? [] : [`p99 ${write(times.p99)}`]),
          ...(answer?.sample ? [t("sampled")] : []),
        ].join(" · ");
  const removed = meanMs === null ? undefined : t("removed", { mean: write(meanMs) });
  return (
    <Stat label={t("firstTokenP50")} to={to} note={slower ?? refusal ?? removed}>
      <MaybeDuration ms={times?.p50 ?? null} />
    </Stat>
  );
}
