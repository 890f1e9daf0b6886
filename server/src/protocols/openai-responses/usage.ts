/**
 * Usage as Responses say it ⇄ disjoint classes (docs/wire/openai-responses.md section 2). Cached and written
 * tokens are parts of `input_tokens`, reasoning is a part of `output_tokens`, except where a total proves
 * that it stands beside them. Numbers that cannot be true make the whole report untrusted.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import {
  agesNamed,
  count,
  freshParts,
  optionalCount,
  promptParts,
  usageOf,
  writesByAge,
} from "../usage-counts.ts";
import type { Fields } from "./wire.ts";

const ages = /^ttl_(\w+)_tokens$/;

/** Usage as it is written; `readUsage` reads it back to the same classes. */
export function usageOnWire(usage: Usage): Fields {
  const input = usage.input + usage.cachedInput + usage.cacheWrite;
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite: long } = usage;
  // A class of unknown age has no name on this wire but its own.
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

/** Undefined when absent or not to be trusted. Cached tokens beyond the prompt are cut (`isCapped`). */
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
  // Only the total can prove that reasoning was counted outside: nobody pays for tokens no total vouches for.
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
