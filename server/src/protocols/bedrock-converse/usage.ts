/**
 * Converts the usage of Bedrock's Converse to disjoint classes. `inputTokens` excludes tokens read from or
 * written to the cache. Reasoning is not counted separately from the output.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import { count, optionalCount, usageOf, writesByAge } from "../usage-counts.ts";

/** Tokens written to the cache for longer than five minutes. */
function longWrites(details: unknown) {
  if (!Array.isArray(details)) return {};
  const writes = details
    .map(recordOf)
    .map(({ ttl = "5m", inputTokens }) => [typeof ttl === "string" ? ttl : "", inputTokens] as const);
  const { long, hasUnknownClass } = writesByAge(writes);
  return { longCacheWrite: long, hasUnknownClass };
}

/**
 * Undefined when absent or implausible: a count that is negative, fractional, not a number or above 10^9, or
 * more long-lived cache writes than writes in total.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const input = count(value["inputTokens"]);
  const output = count(value["outputTokens"]);
  if (input === undefined || output === undefined) return undefined;
  return usageOf({
    input,
    cachedInput: optionalCount(value["cacheReadInputTokens"]),
    cacheWrite: optionalCount(value["cacheWriteInputTokens"]),
    ...longWrites(value["cacheDetails"]),
    output,
  });
}
