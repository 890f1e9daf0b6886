/** An account's usage of a model over the last seven days, and its cost at today's price. */

import type { Price } from "@plaza/contract/catalog.ts";
import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { chargeFor } from "../../../domain/money/price.ts";
import { slotMs } from "../../../lib/time/time-zone.ts";
import type { UsageStore, UsageSums } from "../../../store/usage/usage.ts";
import { totalOf } from "../usage/numbers.ts";

const weekSlots = (7 * 86_400_000) / slotMs;

/** Computed from the sums: rates of small prompts, and the price per request for each that did not fail. */
function chargeOfSums(sums: UsageSums, price: Price): NanoUsd {
  const usage = {
    input: sums.inputTokens,
    cachedInput: sums.cachedInputTokens,
    cacheWrite: sums.cacheWriteTokens,
    output: sums.outputTokens,
    reasoning: sums.reasoningTokens,
  };
  const { perRequest = 0n, tiers: _, ...rates } = price;
  const served = sums.complete + sums.incomplete + sums.aborted;
  return nanoUsd(chargeFor(usage, rates) + perRequest * BigInt(served));
}

/** Null without usage. */
export async function lastWeekOf(
  store: Pick<UsageStore, "sumUsage">,
  { accountId, modelId, price }: { accountId: string; modelId: string; price: Price | undefined },
  nowMs: number,
) {
  const to = Math.floor(nowMs / slotMs) + 1;
  const from = to - 1 - weekSlots;
  const rows = await store.sumUsage({
    accounts: [accountId],
    models: [modelId],
    stretches: [{ from, to, offset: 0 }],
    byDay: false,
    by: "none",
    rowsMax: 1,
  });
  const sums = totalOf(rows ?? []);
  if (sums.requests === 0) return null;
  return {
    from: new Date(from * slotMs).toISOString(),
    to: new Date(to * slotMs).toISOString(),
    requests: sums.requests,
    inputTokens: sums.inputTokens,
    cachedInputTokens: sums.cachedInputTokens,
    cacheWriteTokens: sums.cacheWriteTokens,
    outputTokens: sums.outputTokens,
    reasoningTokens: sums.reasoningTokens,
    charge: formatUsd(sums.charge),
    chargeNow: price === undefined ? null : formatUsd(chargeOfSums(sums, price)),
  };
}
