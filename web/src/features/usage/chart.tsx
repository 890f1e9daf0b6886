/**
 * The chart of usage over days. Figures come from the page; stacks and colours are made here. Knows no route.
 */
import { type ReactNode, useMemo } from "react";
import { formatShortCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { formatDuration } from "../../format/time.ts";
import { latencyMessages } from "../../i18n/en/latency.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import type { Language } from "../../i18n/languages.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { Chart } from "../../ui/charts/chart.tsx";
import type { Series } from "../../ui/charts/props.ts";
import {
  fieldSeries,
  fieldsOf,
  type Measure,
  measureSeries,
  type Named,
  percentileSeries,
  type RawSeries,
  restSeries,
  type Split,
  thingSeries,
  type UsageRow,
} from "./series.ts";
import type { LatencyGroup } from "./use-latency.ts";

/** What a chart is stacked by, if not a field: the items, and their rows by day. */
export interface Stack {
  readonly things: readonly Named[];
  /** Of these things only, by day. */
  readonly rows: readonly UsageRow[];
  readonly idOf: (row: UsageRow) => string | null;
}

export interface UsageChartProps {
  /** Every day of the period. */
  readonly days: readonly string[];
  /** By day. */
  readonly total: readonly UsageRow[];
  readonly measure: Measure;
  readonly split: Split;
  /** Where `split` is model, key, operation or account. Stable, by `useMemo`. */
  readonly stack?: Stack | undefined;
  /** The times of a day, for the latency. Stable. */
  readonly latencyOf?: ((day: string) => LatencyGroup | undefined) | undefined;
  readonly height?: number;
  readonly note?: ReactNode;
}

type TranslateUsage = Translate<KeyOf<typeof usageMessages>>;

function seriesOf(
  { days, total, measure, split, stack, latencyOf }: UsageChartProps,
  t: TranslateUsage,
  tLatency: Translate<KeyOf<typeof latencyMessages>>,
): readonly Series[] {
  const named = (label: string, raw: RawSeries): Series => ({ label, ...raw, ...textsOf(raw) });
  if (measure === "latency") {
    const timesOf = latencyOf ?? (() => undefined);
    return (["firstToken", "duration"] as const).flatMap((field) =>
      (["p50", "p95"] as const).map((percentile) =>
        named(tLatency(`${field}Of`, { percentile }), percentileSeries(days, timesOf, field, percentile)),
      ),
    );
  }
  const fields = fieldsOf(split);
  if (fields.length > 0) return fields.map((field) => named(t(field), fieldSeries(days, total, field)));
  const whole = measureSeries(days, total, measure);
  if (stack === undefined) return [named(t(`measure.${measure}`), whole)];
  const parts = thingSeries(days, stack.rows, stack.things, stack.idOf, measure);
  const rest = restSeries(whole, parts, measure);
  const shown = parts.map((part, at) => named(stack.things[at]?.label ?? "", part));
  return rest === undefined ? shown : [...shown, named(t("others"), rest)];
}

function textsOf({ texts }: RawSeries): Pick<Series, "texts"> {
  return texts === undefined
    ? {}
    : { texts: texts.map((text) => (text === null ? null : formatMoney(text))) };
}

function writer(measure: Measure, language: Language): (height: number) => string {
  if (measure === "charge") return (height) => formatMoney(height.toFixed(9));
  if (measure === "latency") return (height) => formatDuration(height, language);
  return formatShortCount;
}

/** See `UsageChartProps`. */
export function UsageChart(props: UsageChartProps) {
  const t = useMessages(usageMessages);
  const tLatency = useMessages(latencyMessages);
  const language = useLanguage();
  const { days, total, measure, split, stack, latencyOf } = props;
  const drawn = useMemo(() => {
    return {
      at: days.map((day) => `${day}T00:00:00.000Z`),
      series: seriesOf({ days, total, measure, split, stack, latencyOf }, t, tLatency),
      write: writer(measure, language),
    };
  }, [days, total, measure, split, stack, latencyOf, t, tLatency, language]);
  const { note, height } = props;
  const shown = useMemo(
    () => ({
      ...drawn,
      ...(note === undefined ? {} : { note }),
      ...(height === undefined ? {} : { height }),
    }),
    [drawn, note, height],
  );
  return (
    <Chart
      label={t("chartOf", { what: t(`measure.${measure}`) })}
      kind={measure === "latency" ? "lines" : "bars"}
      {...shown}
    />
  );
}
