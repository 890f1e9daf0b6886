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
  "tool_choice",
  "max_tokens",
  "stream",
  "metadata",
  "thread",
  "diagnostics",
] as const;

/** Fields about what an upstream holds of earlier calls, by ids of its own. They never reach an upstream. */
export const heldNames = ["thread", "diagnostics"] as const;

/** Names an earlier answer whose conversation is to be continued. */
export const threadParam = "thread.previous_message_id";

/** Fields that belong to the prompt. */
export const promptNames = ["messages", "system", "tools"] as const;

/**
 * Most tokens of content given by URL or id, whose bytes are not in the request.
 * @public for the endpoint, which is to be wired
 */
export const addressNames = ["url", "file_id"] as const;

/** Holds a tool that is defined among the messages. */
export const definitionName = "definition";

/** The most tokens of a file at an address, by the type of its block. */
export const addressedTokens: Readonly<Record<"image" | "document", number>> = {
  image: 1_600,
  document: 65_536,
};

/** The member of `metadata` that names the end user, and with Claude Code the session. */
export const userMember = "user_id";

/**
 * The start of Claude Code's first block of `system`. Anthropic reads it as a header. Its end differs in
 * every request, so other upstreams would see a prompt that never begins the same way.
 */
export const billingMark = "x-anthropic-billing-header:";

/** Types of tools whose schema is Anthropic's but which the caller runs, or which only choose among tools. */
const callerRuns =
  /^(?:bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d{8}$|^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/;

/** True for a type of tool that costs nothing but tokens. */
export const isFreeToolType = (type: unknown): boolean => typeof type === "string" && callerRuns.test(type);
