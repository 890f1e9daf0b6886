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
/** Of one image that a model made: vendors report 1,056 to 1,290 for an image of about 1024 by 1024. */
const imageTokens = 1_120;

/** How much of an answer was delivered. */
export interface Delivered {
  /** Events of a stream with little text; 0 for whole answers. */
  readonly events: number;
  /** Bytes of the text in these events, or in a whole answer. */
  readonly contentBytes: number;
  /** Bytes of text in events that hold many tokens. */
  readonly mergedBytes: number;
  /** Images that the model made. */
  readonly images: number;
}

export const noDelivery: Delivered = { events: 0, contentBytes: 0, mergedBytes: 0, images: 0 };

/** Estimated tokens of a prompt of this many bytes. */
export function estimateInput(promptBytes: number): number {
  return Math.ceil(promptBytes / bytesPerToken);
}

/**
 * The request's estimated usage: one class of output, and of input `promptTokens`, or the classes of `prompt`
 * where the upstream reported them.
 */
export function estimateUsage({
  promptTokens,
  prompt,
  ...delivered
}: Delivered & { readonly promptTokens: number; readonly prompt?: Usage | undefined }): Usage {
  const { longCacheWrite, audioInput, imageInput, hasUnknownClass } = prompt ?? {};
  return {
    input: prompt?.input ?? promptTokens,
    cachedInput: prompt?.cachedInput ?? 0,
    cacheWrite: prompt?.cacheWrite ?? 0,
    output: estimateOutput(delivered),
    reasoning: 0,
    ...(prompt === undefined ? {} : { longCacheWrite, audioInput, imageInput, hasUnknownClass }),
    ...(delivered.images > 0 ? { imageOutput: delivered.images * imageTokens } : {}),
  };
}

/** Estimated tokens of the delivered text and images. */
export function estimateOutput(delivered: Delivered): number {
  return estimateText(delivered) + delivered.images * imageTokens;
}

function estimateText({ events, contentBytes, mergedBytes }: Delivered): number {
  const bytesMax = events <= fewEvents ? fewTokenBytesMax : tokenBytesMax;
  const isTokenPerEvent = events > 0 && contentBytes / events <= bytesMax;
  return isTokenPerEvent
    ? events + Math.ceil(mergedBytes / bytesPerToken)
    : Math.ceil((contentBytes + mergedBytes) / bytesPerToken);
}
