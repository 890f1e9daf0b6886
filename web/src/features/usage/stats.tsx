/** The totals of a period as a row of figures, each a link to its rows. Knows no route. */
import { formatCount, formatShortCount } from "../../format/count.ts";
import { compareMoney, formatMoney } from "../../format/money.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money, Percent, TokenCount } from "../../ui/figures.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Stat, StatRow } from "../../ui/surfaces.tsx";
import { MaybeDuration } from "../requests/cells.tsx";
import type { UsageNumbers } from "./series.ts";

export interface UsageStatsProps {
  /** Undefined while it loads. */
  readonly total: UsageNumbers | undefined;
  /** The rows of a result; undefined is all of them. */
  readonly rowsTo: (state?: "complete") => string;
}

/** See `UsageStatsProps`. */
export function UsageStats({ total, rowsTo }: UsageStatsProps) {
  const t = useMessages(usageMessages);
  const language = useLanguage();
  if (total === undefined) {
    return (
      <StatRow>
        {(["charge", "requests", "tokens", "complete", "meanFirstToken"] as const).map((name) => (
          <Stat key={name} label={t(name)} note={<Skeleton className="h-4 w-24" />}>
            <Skeleton className="h-7 w-20" />
          </Stat>
        ))}
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
      <Stat label={t("meanFirstToken")} to={rowsTo()}>
        <MaybeDuration ms={total.firstTokenMs} />
      </Stat>
    </StatRow>
  );
}
