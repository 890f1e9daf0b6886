/**
 * Pure: whose prices the shipped catalog has for an upstream. Decided by the address, not by the protocol: anybody may speak a
 * provider's protocol, and some providers charge differently at another address.
 */

/** Hosts and the files of `catalog/models/` with their prices. */
const hosts: readonly (readonly [RegExp, string])[] = [
  [/^api\.openai\.com$/, "openai"],
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^generativelanguage\.googleapis\.com$/, "google"],
  [/(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/, "vertex"],
  [/^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/, "bedrock"],
  [/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, "azure"],
  [/^openrouter\.ai$/, "openrouter"],
  [/^api\.deepseek\.com$/, "deepseek"],
  [/^api\.mistral\.ai$/, "mistral"],
  [/^api\.groq\.com$/, "groq"],
  [/^api\.x\.ai$/, "xai"],
  [/^dashscope(?:-intl|-us)?\.aliyuncs\.com$/, "qwen"],
  [/^api\.moonshot\.ai$/, "moonshot"],
  [/^api\.z\.ai$/, "zhipu"],
  [/^open\.bigmodel\.cn$/, "zhipu-cn"],
  [/^api\.together\.(?:xyz|ai)$/, "together"],
  [/^api\.fireworks\.ai$/, "fireworks"],
  [/^api\.cohere\.(?:com|ai)$/, "cohere"],
  [/^api\.cerebras\.ai$/, "cerebras"],
  [/^api\.perplexity\.ai$/, "perplexity"],
  [/^api\.minimax\.io$/, "minimax"],
];

/**
 * Claude costs a tenth more at Vertex's places of one region or area than at the global one, whose prices the catalog has
 * (platform.claude.com/docs, Claude on Vertex AI). Whose prices are not known here has none.
 */
const dearClaude = /^https:\/\/(?!aiplatform\.googleapis\.com\/).*\/publishers\/anthropic\/?$/i;

/**
 * The catalog's provider for an upstream at this address; undefined for a host whose prices nobody knows, a proxy before a known one
 * included. `preset` counts only where the address says nothing: Ollama runs anywhere.
 */
export function catalogProviderOf(baseUrl: string, preset?: string): string | undefined {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const known = dearClaude.test(baseUrl) ? undefined : hosts.find(([form]) => form.test(host))?.[1];
  return known ?? (preset === "ollama" ? "ollama" : undefined);
}
