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
  "thinking",
  "output_config",
  "metadata",
  "service_tier",
  "speed",
  "inference_geo",
  "container",
  "mcp_servers",
  "context_management",
  "cache_control",
  "fallbacks",
] as const;

/** Fields that belong to the prompt. */
export const promptNames = ["messages", "system", "tools"] as const;

/**
 * Most tokens of content given by URL or id, whose bytes are not in the request.
 * @public for the endpoint, which is to be wired
 */
export const addressedTokens: ReadonlyMap<string, number> = new Map([
  ["url", 65_536],
  ["file_id", 65_536],
]);

/**
 * Path of the field that holds the end user and the session of a call.
 * @public for the endpoint, which is to be wired
 */
export const userPath = ["metadata", "user_id"] as const;

/**
 * Path of the thinking budget in tokens, which is part of `max_tokens`.
 * @public for the endpoint, which is to be wired
 */
export const thinkingBudgetPath = ["thinking", "budget_tokens"] as const;

/**
 * Fields that change a call's price or add a charge, with the values that do not. Tools charged per call are
 * in `tools`; `serverToolsOf` finds them.
 */
export const pricedFields: ReadonlyMap<string, readonly unknown[]> = new Map([
  ["speed", ["standard"]],
  ["inference_geo", ["global"]],
  ["service_tier", ["auto", "standard_only"]],
  ["container", []],
  ["mcp_servers", []],
  // Another model may answer, at its own price.
  ["fallbacks", []],
]);
