/**
 * The services that are known by name: where they are and what they want. What of OpenAI's protocol each does its own way is
 * in `openai/deviations.ts`. Data only; facts from wire/bedrock-azure-others.md section 3. A new service is a row here.
 */

export interface Preset {
  /** As `preset` of an upstream in plaza.yaml. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Id of the provider that speaks its protocol. */
  readonly provider: string;
  /** Where it is when an upstream does not say: as `Upstream.baseUrl`, and the first of what it has. */
  readonly baseUrl: string;
  /** Its other addresses: other regions, beta features. An upstream names one as its `baseUrl`. */
  readonly otherBaseUrls?: readonly string[];
  /** Environment variables its own tools read the key from, the usual one first; none for servers on one's own machine. */
  readonly keyVariables: readonly string[];
  /** false: it answers without a credential unless its operator has set one. */
  readonly needsKey: boolean;
  /** Does `GET {baseUrl}/models` list what it serves? */
  readonly listsModels: boolean;
}

/** A service in the cloud: takes a key, lists its models. */
const hosted = { provider: "openai", needsKey: true, listsModels: true } as const;

/** A server on one's own machine. */
const local = { provider: "openai", keyVariables: [], needsKey: false, listsModels: true } as const;

export const presets: readonly Preset[] = [
  {
    ...hosted,
    id: "openai",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
  },
  {
    ...hosted,
    id: "deepseek",
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com",
    otherBaseUrls: ["https://api.deepseek.com/beta"],
    keyVariables: ["DEEPSEEK_API_KEY"],
  },
  {
    ...hosted,
    id: "mistral",
    name: "Mistral AI",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
  },
  {
    ...hosted,
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
  },
  {
    ...hosted,
    id: "xai",
    name: "xAI",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
  },
  {
    ...hosted,
    id: "qwen",
    name: "Qwen (Alibaba DashScope)",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    otherBaseUrls: ["https://dashscope.aliyuncs.com/compatible-mode/v1"],
    keyVariables: ["DASHSCOPE_API_KEY"],
  },
  {
    ...hosted,
    id: "moonshot",
    name: "Moonshot AI (Kimi)",
    baseUrl: "https://api.moonshot.ai/v1",
    otherBaseUrls: ["https://api.moonshot.cn/v1"],
    keyVariables: ["MOONSHOT_API_KEY"],
  },
  {
    ...hosted,
    id: "zhipu",
    name: "Z.ai (Zhipu)",
    baseUrl: "https://api.z.ai/api/paas/v4",
    otherBaseUrls: [
      "https://open.bigmodel.cn/api/paas/v4",
      "https://api.z.ai/api/coding/paas/v4",
      "https://open.bigmodel.cn/api/coding/paas/v4",
    ],
    keyVariables: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
  },
  {
    ...hosted,
    id: "siliconflow",
    name: "SiliconFlow",
    baseUrl: "https://api.siliconflow.com/v1",
    otherBaseUrls: ["https://api.siliconflow.cn/v1"],
    keyVariables: ["SILICONFLOW_API_KEY"],
  },
  {
    ...hosted,
    id: "openrouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
  },
  {
    ...hosted,
    id: "together",
    name: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY"],
  },
  {
    ...hosted,
    id: "fireworks",
    name: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
  },
  {
    ...hosted,
    id: "cohere",
    name: "Cohere",
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
    listsModels: false,
  },
  {
    ...hosted,
    id: "cerebras",
    name: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
  },
  {
    ...hosted,
    id: "perplexity",
    name: "Perplexity",
    baseUrl: "https://api.perplexity.ai",
    keyVariables: ["PERPLEXITY_API_KEY"],
    listsModels: false,
  },
  {
    ...local,
    id: "ollama",
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
  },
  {
    ...local,
    id: "vllm",
    name: "vLLM",
    baseUrl: "http://127.0.0.1:8000/v1",
  },
  {
    ...local,
    id: "sglang",
    name: "SGLang",
    baseUrl: "http://127.0.0.1:30000/v1",
  },
  {
    ...local,
    id: "lmstudio",
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
  },
  {
    ...local,
    id: "llamacpp",
    name: "llama.cpp",
    baseUrl: "http://127.0.0.1:8080/v1",
  },
];

const byId = new Map(presets.map((preset) => [preset.id, preset]));

/** undefined where there is none of this id. */
export function findPreset(id: string | undefined): Preset | undefined {
  return id === undefined ? undefined : byId.get(id);
}
