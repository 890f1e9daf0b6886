/**
 * Reads token counts that upstreams report, without trusting them. Shared by all usage readers. One
 * implausible number makes the whole report untrusted, because the others may be wrong too. Knows no
 * provider.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { JsonRecord } from "../lib/record.ts";

/** No answer has more tokens of one class; a larger number is an error. */
const tokensMax = 1_000_000_000;

/**
 * A count; undefined when absent or null (which is not 0); NaN when implausible, so that every sum with it is
 * NaN too.
 */
export function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= tokensMax;
  // Turns -0 into 0, which must not appear in records.
  return isCount ? value + 0 : Number.NaN;
}

/** A count that upstreams leave out when it is 0; NaN when implausible. */
export function optionalCount(value: unknown): number {
  return count(value) ?? 0;
}

/** The counts of a report; NaN for implausible ones. */
interface Counts {
  readonly input: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly longCacheWrite?: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly audioInput?: number;
  readonly imageInput?: number;
  readonly audioOutput?: number;
  readonly imageOutput?: number;
  readonly isCapped?: boolean;
  readonly hasUnknownClass?: boolean;
}

const isPossible = (tokens: number): boolean => tokens >= 0 && tokens <= tokensMax;

/**
 * The usage for these counts; undefined when one is implausible or parts exceed their whole. Parts of 0 are
 * left out.
 */
export function usageOf(counts: Counts): Usage | undefined {
  const { input, cachedInput = 0, cacheWrite = 0, output, reasoning = 0 } = counts;
  const areWholes = isPossible(input) && isPossible(cachedInput) && isPossible(cacheWrite);
  if (!areWholes || !isPossible(output) || !isPossible(reasoning)) return undefined;
  const usage = { input, cachedInput, cacheWrite, output, reasoning };
  const { longCacheWrite = 0, audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0 } = counts;
  const rare = longCacheWrite + audioInput + imageInput + audioOutput + imageOutput;
  const { isCapped = false, hasUnknownClass = false } = counts;
  if (rare === 0 && !isCapped && !hasUnknownClass) return reasoning > output ? undefined : usage;
  const parts = [longCacheWrite, audioInput, imageInput, audioOutput, imageOutput];
  if (!parts.every(isPossible)) return undefined;
  if (audioInput + imageInput > input || longCacheWrite > cacheWrite) return undefined;
  if (reasoning + audioOutput + imageOutput > output) return undefined;
  return {
    ...usage,
    ...(longCacheWrite > 0 ? { longCacheWrite } : {}),
    ...(audioInput > 0 ? { audioInput } : {}),
    ...(imageInput > 0 ? { imageInput } : {}),
    ...(audioOutput > 0 ? { audioOutput } : {}),
    ...(imageOutput > 0 ? { imageOutput } : {}),
    ...(isCapped ? { isCapped } : {}),
    ...(hasUnknownClass ? { hasUnknownClass } : {}),
  };
}

/** Tokens written to a cache, by lifetime. NaN for implausible counts. */
interface WritesByAge {
  readonly all: number;
  readonly long: number;
  /** True when some have an unknown lifetime: they count as long-lived, which has the highest known rate. */
  readonly hasUnknownClass: boolean;
}

const shortAges: ReadonlySet<string> = new Set(["5m", "30m"]);
const longAges: ReadonlySet<string> = new Set(["1h", "12h"]);

/**
 * Adds up cache writes by lifetime, as vendors name them: 5m and 1h (Anthropic, Bedrock), 30m and 12h
 * (OpenAI; openai-node 7.55.0). Every vendor has two classes, and so do prices.
 */
export function writesByAge(writes: Iterable<readonly [age: string, tokens: unknown]>): WritesByAge {
  let all = 0;
  let long = 0;
  let hasUnknownClass = false;
  for (const [age, tokens] of writes) {
    const counted = optionalCount(tokens);
    all += counted;
    if (shortAges.has(age)) continue;
    long += counted;
    if (counted > 0 && !longAges.has(age)) hasUnknownClass = true;
  }
  return { all, long, hasUnknownClass };
}

/**
 * Lifetimes and tokens of a breakdown whose fields contain the lifetime, like `ttl_12h_tokens`. `name`: its
 * group matches the lifetime.
 */
export function agesNamed(details: JsonRecord, name: RegExp): [age: string, tokens: unknown][] {
  return Object.entries(details).flatMap(([field, tokens]) => {
    const age = name.exec(field)?.[1];
    return age === undefined ? [] : [[age, tokens]];
  });
}

/** Anthropic's names of those fields. */
export const anthropicAges = /^ephemeral_(\w+)_input_tokens$/;

/**
 * A prompt's tokens by class. `input`: neither read from nor written to a cache. NaN for implausible counts.
 */
interface PromptParts {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly isCapped: boolean;
}

/**
 * The classes of a prompt from the reported cached and written tokens. If these exceed the prompt (OpenRouter
 * counts some writes separately), they are reduced to it, reads first, so that callers never pay for more
 * tokens than the prompt has.
 */
export function promptParts(prompt: number, cached: number, written: number): PromptParts {
  if (!(cached + written > prompt))
    return { input: prompt - cached - written, cachedInput: cached, cacheWrite: written, isCapped: false };
  const cachedInput = Math.min(cached, prompt);
  return { input: 0, cachedInput, cacheWrite: prompt - cachedInput, isCapped: true };
}

/**
 * The fresh part of a prompt's audio and images when the upstream does not report it: as much as fits into
 * the fresh tokens. The cached part is a prompt's start, and new audio usually comes at the end.
 */
export function freshParts(
  audio: number,
  image: number,
  input: number,
): { readonly audioInput: number; readonly imageInput: number } {
  const audioInput = Math.min(audio, input);
  return { audioInput, imageInput: Math.min(image, input - audioInput) };
}
