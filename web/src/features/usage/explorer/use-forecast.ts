/** The forecast to the end of the month, from the last weeks of the same filters. */
import { useMemo } from "react";
import { addDays, dayAt, dayStartMs } from "../../../format/zone.ts";
import type { Scope } from "../use-latency.ts";
import type { UsageView } from "../view.ts";
import { type ExploreMeasure, heightOf, spanFigures } from "./groups.ts";
import { type MonthForecast, monthOf } from "./month.ts";
import { dayOfSpan } from "./seasons.ts";
import { useExplored } from "./use-explored.ts";

/** Days looked back on: enough to have tried the forecast of a whole month in the past. */
const historyDays = 84;

/** Undefined while it loads, where it is not asked for, and with too few days. */
export function useForecast(
  scope: Scope,
  view: UsageView,
  query: UsageView["query"],
  measure: ExploreMeasure,
  enabled: boolean,
): MonthForecast | undefined {
  const { timeZone } = view.period;
  const today = dayAt(Date.now(), timeZone);
  const at = (day: string): string => new Date(dayStartMs(day, timeZone)).toISOString();
  const history = useExplored(
    scope,
    {
      ...query,
      ...{ from: at(addDays(today, -historyDays)), to: at(addDays(today, 1)) },
      ...{ grain: "day", by: "operation", top: 1 },
    },
    enabled,
  );
  return useMemo(() => {
    const answer = history.data;
    const [first] = answer?.spans ?? [];
    if (!enabled || answer === undefined || first === undefined) return undefined;
    const values = spanFigures(answer.all, measure).map(heightOf);
    const begin = dayOfSpan(first, answer.timeZone);
    // An answer of yesterday, still shown after midnight, is about other days.
    if (addDays(begin, values.length - 1) !== today) return undefined;
    const [start, end] = [today, addDays(today, 1)].map((day) => dayStartMs(day, answer.timeZone));
    const passed = (Date.parse(answer.asOf) - (start ?? 0)) / ((end ?? 0) - (start ?? 0));
    return monthOf(begin, values, Math.min(1, Math.max(0, passed)));
  }, [history.data, measure, enabled, today]);
}
