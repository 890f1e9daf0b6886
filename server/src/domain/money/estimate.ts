/**
 * Pure: token counts where an upstream reported none. Always shown as `estimated`; linear in time, because
 * real tokenizers can be made to take seconds.
 */
import type { Usage } from "@plaza/contract/usage.ts";

/** Bytes of ordinary English text per token, as the common tokenizers give. */
const bytesPerToken = 4;
/**
 * Up to here an event is taken to be one token, as most upstreams send them;
 * beyond, upstreams have merged several.
 */
const tokenBytesMax = 12;
/**
 * Of so few events one long token (an emoji of many parts) makes the average: the caller gets the benefit.
 */
const fewEvents = 3;
const fewTokenBytesMax = 32;

/** How much of an answer went by. */
export interface Delivered {
  /** Events of a stream with a little text each; 0 for whole answers. */
  readonly events: number;
  /** Bytes of the text in these events, or in a whole answer. */
  readonly contentBytes: number;
  /** Bytes of the text in events that carry many tokens. */
  readonly mergedBytes: number;
}

export const noDelivery: Delivered = { events: 0, contentBytes: 0, mergedBytes: 0 };

/** Tokens a prompt of this many bytes probably has. */
export function estimateInput(promptBytes: number): number {
  return Math.ceil(promptBytes / bytesPerToken);
}

/** What the request probably used, as one class of input and one of output. */
export function estimateUsage(delivered: Delivered & { readonly promptTokens: number }): Usage {
  return {
    input: delivered.promptTokens,
    cachedInput: 0,
    cacheWrite: 0,
    output: estimateOutput(delivered),
    reasoning: 0,
  };
}

/** Tokens of the text that was delivered. */
export function estimateOutput({ events, contentBytes, mergedBytes }: Delivered): number {
  const bytesMax = events <= fewEvents ? fewTokenBytesMax : tokenBytesMax;
  const isTokenPerEvent = events > 0 && contentBytes / events <= bytesMax;
  return isTokenPerEvent
    ? events + Math.ceil(mergedBytes / bytesPerToken)
    : Math.ceil((contentBytes + mergedBytes) / bytesPerToken);
}
