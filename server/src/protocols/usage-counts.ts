/**
 * Counts an upstream reports, without trusting them: what every reader of usage shares. One
 * impossible number makes the whole report untrusted, because nobody can tell which of the
 * others still hold. Knows no provider.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { JsonRecord } from "../lib/record.ts";

/** No answer has more tokens of one class; a larger number is a mistake. */
const tokensMax = 1_000_000_000;

/**
 * A count; undefined when absent or null (which is not 0); NaN when it cannot be
 * true, which spoils every sum it enters.
 */
export function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= tokensMax;
  // A sum with -0 must not show in records.
  return isCount ? value + 0 : Number.NaN;
}

/** A count that upstreams leave out where there is nothing to count; NaN when it cannot be true. */
export function optionalCount(value: unknown): number {
  return count(value) ?? 0;
}

/** Counts as a reader found them; NaN for impossible ones. */
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
 * The usage of these counts; undefined when one is impossible or parts are more than
 * their whole. Parts of 0 are left out.
 */
export function usageOf(counts: Counts): Usage | undefined {
  const { input, cachedInput = 0, cacheWrite = 0, output, reasoning = 0, longCacheWrite = 0 } = counts;
  const { audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0 } = counts;
  const wholes = [input, cachedInput, cacheWrite, output];
  const parts = [reasoning, longCacheWrite, audioInput, imageInput, audioOutput, imageOutput];
  if (![...wholes, ...parts].every(isPossible)) return undefined;
  if (audioInput + imageInput > input || longCacheWrite > cacheWrite) return undefined;
  if (reasoning + audioOutput + imageOutput > output) return undefined;
  return {
    input,
    cachedInput,
    cacheWrite,
    output,
    reasoning,
    ...(longCacheWrite > 0 ? { longCacheWrite } : {}),
    ...(audioInput > 0 ? { audioInput } : {}),
    ...(imageInput > 0 ? { imageInput } : {}),
    ...(audioOutput > 0 ? { audioOutput } : {}),
    ...(imageOutput > 0 ? { imageOutput } : {}),
    ...(counts.isCapped === true ? { isCapped: true } : {}),
    ...(counts.hasUnknownClass === true ? { hasUnknownClass: true } : {}),
  };
}

/**
 * Tokens written to a cache by how long they are kept: what is kept longer than ordinary, and
 * what for. NaN for impossible counts.
 */
interface WritesByAge {
  readonly all: number;
  readonly long: number;
  /**
   * Some are kept for a time no vendor had when this was written: they count as
   * long, whose rate is the highest known.
   */
  readonly hasUnknownClass: boolean;
}

const shortAges: ReadonlySet<string> = new Set(["5m", "30m"]);
const longAges: ReadonlySet<string> = new Set(["1h", "12h"]);

/**
 * Adds up writes by age, as vendors name it: 5m and 1h (Anthropic, Bedrock), 30m and 12h (OpenAI; openai-node
 * 7.55.0). Every vendor has two classes, and a price has the same two.
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
 * Ages and tokens of a breakdown whose fields are named by age, like
 * `ttl_12h_tokens`; `name`'s group is the age.
 */
export function agesNamed(details: JsonRecord, name: RegExp): [age: string, tokens: unknown][] {
  return Object.entries(details).flatMap(([field, tokens]) => {
    const age = name.exec(field)?.[1];
    return age === undefined ? [] : [[age, tokens]];
  });
}

/** Anthropic's names of them. */
export const anthropicAges = /^ephemeral_(\w+)_input_tokens$/;

/**
 * What a prompt's tokens were: `input` is what was neither read from nor written
 * to a cache. NaN for impossible counts.
 */
interface PromptParts {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly isCapped: boolean;
}

/**
 * The classes of a prompt of which the upstream says how much was cached and written. Where these are more
 * than the prompt (OpenRouter counts some writes beside it), they are cut down to it, reads first, so that
 * nobody pays for more tokens than the prompt is said to have.
 */
export function promptParts(prompt: number, cached: number, written: number): PromptParts {
  if (!(cached + written > prompt))
    return { input: prompt - cached - written, cachedInput: cached, cacheWrite: written, isCapped: false };
  const cachedInput = Math.min(cached, prompt);
  return { input: 0, cachedInput, cacheWrite: prompt - cachedInput, isCapped: true };
}

/**
 * How much of a prompt's audio and images is fresh where the upstream does not say which of it was
 * cached: as much as fits into the fresh tokens, because what is cached is the beginning of a
 * prompt and new audio comes at its end.
 */
export function freshParts(
  audio: number,
  image: number,
  input: number,
): { readonly audioInput: number; readonly imageInput: number } {
  const audioInput = Math.min(audio, input);
  return { audioInput, imageInput: Math.min(image, input - audioInput) };
}
