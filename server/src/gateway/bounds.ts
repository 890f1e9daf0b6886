/** How much a request can use at most, before anything was used: the numbers its hold is made of. Pure. */
import type { Model, Price } from "@plaza/contract/catalog.ts";
import { estimateInput } from "../domain/estimate.ts";
import type { ChatFields } from "./chat-scan.ts";

/** Where neither the caller nor the catalog names a bound: what models of the day produce at most in ordinary use. */
const outputTokensDefault = 16_384;

export interface Bounds {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly choices: number;
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

/** Which kinds a price, in any tier, has rates of its own for; of the others nobody needs to look for tokens. */
interface Apart {
  readonly audio: boolean;
  readonly images: boolean;
}

const apartByPrice = new WeakMap<Price, Apart>();

function apartOf(price: Price): Apart {
  let found = apartByPrice.get(price);
  if (found === undefined) {
    const cards = [price, ...(price.tiers ?? [])];
    found = {
      audio: cards.some(({ audioInput, audioOutput }) => (audioInput ?? audioOutput) !== undefined),
      images: cards.some(({ imageInput, imageOutput }) => (imageInput ?? imageOutput) !== undefined),
    };
    apartByPrice.set(price, found);
  }
  return found;
}

/**
 * The whole body counts as prompt, because tool definitions and schemas do; a body larger than the context (images in
 * base64) counts as a full context. The output is what was asked for, at most the model's own cap.
 */
export function boundsOf(model: Model, price: Price, fields: ChatFields, body: Buffer): Bounds {
  const { context, maxOutput } = model;
  const apart = apartOf(price);
  const asked = fields.outputTokens ?? maxOutput ?? outputTokensDefault;
  return {
    inputTokens: Math.min(estimateInput(body.length), context ?? Number.POSITIVE_INFINITY),
    outputTokens: Math.min(asked, maxOutput ?? asked, context ?? asked),
    choices: fields.choices,
    // A word in a text says too much rather than too little: parts and modalities are named by these words.
    hasAudio: apart.audio && body.includes("audio"),
    hasImages: apart.images && body.includes("image"),
  };
}
