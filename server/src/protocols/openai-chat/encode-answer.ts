/**
 * An answer's events → values in OpenAI's chat format, shared by chunks (`chunks.ts`) and whole messages
 * (`message.ts`).
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { CallHead, EndReason, OpaqueReasoning, TokenLogprob } from "../../conversation/answer.ts";
import type { Citation } from "../../conversation/blocks.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Values an answer needs from the request. */
export interface AnswerHead {
  /** Id of the whole answer, `chatcmpl-…`. */
  readonly id: string;
  readonly createdSeconds: number;
  /** The upstream model's name, used when the answer names none. */
  readonly model: string;
  /** True for answers with the old `function_call`. */
  readonly isLegacy: boolean;
}

/**
 * The start of a call as an entry of `tool_calls` without its index; a `signature` is written as on Google's
 * OpenAI-compatible route.
 */
export function callOnWire({ id, name, signature }: CallHead, text: string): Fields {
  const call = { id, type: "function", function: { name, arguments: text } };
  if (signature === undefined) return call;
  return { ...call, extra_content: { google: { thought_signature: signature } } };
}

export const customCallOnWire = ({ id, name, input }: CallHead & { readonly input: string }): Fields => ({
  id,
  type: "custom",
  custom: { name, input },
});

/** An entry of `reasoning_details`, which clients send back unchanged. */
export function reasoningOnWire(reasoning: OpaqueReasoning): Fields {
  const { format, model, text, signature, data, id, callsBefore = 0 } = reasoning;
  const place = callsBefore === 0 ? {} : { calls_before: callsBefore };
  if (id !== undefined) {
    const made = model === undefined ? {} : { model };
    return { type: "reasoning.encrypted", format, id, data, ...made, ...place };
  }
  const said =
    text === undefined ? { type: "reasoning.encrypted", data } : { type: "reasoning.text", text, signature };
  return { ...said, format, model, ...place };
}

export const imageOnWire = (mediaType: string, base64: string): Fields => ({
  type: "image_url",
  image_url: { url: `data:${mediaType};base64,${base64}` },
});

/** An entry of `annotations`. */
export const citationOnWire = ({ url, title, start, end }: Citation): Fields => ({
  type: "url_citation",
  url_citation: { url, title, start_index: start, end_index: end },
});

/** An entry of `logprobs.content`. */
export const logprobOnWire = ({ token, logprob, bytes, alternatives }: TokenLogprob): Fields => ({
  token,
  logprob,
  bytes,
  top_logprobs: alternatives,
});

export const finishOnWire = (reason: EndReason, { isLegacy }: Pick<AnswerHead, "isLegacy">): string =>
  isLegacy && reason === "tool_calls" ? "function_call" : reason;

/** Usage in OpenAI's format; `usage.ts` reads it back to the same classes. */
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
