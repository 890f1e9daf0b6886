/**
 * What a Messages endpoint searches for in a body's bytes (docs/wire/anthropic-messages.md section 13):
 * top-level fields, and names that are counted at any depth.
 */

/** Top-level fields that are read, or edited by their span, when a body passes through. */
export const scannedNames = [
  "model",
  "models",
  "messages",
  "system",
  "tools",
  "max_tokens",
  "stream",
  "metadata",
] as const;

/** Fields that belong to the prompt. */
export const promptNames = ["messages", "system", "tools"] as const;

/**
 * Most tokens of content given by URL or id, whose bytes are not in the request.
 * @public for the endpoint, which is to be wired
 */
export const addressNames = ["url", "file_id"] as const;

/**
 * Path of the field that holds the end user and the session of a call.
 * @public for the endpoint, which is to be wired
 */
export const addressedTokens: Readonly<Record<"image" | "document", number>> = {
  image: 1_600,
  document: 65_536,
};

/**
 * Path of the thinking budget in tokens, which is part of `max_tokens`.
 * @public for the endpoint, which is to be wired
 */
export const userMember = "user_id";

/**
 * Fields that change a call's price or add a charge, with the values that do not. Tools charged per call are
 * in `tools`; `serverToolsOf` finds them.
 */
const callerRuns =
  /^(?:bash|text_editor|computer|memory)_\d{8}$|^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/;

// Another model may answer, at its own price.
export const isFreeToolType = (type: unknown): boolean => typeof type === "string" && callerRuns.test(type);
