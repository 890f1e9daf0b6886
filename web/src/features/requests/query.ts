/**
 * The filters of a list of requests: what the URL holds, what the API is asked, and
 * links from figures to their rows. Pure.
 */

import { type Operation, operationNames } from "@plaza/contract/operations.ts";
import type { Answer } from "../../api/routes.ts";
import { pageTo } from "../../shell/page-search.ts";
import type { PeriodValues, Range } from "../usage/period.ts";

/** A row of a list of requests. */
export type RequestLine = Answer<"get /requests">["requests"][number];
export type RequestState = RequestLine["state"];

export const requestStates: readonly RequestState[] = ["complete", "incomplete", "aborted", "failed"];

/** For `useFilters`: what is not in the URL. The operator's list adds `account`. */
export const requestFilterDefaults = {
  period: "all",
  from: "",
  to: "",
  zone: "",
  model: [] as string[],
  key: [] as string[],
  project: [] as string[],
  tag: [] as string[],
  state: [] as string[],
  operation: [] as string[],
  error: "",
  id: "",
};

/** What the URL says. */
export interface RequestFilterValues extends PeriodValues {
  readonly model: readonly string[];
  readonly key: readonly string[];
  readonly project: readonly string[];
  readonly tag: readonly string[];
  readonly state: readonly string[];
  readonly operation: readonly string[];
  readonly error: string;
  readonly id: string;
}

/** The operations among what a URL says. */
export const operationsIn = (given: readonly string[]): Operation[] =>
  operationNames.filter((name) => given.includes(name));

/** The same as the API's query, for the list and for its export. */
export function requestQuery(values: RequestFilterValues, range: Range | undefined) {
  const states = values.state.filter((state): state is RequestState =>
    requestStates.some((known) => known === state),
  );
  const operations = operationsIn(values.operation);
  const error = values.error.trim();
  const id = values.id.trim();
  return {
    ...(range === undefined ? {} : { from: range.from, to: range.to }),
    ...(values.model.length === 0 ? {} : { model: [...values.model] }),
    ...(values.key.length === 0 ? {} : { key: [...values.key] }),
    ...(values.project.length === 0 ? {} : { project: [...values.project] }),
    ...(values.tag.length === 0 ? {} : { tag: [...values.tag] }),
    ...(states.length === 0 ? {} : { state: states }),
    ...(operations.length === 0 ? {} : { operation: operations }),
    ...(error === "" ? {} : { errorCode: error }),
    ...(id === "" ? {} : { id }),
  };
}

/** The filters a figure has; what is left out does not filter. */
export interface FigureFilter {
  readonly period: string;
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
  readonly model?: readonly string[];
  readonly key?: readonly string[];
  readonly project?: readonly string[];
  readonly tag?: readonly string[];
  readonly state?: readonly string[];
  readonly operation?: readonly string[];
  readonly account?: readonly string[];
}

/** A page with a list of requests. */
type RequestsPath = "/requests" | "/operator/requests";

/** The address of the rows behind a figure. `base`: the page of the list. */
export function requestsLink(filter: FigureFilter, base: RequestsPath = "/requests"): string {
  return pageTo(base, filter);
}

/** The rows behind `last30Days` of a key or an account: the API counts days of UTC. */
export function last30DaysLink(of: Pick<FigureFilter, "key" | "account">, base?: RequestsPath): string {
  return requestsLink({ period: "30d", zone: "UTC", ...of }, base);
}
