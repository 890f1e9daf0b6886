/**
 * Requests as CSV: a header line, then one line per request, newest first, read page by page on demand. The
 * columns are in `exportColumns`; times are ISO 8601 in UTC, amounts US dollars, token classes disjoint
 * (contract/usage.ts).
 */

import { formatUsd } from "@plaza/contract/money.ts";
import { type CsvCell, csvLine } from "../../../lib/csv.ts";
import type { NamedRequest, UsageStore } from "../../../store/usage/usage.ts";
import type { Download } from "../../context.ts";
import { filterOf, type LinesQuery, positionOf } from "./lines.ts";

const pageRows = 1_000;

type Column = readonly [heading: string, cell: (named: NamedRequest) => CsvCell];

const ownColumns: readonly Column[] = [
  ["id", ({ request }) => request.id],
  ["time", ({ request }) => new Date(request.createdAt).toISOString()],
  ["model", ({ request }) => request.modelId],
  ["key_id", ({ request }) => request.keyId],
  ["key_name", ({ keyName }) => keyName],
  ["stream", ({ request }) => (request.isStream ? "true" : "false")],
  ["status", ({ request }) => request.status],
  ["state", ({ request }) => request.state],
  ["error_code", ({ request }) => request.errorCode],
  ["input_tokens", ({ request }) => request.inputTokens],
  ["cached_input_tokens", ({ request }) => request.cachedInputTokens],
  ["cache_write_tokens", ({ request }) => request.cacheWriteTokens],
  ["output_tokens", ({ request }) => request.outputTokens],
  ["reasoning_tokens", ({ request }) => request.reasoningTokens],
  ["usage_source", ({ request }) => request.usageSource],
  ["charge_usd", ({ request }) => formatUsd(request.charge)],
  ["covered_by_operator_usd", ({ request }) => formatUsd(request.loss)],
  ["first_token_ms", ({ request }) => request.firstTokenMs],
  ["duration_ms", ({ request }) => request.durationMs],
  ["attempts", ({ request }) => request.attempts],
];

/** Last, so that the other columns keep their positions. */
const operation: Column = ["operation", ({ request }) => request.operation];

/** The columns of a user's own requests. */
export const exportColumns: readonly Column[] = [...ownColumns, operation];

/** What the operator gets. */
export const operatorExportColumns: readonly Column[] = [
  ...ownColumns,
  ["account_id", ({ request }) => request.accountId],
  ["account_name", ({ accountName }) => accountName],
  ["upstream", ({ request }) => request.upstreamId],
  ["upstream_model", ({ request }) => request.upstreamModel],
  ["cost_usd", ({ request }) => (request.cost === null ? null : formatUsd(request.cost))],
  operation,
];

/**
 * All matching requests. The first page is read before the answer starts, so that a refusal has its own
 * status.
 */
export async function requestsAsCsv(
  store: Pick<UsageStore, "pageRequests">,
  query: LinesQuery,
  columns: readonly Column[],
): Promise<Download> {
  const filter = filterOf(query);
  let page = await store.pageRequests(filter, { limit: pageRows });
  async function* pieces(): AsyncGenerator<string> {
    yield csvLine(columns.map(([heading]) => heading));
    for (;;) {
      if (page.length > 0)
        yield page.map((named) => csvLine(columns.map(([, cell]) => cell(named)))).join("");
      const last = page.length < pageRows ? undefined : page.at(-1);
      if (last === undefined) return;
      page = await store.pageRequests(filter, { after: positionOf(last), limit: pageRows });
    }
  }
  return { fileName: "requests.csv", pieces: pieces() };
}
