/** Requests as lists show them, and their pages. */

import type { operatorRequestLine, refusedCalls, requestLine } from "@plaza/contract/api/usage.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import { z } from "zod";
import type { RefusalStore } from "../../../store/requests/refusal-shapes.ts";
import type { NamedRequest, RequestFilter, RequestPosition, UsageStore } from "../../../store/usage/usage.ts";
import { readCursor, writeCursor } from "../../cursor.ts";

/** Filters as the routes' schema read them. */
export interface LinesQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly model?: readonly string[] | undefined;
  readonly key?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  readonly state?: readonly RequestState[] | undefined;
  readonly operation?: readonly Operation[] | undefined;
  readonly project?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly errorCode?: string | undefined;
  readonly id?: string | undefined;
}

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

export function filterOf(query: LinesQuery): RequestFilter {
  return {
    accounts: query.account,
    keys: query.key,
    models: query.model,
    states: query.state,
    operations: query.operation,
    projects: query.project,
    tags: query.tag,
    errorCode: query.errorCode,
    idPrefix: query.id,
    fromMs: timeOf(query.from),
    toMs: timeOf(query.to),
  };
}

/** A line of a user's own requests. */
export function showLine({ request, keyName }: NamedRequest): z.output<typeof requestLine> {
  return {
    id: request.id,
    createdAt: new Date(request.createdAt).toISOString(),
    model: request.modelId,
    operation: request.operation,
    keyId: request.keyId,
    keyName,
    isStream: request.isStream,
    status: request.status,
    state: request.state,
    errorCode: request.errorCode,
    inputTokens: request.inputTokens,
    cachedInputTokens: request.cachedInputTokens,
    cacheWriteTokens: request.cacheWriteTokens,
    outputTokens: request.outputTokens,
    reasoningTokens: request.reasoningTokens,
    usageSource: request.usageSource,
    charge: formatUsd(request.charge),
    firstTokenMs: request.firstTokenMs,
    durationMs: request.durationMs,
    attempts: request.attempts,
  };
}

/** The same with the operator's columns. */
export function showOperatorLine(named: NamedRequest): z.output<typeof operatorRequestLine> {
  const { request, accountName } = named;
  return {
    ...showLine(named),
    accountId: request.accountId,
    accountName,
    upstream: request.upstreamId,
    upstreamModel: request.upstreamModel,
    cost: request.cost === null ? null : formatUsd(request.cost),
  };
}

const minuteMs = 60_000;

const place = z.tuple([z.number().int(), z.string().max(200)]);

/** The position after a request. */
export const positionOf = ({ request }: NamedRequest): RequestPosition => ({
  createdAt: request.createdAt,
  id: request.id,
});

type ShownRefusals = z.output<typeof refusedCalls> & { readonly accountId: string };

/** Refused calls without a row, if the query may include them. */
async function refusedBeside(
  store: Pick<RefusalStore, "sumRefusals">,
  query: LinesQuery & { readonly cursor?: string | undefined },
): Promise<ShownRefusals[]> {
  const isOther = [query.model, query.operation, query.id, query.cursor].some((one) => one !== undefined);
  if (isOther || (query.state !== undefined && !query.state.includes("failed"))) return [];
  const { accounts, keys, projects, tags, errorCode, fromMs, toMs } = filterOf(query);
  const floor = fromMs === undefined ? undefined : fromMs - (fromMs % minuteMs);
  const sums = await store.sumRefusals({ accounts, keys, projects, tags, errorCode, fromMs: floor, toMs });
  return sums.map(({ firstMinute, lastMinute, ...sum }) => ({
    ...sum,
    from: new Date(firstMinute).toISOString(),
    to: new Date(lastMinute).toISOString(),
  }));
}

/** A page, the start of the next one, and with the first page the refused calls without a row. */
export async function pageOfLines<Line>(
  {
    store,
    nowMs,
  }: { store: Pick<UsageStore, "pageRequests"> & Pick<RefusalStore, "sumRefusals">; nowMs: number },
  query: LinesQuery & { readonly limit: number; readonly cursor?: string | undefined },
  show: (named: NamedRequest) => Line,
): Promise<{ requests: Line[]; next: string | null; asOf: string; refused: ShownRefusals[] }> {
  const [createdAt, id] = readCursor(query.cursor, place) ?? [];
  const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id };
  // One more than requested shows whether there is another page.
  const found = await store.pageRequests(filterOf(query), { after, limit: query.limit + 1 });
  const shown = found.slice(0, query.limit);
  const last = found.length > query.limit ? shown.at(-1) : undefined;
  return {
    requests: shown.map(show),
    next: last === undefined ? null : writeCursor([last.request.createdAt, last.request.id]),
    asOf: new Date(nowMs).toISOString(),
    refused: await refusedBeside(store, query),
  };
}
