/** What the usage page shows, read from its URL. Knows no component. */
import type { Operation } from "@plaza/contract/operations.ts";
import { useMemo } from "react";
import { dayAt } from "../../format/zone.ts";
import { type FigureFilter, operationsIn } from "../requests/query.ts";
import { daysBetween, rangeOf } from "./period.ts";
import { type Period, usePeriod } from "./use-period.ts";

/** For `useFilters`. */
export const usageFilterDefaults = {
  period: "30d",
  from: "",
  to: "",
  zone: "",
  model: [] as string[],
  key: [] as string[],
  operation: [] as string[],
  measure: "charge",
  split: "",
  view: "day",
};

/** What the URL says. */
export type UsageFilterValues = {
  readonly [Name in keyof typeof usageFilterDefaults]: (typeof usageFilterDefaults)[Name] extends string
    ? string
    : readonly string[];
};

/** Fields by which the figures below the chart can be split. */
export const usageTabs = ["day", "model", "key", "operation"] as const;
export type UsageTab = (typeof usageTabs)[number];

/** The same as questions and links. */
export interface UsageView {
  readonly period: Period;
  /** What every question to `get /usage` has; add `by`. */
  readonly query: {
    readonly from: string;
    readonly to: string;
    readonly timeZone: string;
    readonly model?: string[];
    readonly key?: string[];
    readonly operation?: Operation[];
  };
  /** Of the rows behind the totals, for `requestsLink`. */
  readonly rowFilter: FigureFilter;
  readonly by: UsageTab;
}

/**
 * Every day an answer is about: of the period it was asked for, which may be
 * the former one while the next loads.
 */
export function daysOfAnswer({
  from,
  to,
  timeZone,
}: {
  from: string;
  to: string;
  timeZone: string;
}): string[] {
  return daysBetween({ first: dayAt(Date.parse(from), timeZone), last: dayAt(Date.parse(to) - 1, timeZone) });
}

/** Usage has no "all time": a link that says so shows 30 days. */
export function useUsageView(values: UsageFilterValues): UsageView {
  const bounded = useMemo(() => (values.period === "all" ? { ...values, period: "30d" } : values), [values]);
  const period = usePeriod(bounded);
  return useMemo(() => {
    const range = period.range ?? rangeOf({ ...bounded, period: "30d" }, period.timeZone, Date.now());
    if (range === undefined) throw new Error("30 days are a range.");
    const operations = operationsIn(bounded.operation);
    const chosen = {
      ...(bounded.model.length === 0 ? {} : { model: [...bounded.model] }),
      ...(bounded.key.length === 0 ? {} : { key: [...bounded.key] }),
      ...(operations.length === 0 ? {} : { operation: operations }),
    };
    return {
      period,
      query: { from: range.from, to: range.to, timeZone: period.timeZone, ...chosen },
      rowFilter: {
        period: bounded.period,
        from: bounded.from,
        to: bounded.to,
        zone: period.fault === undefined ? bounded.zone : "UTC",
        ...chosen,
      },
      by: usageTabs.find((tab) => tab === bounded.view) ?? "day",
    };
  }, [bounded, period]);
}
