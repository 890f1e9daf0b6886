/**
 * What a translating provider says of an answer, piece by piece, in whatever form the caller gets it: as chunks of a stream
 * (`chunks.ts`) or as one message (`message.ts`). Each provider translates its pieces once, for both.
 */
import type { Usage } from "@plaza/contract/usage.ts";

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** A token of the answer, with how likely it was and what else might have stood there: an entry of OpenAI's `logprobs.content`. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8. */
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly Omit<TokenLogprob, "top_logprobs">[];
}

/** `choice`: which of several answers, from 0. Empty texts say nothing. */
export interface AnswerWriter {
  text(text: string, choice?: number): void;
  /** The tokens of what is said next. */
  logprobs(tokens: readonly TokenLogprob[], choice?: number): void;
  refusal(text: string, choice?: number): void;
  /** Thoughts in words: `reasoning_content`. */
  reasoning(text: string, choice?: number): void;
  /** An entry of `reasoning_details`: signatures and the like, to be sent back as it is. */
  reasoningDetail(detail: Readonly<Record<string, unknown>>, choice?: number): void;
  /** A tool call begins. `index`: its number among the calls of its choice, from 0. `extra`: further fields of the call. */
  toolCall(
    index: number,
    call: { id: string; name: string; extra?: Readonly<Record<string, unknown>> },
    choice?: number,
  ): void;
  /** A piece of its arguments' JSON. */
  toolArguments(index: number, fragment: string, choice?: number): void;
  /** An image the model made, as a `data:` address. */
  image(url: string, choice?: number): void;
  /** An entry of `annotations`. */
  annotation(annotation: Readonly<Record<string, unknown>>, choice?: number): void;
  /** The choice is over. Only the last one said counts. */
  finish(reason: FinishReason, choice?: number): void;
  /** What the whole answer used. Only the last one said counts. */
  usage(usage: Usage): void;
}

/** Who writes, and about what. */
export interface WriterHead {
  readonly id: string;
  readonly createdSeconds: number;
  readonly model: string;
  /** Answered in the old way, with `function_call`. */
  readonly isLegacy: boolean;
}

/** Usage as OpenAI's wire says it; `openai-chat/usage.ts` reads it back to the same classes. */
export function usageOnWire(usage: Usage): Readonly<Record<string, unknown>> {
  const prompt = usage.input + usage.cachedInput + usage.cacheWrite;
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite,
      ...(longCacheWrite === undefined ? {} : { long_cache_write_tokens: longCacheWrite }),
      ...(usage.hasUnknownClass === true ? { has_unknown_cache_write: true } : {}),
      ...(audioInput === undefined ? {} : { audio_tokens: audioInput }),
      ...(imageInput === undefined ? {} : { image_tokens: imageInput }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(audioOutput === undefined ? {} : { audio_tokens: audioOutput }),
      ...(imageOutput === undefined ? {} : { image_tokens: imageOutput }),
    },
  };
}
