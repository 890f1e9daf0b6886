/**
 * The field names under which upstreams read their output limit, as data. A request may set several, and the
 * hold must cover the largest one its upstream obeys. Sources: docs/wire/openai-compatible.md section 1 and
 * the servers' own request models. Contains no code that applies them.
 */

/** Field names as paths: `max_tokens`, `options.num_predict`. */
export interface OutputNames {
  /** Most tokens of one choice. */
  readonly tokens: readonly string[];
  /** Number of choices that are generated and billed. */
  readonly choices: readonly string[];
  /** Thinking tokens that are not included in a choice's limit. */
  readonly thinking: readonly string[];
}

const plain: OutputNames = {
  tokens: ["max_completion_tokens", "max_tokens"],
  choices: ["n", "best_of"],
  thinking: [],
};

const also = (tokens: readonly string[], choices: readonly string[] = []): OutputNames => ({
  tokens: [...plain.tokens, ...tokens],
  choices: [...plain.choices, ...choices],
  thinking: [],
});

/** The output limit does not include thinking. */
const thinksApart: OutputNames = { ...plain, thinking: ["thinking_budget"] };

/**
 * By preset. A service that reads OpenAI's names only is listed too: for one that is not listed, all names
 * count.
 */
const byPreset: Readonly<Record<string, OutputNames>> = {
  openai: plain,
  deepseek: plain,
  mistral: plain,
  groq: plain,
  xai: plain,
  qwen: thinksApart,
  moonshot: plain,
  zhipu: plain,
  siliconflow: thinksApart,
  openrouter: plain,
  together: plain,
  fireworks: plain,
  cohere: plain,
  cerebras: plain,
  perplexity: plain,
  ollama: also(["num_predict", "options.num_predict"]),
  vllm: plain,
  sglang: also(["max_new_tokens"]),
  lmstudio: also(["n_predict"]),
  // llama.cpp obeys `n_predict` before `max_tokens`.
  llamacpp: also(["n_predict"], ["n_cmpl"]),
};

/**
 * Services that do not document which names they read besides OpenAI's; many route to several servers. All
 * names count.
 */
export const undocumentedPresets: ReadonlySet<string> = new Set([
  "minimax",
  "huggingface",
  "deepinfra",
  "vercel",
  "github-models",
  "bedrock-mantle",
  "nvidia",
  "nebius",
  "sambanova",
  "novita",
  "baseten",
  "ark",
  "cortex",
  "ovhcloud",
]);

/**
 * Other names read by text-generation-webui, TGI, KoboldCpp, TabbyAPI, Triton, and Gemini in two spellings.
 */
const fallbackNames: OutputNames = {
  tokens: [
    "max_new_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "maxTokens",
    "maxCompletionTokens",
    "maxNewTokens",
    "max_length",
    "max_tokens_to_sample",
    "tokens_to_generate",
  ],
  choices: ["bestOf", "candidate_count", "candidateCount", "num_return_sequences"],
  thinking: [],
};

/**
 * Objects in which some upstreams read further settings. For unknown upstreams, every name counts inside each
 * of them.
 */
export const containerNames: readonly string[] = [
  "options",
  "parameters",
  "generation_config",
  "generationConfig",
  "sampling_params",
  "extra_body",
  "google",
];

const lastPart = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function union(pick: (names: OutputNames) => readonly string[]): readonly string[] {
  return [...new Set([...Object.values(byPreset), fallbackNames].flatMap(pick).map(lastPart))];
}

/** All names, without the objects they may be in. */
export const allOutputNames: OutputNames = {
  tokens: union(({ tokens }) => tokens),
  choices: union(({ choices }) => choices),
  thinking: union(({ thinking }) => thinking),
};

/** The names an upstream reads; undefined when unknown, so every name counts wherever it is. */
export function outputNamesOf(provider: string, preset: string | undefined): OutputNames | undefined {
  // Providers that translate write their own names and send nothing else.
  if (provider !== "openai") return plain;
  return preset !== undefined && Object.hasOwn(byPreset, preset) ? byPreset[preset] : undefined;
}
