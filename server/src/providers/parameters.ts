/**
 * What becomes of every parameter of a chat request at every provider and preset: docs/operate/providers/parameters.md is written from this table,
 * and `parameters.test.ts` sends each one and holds the table to what comes out. Data only; the code that acts is each provider's own.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";

/**
 * `kept`: sent on byte for byte. `translated`: said in the upstream's words. `told`: left out, and named in `x-plaza-dropped-params`. `refused`:
 * a 400 `unsupported_parameter` that names it (with `x-plaza-drop-params: true` it is left out and told). `plaza`: not sent, because Plaza
 * itself does what it asks for.
 */
export type Outcome = "kept" | "translated" | "told" | "refused" | "plaza";

/** A parameter with values that ask for something, as JSON. */
interface Parameter {
  readonly name: string;
  /** The first one is what the table speaks of. */
  readonly samples: readonly string[];
  /** Members without which it makes no sense. */
  readonly beside?: string;
}

const tool = '{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}';
const schema =
  '{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}}}';

/** All of OpenAI's parameters (openai-openapi 2.3.0 and openai-node 7.55.0) but `model` and `messages`. */
export const parameters = [
  { name: "max_completion_tokens", samples: ["50"] },
  { name: "max_tokens", samples: ["50"] },
  { name: "temperature", samples: ["0.70", "0"] },
  { name: "top_p", samples: ["0.50"] },
  { name: "frequency_penalty", samples: ["0.50"] },
  { name: "presence_penalty", samples: ["0.50"] },
  { name: "logit_bias", samples: ['{"5":-100}'] },
  { name: "logprobs", samples: ["true"] },
  { name: "top_logprobs", samples: ["3"], beside: '"logprobs":true' },
  { name: "n", samples: ["2"] },
  { name: "stop", samples: ['"END"', '["a","b"]'] },
  { name: "seed", samples: ["9007199254740993", "0"] },
  { name: "stream", samples: ["true"] },
  { name: "stream_options", samples: ['{"include_usage":true}'], beside: '"stream":true' },
  { name: "response_format", samples: [schema, '{"type":"json_object"}'] },
  { name: "tools", samples: [`[${tool}]`] },
  {
    name: "tool_choice",
    samples: ['"required"', '{"type":"function","function":{"name":"f"}}'],
    beside: `"tools":[${tool}]`,
  },
  { name: "parallel_tool_calls", samples: ["false"], beside: `"tools":[${tool}]` },
  { name: "functions", samples: ['[{"name":"f","parameters":{"type":"object","properties":{}}}]'] },
  { name: "function_call", samples: ['{"name":"f"}'], beside: '"functions":[{"name":"f"}]' },
  { name: "reasoning_effort", samples: ['"high"', '"low"', '"medium"', '"minimal"', '"xhigh"', '"max"'] },
  { name: "verbosity", samples: ['"low"', '"high"'] },
  { name: "modalities", samples: ['["text","audio"]'] },
  { name: "audio", samples: ['{"voice":"alloy","format":"wav"}'] },
  { name: "prediction", samples: ['{"type":"content","content":"x"}'] },
  { name: "web_search_options", samples: ["{}", '{"search_context_size":"low"}'] },
  { name: "metadata", samples: ['{"a":"b"}'] },
  { name: "store", samples: ["true"] },
  { name: "service_tier", samples: ['"flex"', '"priority"', '"scale"', '"fast"'] },
  { name: "user", samples: ['"u-1"'] },
  { name: "safety_identifier", samples: ['"s-1"'] },
  { name: "prompt_cache_key", samples: ['"k-1"'] },
  { name: "prompt_cache_retention", samples: ['"24h"'] },
  { name: "prompt_cache_options", samples: ['{"mode":"explicit"}'] },
  { name: "moderation", samples: ['{"model":"omni-moderation-latest"}'] },
  // One nobody knows.
  { name: "x_unknown", samples: ['{"a":1}', "0", "false"] },
] as const satisfies readonly Parameter[];

export type ParameterName = (typeof parameters)[number]["name"];

/** One way an upstream is spoken with. */
export interface ParameterColumn {
  readonly id: string;
  /** For people: what the column is about. */
  readonly title: string;
  readonly provider: string;
  /** A model's name at the upstream that is as most of the column are. */
  readonly model: string;
  readonly upstream?: Partial<Upstream>;
  /** What is not said here has this outcome. */
  readonly otherwise: "kept" | "refused";
  readonly outcomes: Readonly<Partial<Record<ParameterName, Outcome>>>;
}

