/**
 * The usage of an embeddings answer in OpenAI's shape, and how it is written (docs/wire/openai-embeddings.md
 * section 5). Numbers that cannot be true make the whole report untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import { count, freshParts, optionalCount, usageOf } from "../usage-counts.ts";

/**
 * Undefined when absent, not to be trusted (a count that is negative, fractional, not a number or above
 * 10^9), or our own estimate, which is no report of an upstream's.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value) || value["is_estimated"] === true) return undefined;
  // Some services say the sum alone.
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
 * The tokens of all inputs as OpenAI's wire says them. `isEstimated`: we
 * counted them, because the upstream did not.
 */
export const usageOnWire = (
  inputTokens: number,
  isEstimated: boolean,
): Readonly<Record<string, number | boolean>> => ({
  prompt_tokens: inputTokens,
  total_tokens: inputTokens,
  ...(isEstimated ? { is_estimated: true } : {}),
});
