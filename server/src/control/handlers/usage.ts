/**
 * Handlers of `contract/api/usage.ts`. A member's queries are the operator's, limited to the account before
 * anything is read.
 */
import type { usageRoutes } from "@plaza/contract/api/usage.ts";
import type { HandlersOf } from "../context.ts";
import { exportColumns, operatorExportColumns, requestsAsCsv } from "./usage/csv.ts";
import { anyDetail, ownDetail } from "./usage/detail.ts";
import { pageOfLines, showLine, showOperatorLine } from "./usage/lines.ts";
import { answerNumbers, showNumbers, showOperatorNumbers } from "./usage/numbers.ts";

/** The query, of this account only. */
const ofAccount = <Query extends object>(query: Query, accountId: string) => ({
  ...query,
  account: [accountId],
});

export const usageHandlers: HandlersOf<typeof usageRoutes> = {
  getUsage: ({ store, clock }, { viewer, query }) =>
    answerNumbers({ store, nowMs: clock.wallMs() }, ofAccount(query, viewer.account.id), showNumbers),
  listRequests: ({ store, clock }, { viewer, query }) =>
    pageOfLines({ store, nowMs: clock.wallMs() }, ofAccount(query, viewer.account.id), showLine),
  getRequestDetail: ({ store }, { viewer, params }) => ownDetail(store, viewer.account.id, params.id),
  exportRequests: ({ store }, { viewer, query }) =>
    requestsAsCsv(store, ofAccount(query, viewer.account.id), exportColumns),
  getAllUsage: ({ store, clock }, { query }) =>
    answerNumbers({ store, nowMs: clock.wallMs() }, query, showOperatorNumbers),
  listAllRequests: ({ store, clock }, { query }) =>
    pageOfLines({ store, nowMs: clock.wallMs() }, query, showOperatorLine),
  getAnyRequest: ({ store }, { params }) => anyDetail(store, params.id),
  exportAllRequests: ({ store }, { query }) => requestsAsCsv(store, query, operatorExportColumns),
};
