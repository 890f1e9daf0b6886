/**
 * Usage: tokens of one answer by disjoint class, and where the numbers come from.
 */

/** Token counts. `input + cachedInput + cacheWrite` is the whole prompt; `reasoning` is a part of `output`. */
export interface Usage {
  /** Fresh prompt tokens, neither read from nor written to an upstream's prompt cache. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** How many of `output` were reasoning. */
  readonly reasoning: number;
}

/**
 * `exact`: the upstream's own numbers. `estimated`: our count of what was asked and delivered. `none`: nothing was used.
 */
export type UsageSource = "exact" | "estimated" | "none";

/** How a request ended. `complete`: whole answer delivered. `incomplete`: cut after content. `aborted`: the caller left. `failed`: an error, no content. */
export type RequestState = "complete" | "incomplete" | "aborted" | "failed";

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };
