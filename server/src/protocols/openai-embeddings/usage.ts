/**
 * Usage of an embeddings answer in OpenAI's format, read and written (docs/wire/openai-embeddings.md section
 * 5). An implausible number makes the whole report untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import { count, freshParts, optionalCount, usageOf } from "../usage-counts.ts";

/**
 * Undefined when absent, implausible (a count that is negative, fractional, not a number or above 10^9), or
 * Plaza's own estimate, which is not an upstream's report.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value) || value["is_estimated"] === true) return undefined;
  // Some services report only the total.
  const input = count(value["prompt_tokens"]) ?? count(value["total_tokens"]);
  if (input === undefined) return undefined;
  const details = recordOf(value["prompt_tokens_details"]);
  const parts = freshParts(
    optionalCount(details["audio_tokens"]),
    optionalCount(details["image_tokens"]),
    input,
  );
  return usageOf({ input, output: optionalCount(value["completion_tokens"]), ...parts });
}

/**
 * The tokens of all inputs in OpenAI's format. `isEstimated`: Plaza counted them because the upstream did
 * not.
 */
export const usageOnWire = (
  inputTokens: number,
  isEstimated: boolean,
): Readonly<Record<string, number | boolean>> => ({
  prompt_tokens: inputTokens,
  total_tokens: inputTokens,
  ...(isEstimated ? { is_estimated: true } : {}),
});
