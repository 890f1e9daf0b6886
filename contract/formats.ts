/** The wire formats of conversations, by the names the catalog has for them. */
export const formatIds = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "bedrock-converse",
] as const;

/** A wire format that callers or upstreams speak about conversations. */
export type FormatId = (typeof formatIds)[number];
