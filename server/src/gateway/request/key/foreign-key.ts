/** Keys of other services that clients send when they are pointed at Plaza and keep the key they had. */

/** Whose key it is, and which settings of its clients hold it. */
export interface ForeignKey {
  readonly service: string;
  readonly settings: string;
}

/** By how keys begin, the longer beginnings first. */
const beginnings: readonly (readonly [beginning: string, key: ForeignKey])[] = [
  [
    "sk-ant-",
    { service: "Anthropic", settings: "ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY (apiKey, api_key)" },
  ],
  ["sk-or-", { service: "OpenRouter", settings: "OPENROUTER_API_KEY (apiKey, api_key)" }],
  ["sk-proj-", { service: "OpenAI", settings: "OPENAI_API_KEY (apiKey, api_key)" }],
  ["sk-svcacct-", { service: "OpenAI", settings: "OPENAI_API_KEY (apiKey, api_key)" }],
  ["AIza", { service: "Google", settings: "GEMINI_API_KEY, GOOGLE_API_KEY (apiKey, api_key)" }],
  ["xai-", { service: "xAI", settings: "XAI_API_KEY (apiKey, api_key)" }],
  // The token of a sign-in at ChatGPT, which Codex sends where its provider names no key.
  [
    "eyJ",
    {
      service: "OAuth",
      settings: "env_key (~/.codex/config.toml), apiKey, api_key",
    },
  ],
];

/** The service that this secret begins like a key of; undefined where that cannot be told. */
export function foreignKey(secret: string): ForeignKey | undefined {
  return beginnings.find(([beginning]) => secret.startsWith(beginning))?.[1];
}
