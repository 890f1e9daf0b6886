/**
 * Converts an OpenAI usage object to disjoint classes. Upstreams disagree on where cached and reasoning
 * tokens are counted; all rules for that are here. An implausible number makes the whole object untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import {
  agesNamed,
  anthropicAges,
  count,
  freshParts,
  optionalCount,
  promptParts,
  usageOf,
  writesByAge,
} from "../usage-counts.ts";

/**
 * The same tokens under several names. Proxies fill unused names with 0, so the largest value is the count.
 */
function largest(...values: readonly unknown[]): number {
  let most = 0;
  for (const value of values) most = Math.max(most, optionalCount(value));
  return most;
}

interface LongWrites {
  readonly long: number;
  readonly hasUnknownClass: boolean;
}

/** Most answers have none. */
const noLongWrites: LongWrites = { long: 0, hasUnknownClass: false };

const longNames = [
  "cache_write_tokens_details",
  "cache_creation_token_details",
  "long_cache_write_tokens",
  "has_unknown_cache_write",
];

const openaiAges = /^ttl_(\w+)_tokens$/;

/**
 * Cache writes with a long lifetime: OpenAI's twelve hours; Anthropic's hour, as LiteLLM and Plaza write it
 * (`openai-chat/encode-answer.ts`).
 */
function longWrites(promptDetails: JsonRecord): LongWrites {
  if (!longNames.some((name) => name in promptDetails)) return noLongWrites;
  const openai = recordOf(promptDetails["cache_write_tokens_details"]);
  const litellm = recordOf(promptDetails["cache_creation_token_details"]);
  const byAge = [writesByAge(agesNamed(openai, openaiAges)), writesByAge(agesNamed(litellm, anthropicAges))];
  const longs = byAge.map(({ long }) => long);
  return {
    long: Math.max(...longs, optionalCount(promptDetails["long_cache_write_tokens"])),
    // The last name is Plaza's own.
    hasUnknownClass:
      byAge.some((one) => one.hasUnknownClass) || promptDetails["has_unknown_cache_write"] === true,
  };
}

/**
 * Undefined when absent or implausible: a count that is negative, fractional, not a number or above 10^9, or
 * more audio or images than prompt or output. Cached and written tokens beyond the prompt are reduced to it
 * (`isCapped`).
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const prompt = count(value["prompt_tokens"]);
  const completion = count(value["completion_tokens"]);
  if (prompt === undefined || completion === undefined) return undefined;
  const promptDetails = recordOf(value["prompt_tokens_details"]);
  // OpenAI and most services; DeepSeek; Moonshot; Mistral, whose answers have up to three names for the same
  // tokens.
  const cached = largest(
    promptDetails["cached_tokens"],
    value["prompt_cache_hit_tokens"],
    value["cached_tokens"],
    value["num_cached_tokens"],
    recordOf(value["prompt_token_details"])["cached_tokens"],
  );
  // OpenAI and OpenRouter; DashScope and LiteLLM.
  const written = largest(
    promptDetails["cache_write_tokens"],
    promptDetails["cache_creation_input_tokens"],
    promptDetails["cache_creation_tokens"],
    value["cache_creation_input_tokens"],
  );
  const { long, hasUnknownClass } = longWrites(promptDetails);
  const parts = promptParts(prompt, cached, written);
  const audio = optionalCount(promptDetails["audio_tokens"]);
  const image = optionalCount(promptDetails["image_tokens"]);
  if (audio + image > prompt) return undefined;

  const details = recordOf(value["completion_tokens_details"]);
  const reasoning = optionalCount(details["reasoning_tokens"]);
  const audioOutput = optionalCount(details["audio_tokens"]);
  const imageOutput = optionalCount(details["image_tokens"]);
  // xAI counts reasoning outside completion_tokens; only the total shows that. Otherwise reasoning is part of
  // the output and reduced to it, so that no caller pays for tokens the total does not include.
  const isOutside = value["total_tokens"] === prompt + completion + reasoning;
  const output = isOutside ? completion + reasoning : completion;
  return usageOf({
    ...parts,
    hasUnknownClass,
    longCacheWrite: parts.isCapped ? Math.min(long, parts.cacheWrite) : long,
    output,
    ...freshParts(audio, image, parts.input),
    audioOutput,
    imageOutput,
    reasoning: Math.min(reasoning, Math.max(0, output - audioOutput - imageOutput)),
  });
}
