/** Where each caller's format carries payloads of opaque reasoning, and how they are told from its own. */
import { payloadsOf } from "./payload.ts";

/**
 * In a thinking block's `signature`, where Anthropic's own is opaque text (docs/wire/anthropic-messages.md
 * section 13).
 */
export const messagesPayloads = payloadsOf({ mark: "plaza-thinking-", marked: "plaza-thinking-1." });

/**
 * In a reasoning item's `encrypted_content`, where OpenAI's own is opaque text (docs/wire/openai-responses.md
 * section 5).
 */
export const responsesPayloads = payloadsOf({ mark: "plaza-reasoning-", marked: "plaza-reasoning-1." });

/**
 * In a part's `thoughtSignature`, where Google's own is base64, and clients may decode it
 * (docs/wire/gemini.md section 13).
 */
export const geminiPayloads = payloadsOf({
  mark: "plaza-thoughts-",
  marked: "plaza-thoughts-01.",
  isBase64: true,
});
