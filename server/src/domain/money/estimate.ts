/**
 * Pure: estimates token counts when an upstream reported none. They are always marked `estimated`. Linear in
 * time, because real tokenizers can be made to take seconds.
 */
import type { Usage } from "@plaza/contract/usage.ts";

/** Bytes of ordinary English text per token with the common tokenizers. */
const bytesPerToken = 4;
/**
 * Up to this many bytes an event counts as one token, as most upstreams send them; with more, the upstream
 * merged several.
 */
const tokenBytesMax = 12;
/**
 * With so few events, one long token (an emoji of many parts) dominates the average; the caller is charged
 * less.
 */
const fewEvents = 3;
const fewTokenBytesMax = 32;

/** How much of an answer was delivered. */
export interface Delivered {
  /** Events of a stream with little text; 0 for whole answers. */
  readonly events: number;
  /** Bytes of the text in these events, or in a whole answer. */
  readonly contentBytes: number;
  /** Bytes of text in events that hold many tokens. */
  readonly mergedBytes: number;
}

export const noDelivery: Delivered = { events: 0, contentBytes: 0, mergedBytes: 0 };

/** Estimated tokens of a prompt of this many bytes. */
export function estimateInput(promptBytes: number): number {
  return Math.ceil(promptBytes / bytesPerToken);
}

/** The request's estimated usage, as one class of input and one of output. */
export function estimateUsage(delivered: Delivered & { readonly promptTokens: number }): Usage {
  return {
    input: delivered.promptTokens,
    cachedInput: 0,
    cacheWrite: 0,
    output: estimateOutput(delivered),
    reasoning: 0,
  };
}

/** Estimated tokens of the delivered text. */
export function estimateOutput({ events, contentBytes, mergedBytes }: Delivered): number {
  const bytesMax = events <= fewEvents ? fewTokenBytesMax : tokenBytesMax;
  const isTokenPerEvent = events > 0 && contentBytes / events <= bytesMax;
  return isTokenPerEvent
    ? events + Math.ceil(mergedBytes / bytesPerToken)
    : Math.ceil((contentBytes + mergedBytes) / bytesPerToken);
}
