/** The figures of the whole period beside those of the one before, and where the month is heading. */
import { formatShare } from "../../../format/count.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { localeOf } from "../../../i18n/languages.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Money, TokenCount } from "../../../ui/figures.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Card, Stat, StatRow } from "../../../ui/surfaces.tsx";
import type { Scope } from "../use-latency.ts";
import { changeOf, type Explored, type ExploreMeasure, figureOf } from "./groups.ts";
import { useWriter } from "./labels.ts";
import type { MonthForecast } from "./month.ts";
import { ChangeText, Partly } from "./table.tsx";

/** Totals with their change. */
export function ExplorerStats({
  scope,
  answer,
}: {
  readonly scope: Scope;
  readonly answer: Explored | undefined;
}) {
  const t = useMessages(explorerMessages);
  const names = [
    "charge",
    ...(scope === "operator" ? (["cost", "margin"] as const) : []),
    "requests",
    "tokens",
  ] as const;
  if (answer === undefined) {
    return (
      <StatRow>
        {names.map((name) => (
          <Stat key={name} label={t(name)} note={<Skeleton className="h-4 w-24" />}>
            <Skeleton className="h-7 w-20" />
          </Stat>
        ))}
      </StatRow>
    );
  }
  const { total, previous } = answer.all;
  const note = (measure: ExploreMeasure) => {
    const change = changeOf(figureOf(total, measure), figureOf(previous, measure));
    if (change.kind !== "share") return t("noneBefore");
    const [before, after] = t("sinceBefore", { change: "\u0000" }).split("\u0000");
    return (
      <>
        {before}
        <ChangeText change={change} />
        {after}
      </>
    );
  };
  const unknown = "withoutCost" in total ? total.withoutCost : 0;
  const costNote = unknown === 0 ? t("marginKnown") : t("costUnknown", { count: unknown });
  return (
    <StatRow>
      <Stat label={t("charge")} note={note("charge")}>
        <Money value={total.charge} />
      </Stat>
      {scope === "operator" && (
        <>
          <Stat label={t("cost")} note={unknown === 0 ? note("cost") : costNote}>
            <Partly numbers={total} field="cost" />
          </Stat>
          <Stat label={t("margin")} note={costNote}>
            <Partly numbers={total} field="margin" />
          </Stat>
        </>
      )}
      <Stat label={t("requests")} note={note("requests")}>
        <TokenCount value={total.requests} exact />
      </Stat>
      <Stat label={t("tokens")} note={note("tokens")}>
        <TokenCount value={Number(figureOf(total, "tokens"))} />
      </Stat>
    </StatRow>
  );
}

interface ForecastCardProps {
  readonly month: MonthForecast;
  readonly measure: ExploreMeasure;
}

/** What the month will probably add up to, how sure that is, and how that was measured. */
export function ForecastCard({ month, measure }: ForecastCardProps) {
  const t = useMessages(explorerMessages);
  const language = useLanguage();
  const write = useWriter(measure);
  const { forecast, total, soFar, low, high } = month;
  const format = new Intl.DateTimeFormat(localeOf(language), {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const { error } = forecast;
  return (
    <Card title={t("forecastTitle", { month: format.format(new Date(`${month.month}-01T00:00:00Z`)) })}>
      <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <span className="figures text-2xl font-semibold tracking-tight">{write(total)}</span>
        {low !== undefined && high !== undefined && (
          <span className="figures">{t("forecastRange", { low: write(low), high: write(high) })}</span>
        )}
        <span className="figures text-muted">{t("forecastSoFar", { amount: write(soFar) })}</span>
      </div>
      <p className="mt-1 max-w-3xl text-small text-muted">
        {error === undefined
          ? t("forecastUnmeasured")
          : t("forecastError", { tries: error.tries, share: formatShare(error.share, language) })}
      </p>
    </Card>
  );
}
