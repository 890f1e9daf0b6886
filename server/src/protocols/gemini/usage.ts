/**
 * Converts Gemini's `usageMetadata` to and from disjoint classes. The prompt's count includes cached tokens;
 * the counts of prompt and candidates exclude tool results and thoughts. Fields that are 0 are often left
 * out.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { count, freshParts, optionalCount, usageOf } from "../usage-counts.ts";

/** Tokens of one modality in a list of details; undefined without a list. */
function modality(report: JsonRecord, list: string, name: "AUDIO" | "IMAGE"): number | undefined {
  const details = report[list];
  if (!Array.isArray(details)) return undefined;
  return details
    .map(recordOf)
    .filter((detail) => detail["modality"] === name)
    .reduce((sum, detail) => sum + optionalCount(detail["tokenCount"]), 0);
}

/**
 * Output tokens. A missing count is 0 only if the total confirms it, as for a blocked prompt or an answer of
 * thoughts only.
 */
function candidates(report: JsonRecord, others: number): number | undefined {
  const tokens = count(report["candidatesTokenCount"]);
  return tokens === undefined && report["totalTokenCount"] === others ? 0 : tokens;
}

/**
 * Fresh audio or image tokens, exact when cached ones are reported by modality; else undefined. NaN when more
 * are cached than present.
 */
function exactlyFresh(report: JsonRecord, name: "AUDIO" | "IMAGE"): number | undefined {
  const cached = modality(report, "cacheTokensDetails", name);
  if (cached === undefined) return undefined;
  const all = modality(report, "promptTokensDetails", name) ?? 0;
  return cached > all ? Number.NaN : all - cached;
}

/** Audio and image tokens among the prompt's fresh tokens, without tool results. */
function promptParts(
  report: JsonRecord,
  fresh: number,
  cached: number,
): { audioInput: number; imageInput: number } {
  if (cached > 0) {
    const audioInput = exactlyFresh(report, "AUDIO");
    const imageInput = exactlyFresh(report, "IMAGE");
    if (audioInput !== undefined && imageInput !== undefined) return { audioInput, imageInput };
  }
  const audio = modality(report, "promptTokensDetails", "AUDIO") ?? 0;
  const image = modality(report, "promptTokensDetails", "IMAGE") ?? 0;
  if (audio + image > fresh + cached) return { audioInput: Number.NaN, imageInput: Number.NaN };
  return freshParts(audio, image, fresh);
}

/**
 * Undefined when absent or implausible: a count that is negative, fractional, not a number or above 10^9;
 * more cached tokens than the prompt has; or more audio and image tokens than the count they are part of.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const prompt = count(value["promptTokenCount"]);
  if (prompt === undefined) return undefined;
  const cachedInput = optionalCount(value["cachedContentTokenCount"]);
  const tools = optionalCount(value["toolUsePromptTokenCount"]);
  const thoughts = optionalCount(value["thoughtsTokenCount"]);
  const answer = candidates(value, prompt + tools + thoughts);
  if (answer === undefined) return undefined;
  // Plaza's name for cache writes of other vendors; Google has none.
  const cacheWrite = optionalCount(value["cacheWriteTokenCount"]);
  const fresh = prompt - cachedInput - cacheWrite;
  if (Number.isNaN(fresh) || fresh < 0) return undefined;
  const { audioInput, imageInput } = promptParts(value, fresh, cachedInput);
  const audioOutput = modality(value, "candidatesTokensDetails", "AUDIO") ?? 0;
  const imageOutput = modality(value, "candidatesTokensDetails", "IMAGE") ?? 0;
  if (audioOutput + imageOutput > answer || audioInput + imageInput > fresh) return undefined;
  return usageOf({
    input: fresh + tools,
    cachedInput,
    cacheWrite,
    longCacheWrite: optionalCount(value["longCacheWriteTokenCount"]),
    hasUnknownClass: value["hasUnknownCacheWrite"] === true,
    output: answer + thoughts,
    reasoning: thoughts,
    audioInput: audioInput + (modality(value, "toolUsePromptTokensDetails", "AUDIO") ?? 0),
    imageInput: imageInput + (modality(value, "toolUsePromptTokensDetails", "IMAGE") ?? 0),
    audioOutput,
    imageOutput,
  });
}

const detail = (name: string, tokenCount: number): object => ({ modality: name, tokenCount });

/** Tokens by modality; absent when all are text or the modality is unknown. */
function detailsOf(all: number, audio = 0, image = 0): readonly object[] | undefined {
  if (audio + image === 0) return undefined;
  return [
    ...(all > audio + image ? [detail("TEXT", all - audio - image)] : []),
    ...(audio > 0 ? [detail("AUDIO", audio)] : []),
    ...(image > 0 ? [detail("IMAGE", image)] : []),
  ];
}

/** Usage in Google's format without fields that are 0; `readUsage` reads it back to the same classes. */
export function usageOnWire(usage: Usage): Readonly<Record<string, unknown>> {
  const { input, cachedInput, cacheWrite, output, reasoning, longCacheWrite } = usage;
  const prompt = input + cachedInput + cacheWrite;
  const answer = output - reasoning;
  const promptDetails = detailsOf(prompt, usage.audioInput, usage.imageInput);
  const answerDetails = detailsOf(answer, usage.audioOutput, usage.imageOutput);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: answer,
    totalTokenCount: prompt + output,
    ...(cachedInput === 0 ? {} : { cachedContentTokenCount: cachedInput }),
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    ...(promptDetails === undefined ? {} : { promptTokensDetails: promptDetails }),
    ...(answerDetails === undefined ? {} : { candidatesTokensDetails: answerDetails }),
    ...(cacheWrite === 0 ? {} : { cacheWriteTokenCount: cacheWrite }),
    ...(longCacheWrite === undefined ? {} : { longCacheWriteTokenCount: longCacheWrite }),
    ...(usage.hasUnknownClass === true ? { hasUnknownCacheWrite: true } : {}),
  };
}
