/**
 * What an endpoint of Messages has to look for in a body's bytes (docs/wire/anthropic-messages.md section
 * 13): fields at the top, and names that are counted wherever they stand.
 */

/** Fields that are read, or may be edited by their span, where a body passes as it is. */
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

/** Fields that are prompt. */
export const promptNames = ["messages", "system", "tools"] as const;

/**
 * Most tokens of what is named by address or id: the bytes are not in the request.
 * @public for the endpoint, which is to be wired
 */
export const addressedTokens: ReadonlyMap<string, number> = new Map([
  ["url", 65_536],
  ["file_id", 65_536],
]);

/**
 * The session of a call is in here, the end user too.
 * @public for the endpoint, which is to be wired
 */
export const userPath = ["metadata", "user_id"] as const;

/**
 * Tokens a model thinks, within `max_tokens`.
 * @public for the endpoint, which is to be wired
 */
export const thinkingBudgetPath = ["thinking", "budget_tokens"] as const;

/**
 * Fields that make a call cost more, or something beside its tokens, with the values that do not. What is
 * charged by the call stands in `tools` and is told by `serverToolsOf`.
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
