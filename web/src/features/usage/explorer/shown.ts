/** What the explorer's URL says, as things that go together and that the API answers. Pure. */
import { exploreRequestDaysMax, latencyDaysMax } from "@plaza/contract/read-limits.ts";
import { daysBetween, type Range } from "../period.ts";
import type { Scope } from "../use-latency.ts";
import { type ExploreMeasure, exploreMeasures } from "./groups.ts";

const ownGroups = ["model", "key", "project", "tag", "member", "operation"] as const;
const operatorGroups = ["account", ...ownGroups, "upstream"] as const;
export type ExploreBy = (typeof operatorGroups)[number];

export const groupsFor = (scope: Scope): readonly ExploreBy[] =>
  scope === "operator" ? operatorGroups : ownGroups;

/** What is drawn: a measure over time, or how long requests took. */
export type Metric = ExploreMeasure | "latency";

export const metricsFor = (scope: Scope): readonly Metric[] => {
  const measures = exploreMeasures.filter((measure) => scope === "operator" || measure !== "cost");
  return [...measures, "latency"];
};

/** The most days that each may show; as the API has them. */
const daysMax = { day: 366, hour: 31, upstreams: exploreRequestDaysMax, latency: latencyDaysMax } as const;

/** Hours are shown by themselves for so few days only. */
const hourDays = 2;

export interface Shown {
  readonly by: ExploreBy;
  readonly metric: Metric;
  readonly grain: "day" | "hour";
  readonly days: number;
  /** The most days this may show, where the period has more. */
  readonly tooLong: number | undefined;
}

/** What a URL says, as things that go together. */
export function shownOf(
  values: { readonly by: string; readonly measure: string; readonly grain: string },
  range: Pick<Range, "first" | "last">,
  scope: Scope,
): Shown {
  const by = groupsFor(scope).find((one) => one === values.by) ?? "model";
  const metric = metricsFor(scope).find((one) => one === values.measure) ?? "charge";
  const days = daysBetween(range).length;
  const isHourly = values.grain === "hour" || (values.grain !== "day" && days <= hourDays);
  const grain = isHourly && days <= daysMax.hour ? "hour" : "day";
  const most = daysMax[metric === "latency" ? "latency" : by === "upstream" ? "upstreams" : grain];
  return { by, metric, grain, days, tooLong: days > most ? most : undefined };
}