const all = (outcome: Outcome, ...names: readonly ParameterName[]): ParameterColumn["outcomes"] =>
  Object.fromEntries(names.map((name) => [name, outcome]));

/** OpenAI's bookkeeping, where none of it is known. */
const bookkeeping = all(
  "told",
  "verbosity",
  "metadata",
  "store",
  "service_tier",
  "user",
  "safety_identifier",
  "prompt_cache_retention",
  "prompt_cache_options",
);

const openai = { provider: "openai", model: "m", otherwise: "kept" } as const;

const preset = (
  id: string,
  outcomes: ParameterColumn["outcomes"],
  model = "m",
  title = `\`${id}\``,
): ParameterColumn => ({
  ...openai,
  id: `${id}, ${model}`,
  title,
  model,
  upstream: { preset: id },
  outcomes,
});

/** The older name of the most output. */
const older = all("translated", "max_completion_tokens");

const azure = { provider: "azure", model: "m", otherwise: "kept" } as const;

const presetColumns: readonly ParameterColumn[] = [
  { ...openai, id: "openai", title: "`openai`, no preset", outcomes: {} },
  preset("openrouter", {}),
  preset("deepseek", { ...older, ...all("refused", "logit_bias", "n", "seed", "response_format") }),
  preset(
    "mistral",
    {
      ...older,
      ...bookkeeping,
      ...all("translated", "seed", "tool_choice"),
      ...all("refused", "logit_bias", "logprobs", "top_logprobs", "modalities"),
      stream_options: "plaza",
    },
    "mistral-medium-3-5",
  ),
  preset("groq", all("refused", "logit_bias", "logprobs", "top_logprobs", "n")),
  preset(
    "qwen",
    { ...older, reasoning_effort: "translated", ...all("refused", "frequency_penalty", "logit_bias") },
    "qwen3-max",
    "`qwen`, before 3.8",
  ),
  preset(
    "qwen",
    { ...older, ...all("refused", "frequency_penalty", "logit_bias") },
    "qwen3.8-max",
    "`qwen`, from 3.8",
  ),
  preset(
    "moonshot",
    { ...older, reasoning_effort: "told" },
    "kimi-k2-0905-preview",
    "`moonshot`, Kimi K2 before 2.5",
  ),
  preset(
    "moonshot",
    {
      ...older,
      reasoning_effort: "translated",
      ...all("told", "temperature", "top_p"),
      ...all("refused", "frequency_penalty", "presence_penalty", "n"),
    },
    "kimi-k2.6",
    "`moonshot`, Kimi K2.5, K2.6",
  ),
  preset(
    "moonshot",
    {
      ...older,
      ...all("told", "temperature", "top_p"),
      ...all("refused", "frequency_penalty", "presence_penalty", "n"),
    },
    "kimi-k3",
    "`moonshot`, from Kimi K3",
  ),
  ...(["glm-4.6", "glm-5.3"] as const).map((model) =>
    preset(
      "zhipu",
      {
        ...older,
        ...(model === "glm-4.6" ? all("translated", "reasoning_effort") : {}),
        ...all("refused", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs"),
        ...all("refused", "n", "seed", "response_format", "tool_choice"),
        stream_options: "plaza",
      },
      model,
      model === "glm-4.6" ? "`zhipu`, before GLM 5.2" : "`zhipu`, from GLM 5.2",
    ),
  ),
  preset("siliconflow", { ...older, reasoning_effort: "translated" }),
  preset("together", older),
  preset("fireworks", older),
  preset(
    "xai",
    { ...all("refused", "frequency_penalty", "presence_penalty", "stop"), reasoning_effort: "told" },
    "grok-4.20-0309-reasoning",
    "`xai`, Grok 4 to 4.20",
  ),
  preset(
    "xai",
    all("refused", "frequency_penalty", "presence_penalty", "stop"),
    "grok-4.3",
    "`xai`, from Grok 4.3",
  ),
  preset("cohere", {
    ...older,
    ...bookkeeping,
    stream_options: "plaza",
    ...all("refused", "logit_bias", "n", "parallel_tool_calls"),
  }),
  preset("cortex", {}),
  preset("cerebras", all("refused", "frequency_penalty", "presence_penalty", "logit_bias")),
  preset("perplexity", {
    ...older,
    ...all("refused", "tools", "tool_choice", "functions", "function_call"),
    parallel_tool_calls: "told",
  }),
  preset("ollama", {
    ...older,
    ...all("refused", "logit_bias", "n", "tool_choice", "parallel_tool_calls"),
    user: "told",
  }),
  preset("vllm", older),
  preset("sglang", older),
  preset("lmstudio", older),
  preset("llamacpp", older),
  {
    ...azure,
    id: "azure",
    title: "`azure`",
    upstream: { baseUrl: "https://r.openai.azure.com/openai/v1" },
    outcomes: {},
  },
  {
    ...azure,
    id: "azure before 2024-09-01",
    title: "`azure`, versions before 2024-09-01",
    upstream: { baseUrl: "https://r.openai.azure.com", options: { apiVersion: "2024-06-01" } },
    outcomes: { stream_options: "plaza" },
  },
];

/** What every protocol but OpenAI's says its own way, and what none of them has. */
const common: ParameterColumn["outcomes"] = {
  ...all("translated", "max_completion_tokens", "max_tokens", "temperature", "top_p", "stop", "stream"),
  ...all("translated", "response_format", "tools", "tool_choice", "functions", "function_call"),
  ...bookkeeping,
  ...all("told", "prediction", "prompt_cache_key"),
  reasoning_effort: "translated",
  stream_options: "plaza",
};

const anthropic: ParameterColumn["outcomes"] = {
  ...common,
  ...all("kept", "max_tokens", "stream"),
  ...all("translated", "user", "safety_identifier", "parallel_tool_calls"),
  seed: "told",
};

const bedrock: ParameterColumn["outcomes"] = { ...common, seed: "told", service_tier: "translated" };

const google: ParameterColumn["outcomes"] = {
  ...common,
  ...all("translated", "frequency_penalty", "presence_penalty", "n", "seed", "web_search_options"),
  parallel_tool_calls: "plaza",
};

/** The providers that do not speak OpenAI's protocol: what is not said here is refused. */
export const translatingColumns: readonly ParameterColumn[] = [
  {
    id: "anthropic, Claude up to 4.6",
    title: "`anthropic`, Claude up to 4.6",
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    otherwise: "refused",
    outcomes: anthropic,
  },
  {
    id: "anthropic, Claude from 4.7",
    title: "from 4.7",
    provider: "anthropic",
    model: "claude-opus-5",
    otherwise: "refused",
    outcomes: { ...anthropic, ...all("told", "temperature", "top_p") },
  },
  {
    id: "vertex-anthropic",
    title: "`vertex-anthropic`, from 4.7",
    provider: "vertex-anthropic",
    model: "claude-opus-5",
    upstream: {
      baseUrl: "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic",
    },
    otherwise: "refused",
    outcomes: { ...anthropic, ...all("told", "temperature", "top_p") },
  },
  {
    id: "bedrock, Claude",
    title: "`bedrock`, Claude",
    provider: "bedrock",
    model: "us.anthropic.claude-sonnet-4-6",
    otherwise: "refused",
    outcomes: { ...bedrock, parallel_tool_calls: "translated" },
  },
  {
    id: "bedrock, Nova 2",
    title: "Nova 2",
    provider: "bedrock",
    model: "us.amazon.nova-2-lite-v1:0",
    otherwise: "refused",
    outcomes: bedrock,
  },
  {
    id: "bedrock, GPT",
    title: "GPT",
    provider: "bedrock",
    model: "openai.gpt-5.1",
    otherwise: "refused",
    outcomes: { ...bedrock, ...all("told", "temperature", "top_p"), stop: "refused" },
  },
  {
    id: "google, Gemini API",
    title: "`google`, Gemini API",
    provider: "google",
    model: "gemini-3.1-pro-preview",
    otherwise: "refused",
    outcomes: { ...google, service_tier: "translated" },
  },
  {
    id: "google, Vertex",
    title: "Vertex AI",
    provider: "google",
    model: "gemini-3.1-pro-preview",
    upstream: {
      baseUrl:
        "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google",
    },
    otherwise: "refused",
    outcomes: { ...google, ...all("translated", "logprobs", "top_logprobs") },
  },
];

/** All of them: those that send what they are sent first. */
export const parameterColumns: readonly ParameterColumn[] = [...presetColumns, ...translatingColumns];
