/**
 * What the explorer shows as CSV: a header line, then one line for each span and group with requests, and for
 * the rest. Amounts are US dollars, times ISO 8601 in UTC. Lines add up
 * to the total of the period, except by tag: a request is in the line of each tag of its key.
 */
import { formatUsd } from "@plaza/contract/money.ts";
import { type CsvCell, csvLine } from "../../../lib/csv.ts";
import type { UsageSums } from "../../../store/usage/usage.ts";
import type { Download } from "../../context.ts";
import { type ExploreContext, type ExploreQuery, explore } from "./explore.ts";

type Column = readonly [heading: string, cell: (sums: UsageSums) => CsvCell];

const columns: readonly Column[] = [
  ["requests", ({ requests }) => requests],
  ["complete", ({ complete }) => complete],
  ["input_tokens", ({ inputTokens }) => inputTokens],
  ["cached_input_tokens", ({ cachedInputTokens }) => cachedInputTokens],
  ["cache_write_tokens", ({ cacheWriteTokens }) => cacheWriteTokens],
  ["output_tokens", ({ outputTokens }) => outputTokens],
  ["charge_usd", ({ charge }) => formatUsd(charge)],
  ["covered_by_operator_usd", ({ loss }) => formatUsd(loss)],
];

const operatorColumns: readonly Column[] = [
  ...columns,
  ["known_cost_usd", ({ cost }) => formatUsd(cost)],
  ["requests_without_cost", ({ withoutCost }) => withoutCost],
];

/** See the file's comment. Everything is read before the answer starts. */
export async function exploredAsCsv(
  context: ExploreContext,
  query: ExploreQuery,
  isOperator: boolean,
): Promise<Download> {
  const { spans, groups, other } = await explore(context, query);
  const shown = isOperator ? operatorColumns : columns;
  const rows = other === undefined ? groups : [...groups, { ...other, id: "(other)", name: null }];
  async function* pieces(): AsyncGenerator<string> {
    yield csvLine([query.grain, query.by, "name", ...shown.map(([heading]) => heading)]);
    for (const [at, fromMs] of spans.entries()) {
      for (const { id, name, spans: sums } of rows) {
        const here = sums[at];
        if (here === undefined || here.requests === 0) continue;
        yield csvLine([new Date(fromMs).toISOString(), id, name, ...shown.map(([, cell]) => cell(here))]);
      }
    }
  }
  return { fileName: `usage-by-${query.by}.csv`, pieces: pieces() };
}
