/** How servers with OpenAI's protocol handle each chat parameter, by preset. */
import { all, bookkeeping, type ParameterColumn } from "../../testing/parameters.ts";

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

/** The older name of the output limit. */
const older = all("translated", "max_completion_tokens");

export const openaiParameters: readonly ParameterColumn[] = [
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
    { ...older, reasoning_effort: "dropped" },
    "kimi-k2-0905-preview",
    "`moonshot`, Kimi K2 before 2.5",
  ),
  preset(
    "moonshot",
    {
      ...older,
      reasoning_effort: "translated",
      ...all("dropped", "temperature", "top_p"),
      ...all("refused", "frequency_penalty", "presence_penalty", "n"),
    },
    "kimi-k2.6",
    "`moonshot`, Kimi K2.5, K2.6",
  ),
  preset(
    "moonshot",
    {
      ...older,
      ...all("dropped", "temperature", "top_p"),
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
    { ...all("refused", "frequency_penalty", "presence_penalty", "stop"), reasoning_effort: "dropped" },
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
    parallel_tool_calls: "dropped",
  }),
  preset("ollama", {
    ...older,
    ...all("refused", "logit_bias", "n", "tool_choice", "parallel_tool_calls"),
    user: "dropped",
  }),
  preset("vllm", older),
  preset("sglang", older),
  preset("lmstudio", older),
  preset("llamacpp", older),
];
