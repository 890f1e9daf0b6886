/**
 * Handlers of `contract/api/explore.ts`. A member's queries are limited to the account before anything is
 * read.
 */
import type { exploreRoutes } from "@plaza/contract/api/explore.ts";
import type { HandlersOf } from "../context.ts";
import { answerExplore, showMargin, showMarginSpans, showSpans } from "./usage/explore.ts";
import { exploredAsCsv } from "./usage/explore-csv.ts";
import { answerLatency } from "./usage/latency.ts";
import { showNumbers } from "./usage/numbers.ts";

/** The query, of this account only. */
const ofAccount = <Query extends object>(query: Query, accountId: string) => ({
  ...query,
  account: [accountId],
});

export const exploreHandlers: HandlersOf<typeof exploreRoutes> = {
  exploreUsage: ({ store, clock }, { viewer, query }) =>
    answerExplore(
      { store, nowMs: clock.wallMs() },
      ofAccount(query, viewer.account.id),
      showNumbers,
      showSpans,
    ),
  exportExploredUsage: ({ store, clock }, { viewer, query }) =>
    exploredAsCsv({ store, nowMs: clock.wallMs() }, ofAccount(query, viewer.account.id), false),
  getLatency: ({ store, clock }, { viewer, query }) =>
    answerLatency({ store, nowMs: clock.wallMs() }, ofAccount(query, viewer.account.id)),
  exploreAllUsage: ({ store, clock }, { query }) =>
    answerExplore({ store, nowMs: clock.wallMs() }, query, showMargin, showMarginSpans),
  exportAllExploredUsage: ({ store, clock }, { query }) =>
    exploredAsCsv({ store, nowMs: clock.wallMs() }, query, true),
  getAllLatency: ({ store, clock }, { query }) => answerLatency({ store, nowMs: clock.wallMs() }, query),
};
