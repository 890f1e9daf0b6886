/** Usage: tokens of one answer by disjoint class, and the source of the numbers. */

/**
 * Token counts, whole and not negative. `input`, `cachedInput`, `cacheWrite` and `output` are disjoint;
 * `input + cachedInput + cacheWrite` is the whole prompt. The others are parts of these that may have their
 * own price: a part never exceeds its whole, parts of the same whole are disjoint, absent means 0.
 */
export interface Usage {
  /** Fresh prompt tokens, neither read from nor written to an upstream's prompt cache. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** Part of `output`: reasoning. */
  readonly reasoning: number;
  /** Part of `input`: audio. */
  readonly audioInput?: number | undefined;
  /** Part of `input`: images. */
  readonly imageInput?: number | undefined;
  /** Part of `output`: audio. */
  readonly audioOutput?: number | undefined;
  /** Part of `output`: images. */
  readonly imageOutput?: number | undefined;
  /**
   * Part of `cacheWrite` that is kept longer than the usual minutes (Anthropic's one hour, OpenAI's twelve).
   */
  readonly longCacheWrite?: number | undefined;
  /**
   * The upstream's numbers were contradictory and were reduced to plausible ones; recorded as `estimated`.
   */
  readonly isCapped?: boolean | undefined;
  /**
   * Part of `longCacheWrite` has a lifetime without a known price. It is charged at that class's rate, the
   * highest known for writes, and recorded as `estimated`.
   */
  readonly hasUnknownClass?: boolean | undefined;
  /**
   * Reported on the way of an answer that did not come to its end: what the upstream did until it noticed may
   * be billed, too. Recorded as `estimated`.
   */
  readonly isOnTheWay?: boolean | undefined;
}

/**
 * `exact`: the upstream's own numbers. `estimated`: Plaza's count, or the upstream's numbers reduced because
 * they were contradictory, or reported before the answer broke off. `none`: nothing was used.
 */
export type UsageSource = "exact" | "estimated" | "none";

/**
 * How a request ended. `complete`: the whole answer was delivered. `incomplete`: cut off after content.
 * `aborted`: the client disconnected. `failed`: an error without content.
 */
export type RequestState = "complete" | "incomplete" | "aborted" | "failed";

/** True when no token is reported, which no call that was answered uses: its prompt has some. */
export const isAllZero = ({ input, cachedInput, cacheWrite, output }: Usage): boolean =>
  input + cachedInput + cacheWrite + output === 0;

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };
