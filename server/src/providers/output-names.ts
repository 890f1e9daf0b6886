/**
 * Under which names upstreams read how much they are to write, as data: a request may say it under several,
 * and what is set aside has to cover the largest that its upstream obeys. Sources:
 * docs/wire/openai-compatible.md section 1 and the servers' own request models. Knows no code that acts on
 * it.
 */

/** Names as paths: `max_tokens`, `options.num_predict`. */
export interface OutputNames {
  /** Most tokens of one choice. */
  readonly tokens: readonly string[];
  /** How many choices are written and billed. */
  readonly choices: readonly string[];
  /** Tokens of thinking that come on top of a choice's bound. */
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

/** Their bound is one of the answer alone. */
const thinksApart: OutputNames = { ...plain, thinking: ["thinking_budget"] };

/**
 * By preset. A service that reads OpenAI's names only is listed all the same: one
 * that is not listed gets all there are.
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
  // It obeys this one before `max_tokens`.
  llamacpp: also(["n_predict"], ["n_cmpl"]),
};

/**
 * Services that say nowhere what they read beside OpenAI's names, many of them routers
 * to several servers: every name counts.
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
 * What other servers and gateways read beside these: text-generation-webui, TGI, KoboldCpp,
 * TabbyAPI, Triton, Gemini's two spellings.
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
 * Objects that some upstreams read more settings from; in each of them every
 * name may stand, at unknown upstreams.
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

/** Every name there is, without the objects it may stand in. */
export const allOutputNames: OutputNames = {
  tokens: union(({ tokens }) => tokens),
  choices: union(({ choices }) => choices),
  thinking: union(({ thinking }) => thinking),
};

/** What an upstream reads; undefined: nobody knows, so every name counts wherever it stands. */
export function outputNamesOf(provider: string, preset: string | undefined): OutputNames | undefined {
  // Those that translate write OpenAI's names into their own and send nothing else.
  if (provider !== "openai") return plain;
  return preset !== undefined && Object.hasOwn(byPreset, preset) ? byPreset[preset] : undefined;
}
