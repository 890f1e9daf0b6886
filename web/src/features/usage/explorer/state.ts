/**
 * Filters of the explorer: defaults of its URL, questions to the API, links to the requests behind a figure.
 */
import type { FigureFilter } from "../../requests/query.ts";
import { requestsLink } from "../../requests/query.ts";
import type { Scope } from "../use-latency.ts";
import { type UsageView, usageFilterDefaults } from "../view.ts";
import type { ExploredGroup } from "./groups.ts";
import type { ExploreBy } from "./shown.ts";

export const explorerDefaults = {
  ...usageFilterDefaults,
  account: [] as string[],
  member: [] as string[],
  project: [] as string[],
  tag: [] as string[],
  by: "model",
  grain: "",
};

/** The filters of every question of the explorer. */
export function filterQuery(
  view: UsageView,
  values: Readonly<Record<"account" | "member" | "project" | "tag", readonly string[]>>,
  scope: Scope,
) {
  return {
    ...view.query,
    ...(values.member.length === 0 ? {} : { member: [...values.member] }),
    ...(values.project.length === 0 ? {} : { project: [...values.project] }),
    ...(values.tag.length === 0 ? {} : { tag: [...values.tag] }),
    ...(scope === "account" || values.account.length === 0 ? {} : { account: [...values.account] }),
  };
}

/** The list of requests. */
const requestsPage = (scope: Scope) => (scope === "operator" ? "/operator/requests" : "/requests");

/** The filter of a group's requests; undefined where the list of requests has no such filter. */
export function groupFilter(
  by: ExploreBy,
  group: Pick<ExploredGroup, "id" | "keys">,
): Partial<FigureFilter> | undefined {
  if (by === "upstream") return undefined;
  if (by === "member") return group.keys.length === 0 ? undefined : { key: group.keys };
  return { [by]: [group.id] };
}

/** The address of a group's requests, of one day only if given. */
export function groupLink(
  scope: Scope,
  rowFilter: FigureFilter,
  filter: Partial<FigureFilter> | undefined,
  day?: string,
): string | undefined {
  if (filter === undefined) return undefined;
  const ofDay = day === undefined ? {} : { period: "custom", from: day, to: day };
  return requestsLink({ ...rowFilter, ...ofDay, ...filter }, requestsPage(scope));
}
