/** How much a request can use at most, before anything was used: the numbers its hold is made of. Pure. */
import type { Model } from "@plaza/contract/catalog.ts";
import { estimateInput } from "../domain/estimate.ts";
import type { ChatFields } from "./chat-scan.ts";

/** Where neither the caller nor the catalog names a bound: what models of the day produce at most in ordinary use. */
const outputTokensDefault = 16_384;

export interface Bounds {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly choices: number;
}

/**
 * The whole body counts as prompt, because tool definitions and schemas do; a body larger than the context (images in
 * base64) counts as a full context. The output is what was asked for, at most the model's own cap.
 */
export function boundsOf(model: Model, fields: ChatFields, bodyBytes: number): Bounds {
  const { context, maxOutput } = model;
  const asked = fields.outputTokens ?? maxOutput ?? outputTokensDefault;
  return {
    inputTokens: Math.min(estimateInput(bodyBytes), context ?? Number.POSITIVE_INFINITY),
    outputTokens: Math.min(asked, maxOutput ?? asked, context ?? asked),
    choices: fields.choices,
  };
}
