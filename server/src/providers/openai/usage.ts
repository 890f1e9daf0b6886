/**
 * An OpenAI-shaped usage object → disjoint classes. Upstreams disagree on where cached and reasoning tokens are counted;
 * every rule for that is here. Numbers that cannot be true make the whole object untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, recordOf } from "../../lib/record.ts";

/** No answer has more tokens of one class; a larger number is a mistake. */
const tokensMax = 1_000_000_000;

/** A count; undefined when absent or null (which is not 0); NaN when it cannot be true, which spoils every sum it enters. */
function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= tokensMax;
  return isCount ? value : Number.NaN;
}

/** The same tokens under several names: proxies fill unused names with 0, so the largest one is meant. */
function largest(...values: readonly unknown[]): number {
  return Math.max(0, ...values.map((value) => count(value) ?? 0));
}

/** Undefined when absent or not to be trusted: a count that is negative, fractional, not a number or above 10^9, or cached tokens exceeding the prompt. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const prompt = count(value["prompt_tokens"]);
  const completion = count(value["completion_tokens"]);
  if (prompt === undefined || completion === undefined) return undefined;
  const details = recordOf(value["prompt_tokens_details"]);
  // OpenAI and most; DeepSeek; Moonshot.
  const cachedInput = largest(
    details["cached_tokens"],
    value["prompt_cache_hit_tokens"],
    value["cached_tokens"],
  );
  // OpenAI and OpenRouter; DashScope and LiteLLM.
  const cacheWrite = largest(
    details["cache_write_tokens"],
    details["cache_creation_input_tokens"],
    details["cache_creation_tokens"],
    value["cache_creation_input_tokens"],
  );
  const input = prompt - cachedInput - cacheWrite;
  if (input < 0) return undefined;
  const reasoning = largest(recordOf(value["completion_tokens_details"])["reasoning_tokens"]);
  // xAI counts reasoning outside completion_tokens; only the total tells. Without that proof reasoning is part of the
  // output, and more reasoning than output is cut down, so that no caller pays for tokens no total vouches for.
  const isOutside = value["total_tokens"] === prompt + completion + reasoning;
  const output = isOutside ? completion + reasoning : completion;
  if (Number.isNaN(input + output + reasoning) || output > tokensMax) return undefined;
  return { input, cachedInput, cacheWrite, output, reasoning: Math.min(reasoning, output) };
}
