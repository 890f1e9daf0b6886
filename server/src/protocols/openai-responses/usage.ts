/**
 * Converts Responses usage to and from disjoint classes (docs/wire/openai-responses.md section 2).
 * `input_tokens` includes cached and written tokens; `output_tokens` includes reasoning, unless a total shows
 * that it does not. An implausible number makes the whole report untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import {
  agesNamed,
  count,
  freshParts,
  optionalCount,
  promptParts,
  usageOf,
  writesByAge,
} from "../usage-counts.ts";

const ages = /^ttl_(\w+)_tokens$/;

/** Usage as it is written; `readUsage` reads it back to the same classes. */
export function usageOnWire(usage: Usage): JsonRecord {
  const input = usage.input + usage.cachedInput + usage.cacheWrite;
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite: long } = usage;
  // A cache write of unknown lifetime is written under Plaza's own name.
  const longName = usage.hasUnknownClass === true ? "ttl_unknown_tokens" : "ttl_12h_tokens";
  const byAge = long === undefined ? {} : { [longName]: long, ttl_30m_tokens: usage.cacheWrite - long };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite,
      ...(long === undefined ? {} : { cache_write_tokens_details: byAge }),
      ...(audioInput === undefined ? {} : { audio_tokens: audioInput }),
      ...(imageInput === undefined ? {} : { image_tokens: imageInput }),
    },
    output_tokens: usage.output,
    output_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(audioOutput === undefined ? {} : { audio_tokens: audioOutput }),
      ...(imageOutput === undefined ? {} : { image_tokens: imageOutput }),
    },
    total_tokens: input + usage.output,
  };
}

/** Undefined when absent or implausible. Cached tokens beyond the prompt are reduced to it (`isCapped`). */
export function readUsage(report: unknown): Usage | undefined {
  if (!isRecord(report)) return undefined;
  const input = count(report["input_tokens"]);
  const said = count(report["output_tokens"]);
  if (input === undefined || said === undefined) return undefined;
  const details = recordOf(report["input_tokens_details"]);
  const cached = optionalCount(details["cached_tokens"]);
  const written = optionalCount(details["cache_write_tokens"]);
  const parts = promptParts(input, cached, written);
  const { long, hasUnknownClass } = writesByAge(
    agesNamed(recordOf(details["cache_write_tokens_details"]), ages),
  );
  const audio = optionalCount(details["audio_tokens"]);
  const image = optionalCount(details["image_tokens"]);
  if (audio + image > input) return undefined;

  const outputDetails = recordOf(report["output_tokens_details"]);
  const reasoning = optionalCount(outputDetails["reasoning_tokens"]);
  const audioOutput = optionalCount(outputDetails["audio_tokens"]);
  const imageOutput = optionalCount(outputDetails["image_tokens"]);
  // Only a total can show that reasoning was counted separately; callers do not pay for tokens the total does
  // not include.
  const isOutside = reasoning > 0 && report["total_tokens"] === input + said + reasoning;
  const output = isOutside ? said + reasoning : said;
  return usageOf({
    ...parts,
    hasUnknownClass,
    longCacheWrite: Math.min(long, parts.cacheWrite),
    output,
    ...freshParts(audio, image, parts.input),
    audioOutput,
    imageOutput,
    reasoning: Math.min(reasoning, Math.max(0, output - audioOutput - imageOutput)),
  });
}
