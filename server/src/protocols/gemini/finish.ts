/** Gemini's finish reasons → end reasons (docs/wire/gemini.md section 8), as a table. */
import type { EndReason } from "../../conversation/answer.ts";

/**
 * `failed`: the model made an error and there is no answer. `content`: a normal stop if there was content,
 * else a block.
 */
type Meaning = EndReason | "failed" | "content";

const meanings: Readonly<Record<string, Meaning>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  MALFORMED_FUNCTION_CALL: "failed",
  UNEXPECTED_TOOL_CALL: "failed",
  TOO_MANY_TOOL_CALLS: "failed",
  MALFORMED_RESPONSE: "failed",
  MISSING_THOUGHT_SIGNATURE: "failed",
};

/** What a candidate contains so far. */
export interface AnswerSoFar {
  readonly calls: number;
  readonly hasContent: boolean;
}

/** The end reason; "failed" when the answer must be discarded. Unknown reasons count as OTHER. */
export function finishOf(reason: string, { calls, hasContent }: AnswerSoFar): EndReason | "failed" {
  const meaning = Object.hasOwn(meanings, reason) ? (meanings[reason] ?? "content") : "content";
  if (meaning === "stop") return calls > 0 ? "tool_calls" : "stop";
  if (meaning !== "content") return meaning;
  if (calls > 0) return "tool_calls";
  return hasContent ? "stop" : "content_filter";
}
