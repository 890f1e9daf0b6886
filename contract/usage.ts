/**
 * Usage: tokens of one answer by disjoint class, and where the numbers come from.
 */

/**
 * Token counts, whole and not negative. `input`, `cachedInput`, `cacheWrite` and `output` are
 * disjoint; `input + cachedInput + cacheWrite` is the whole prompt. The others say how much of one of
 * them was of a kind that may have its own price: a part is never larger than its whole, parts of the
 * same whole are disjoint, absent means 0.
 */
export interface Usage {
  /** Fresh prompt tokens, neither read from nor written to an upstream's prompt cache. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** How many of `output` were reasoning. */
  readonly reasoning: number;
  /** How many of `input` were audio. */
  readonly audioInput?: number | undefined;
  /** How many of `input` were images. */
  readonly imageInput?: number | undefined;
  /** How many of `output` were audio. */
  readonly audioOutput?: number | undefined;
  /** How many of `output` were images. */
  readonly imageOutput?: number | undefined;
  /**
   * How many of `cacheWrite` are kept for longer than the usual minutes
   * (Anthropic's one hour, OpenAI's twelve).
   */
  readonly longCacheWrite?: number | undefined;
  /**
   * The upstream's numbers contradicted each other and were cut down to what
   * can be true: recorded as `estimated`.
   */
  readonly isCapped?: boolean | undefined;
  /**
   * Some of `longCacheWrite` is kept for a time no price is known for: it is charged at that class's rate,
   * the highest known for writes, and recorded as `estimated`.
   */
  readonly hasUnknownClass?: boolean | undefined;
}

/**
 * `exact`: the upstream's own numbers. `estimated`: our count of what was asked and delivered, or the
 * upstream's numbers cut down because they contradicted each other. `none`: nothing was used.
 */
export type UsageSource = "exact" | "estimated" | "none";

/**
 * How a request ended. `complete`: whole answer delivered. `incomplete`: cut after content. `aborted`: the
 * caller left. `failed`: an error, no content.
 */
export type RequestState = "complete" | "incomplete" | "aborted" | "failed";

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };
