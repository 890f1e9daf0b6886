/**
 * The vendor of a model by its family in the shipped catalog. Data only; families without a row have no known
 * vendor.
 */

const makers: Readonly<Record<string, string>> = {
  claude: "Anthropic",
  command: "Cohere",
  deepseek: "DeepSeek",
  ernie: "Baidu",
  gemini: "Google",
  gemma: "Google",
  glm: "Z.ai",
  gpt: "OpenAI",
  "gpt-oss": "OpenAI",
  grok: "xAI",
  hermes: "Nous Research",
  jamba: "AI21 Labs",
  kimi: "Moonshot AI",
  llama: "Meta",
  mimo: "Xiaomi",
  minimax: "MiniMax",
  mistral: "Mistral AI",
  muse: "Meta",
  nemotron: "NVIDIA",
  nova: "Amazon",
  "o-series": "OpenAI",
  phi: "Microsoft",
  qwen: "Qwen",
  seed: "ByteDance",
  sonar: "Perplexity",
  step: "StepFun",
  titan: "Amazon",
};

/** "OpenAI" for "gpt"; undefined when unknown. */
export function makerOf(family: string | undefined): string | undefined {
  return family !== undefined && Object.hasOwn(makers, family) ? makers[family] : undefined;
}
