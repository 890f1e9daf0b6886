/**
 * How each service of `../presets.ts` deviates from OpenAI's protocol, as data.
 * docs/wire/openai-compatible.md section 1 has the sources. A service without a row has no deviation that
 * needs handling. Contains no code that applies the rules.
 */
import { modelDeviations, switched } from "./model-deviations.ts";
import type { Deviations, FinishMeaning, ParamRule, Replacement } from "./rules.ts";

const unknown: ParamRule = { kind: "unknown" };
const dropped: ParamRule = { kind: "dropped" };
/** Seed 0 is a normal seed, so no value asks for nothing. */
const anySeed: ParamRule = { kind: "unknown", neutral: [] };
const oneOnly: ParamRule = { kind: "unknown", neutral: [1] };
const oldOutputName: ParamRule = { kind: "renamed", to: "max_tokens" };

/** OpenAI treats both roles alike; other services know only the older one. */
const roles = { developer: "system" };

/** Parameters for OpenAI's own bookkeeping. */
const bookkeeping: Readonly<Record<string, ParamRule>> = {
  user: dropped,
  safety_identifier: dropped,
  prompt_cache_retention: dropped,
  prompt_cache_options: dropped,
  store: dropped,
  metadata: dropped,
  service_tier: { kind: "dropped", neutral: ["auto", "default"] },
  verbosity: { kind: "dropped", neutral: ["medium"] },
};

const logprobs = { logprobs: unknown, top_logprobs: unknown };
const penalties = { frequency_penalty: unknown, presence_penalty: unknown };

/** docs/wire/openai-compatible.md section 3.2 item 8: words that end an answer or say that there is none. */
const finishes: Readonly<Record<string, FinishMeaning>> = {
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  COMPLETE: "stop",
  model_length: "length",
  max_output_tokens: "length",
  MAX_TOKENS: "length",
  model_context_window_exceeded: "length",
  sensitive: "content_filter",
  safety: "content_filter",
  error: "failed",
  abort: "failed",
  insufficient_system_resource: "failed",
  network_error: "failed",
};

const off: Replacement = { name: "thinking", value: { type: "disabled" } };
const on: Replacement = { name: "thinking", value: { type: "enabled" } };

const switchedByName = switched(
  { name: "enable_thinking", value: false },
  { name: "enable_thinking", value: true },
);

/** Local servers ignore the model's name and answer with the model they loaded. */
const local: Deviations = {
  request: { params: { max_completion_tokens: oldOutputName }, roles },
  answer: { reasoning: "reasoning", finish: finishes },
};

export const deviations: Readonly<Record<string, Deviations>> = {
  deepseek: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        response_format: { kind: "format", lacks: "json_schema" },
        n: oneOnly,
        seed: anySeed,
        logit_bias: unknown,
        // All other words are accepted and mapped by the service (api-docs.deepseek.com, thinking mode,
        // 2026-09).
        reasoning_effort: { kind: "words", words: { none: off } },
      },
      roles,
      replays: { field: "reasoning_content", isNeeded: true },
      refusesTooMuchOutput: true,
    },
    answer: { finish: finishes, isRemembered: true },
    completionsPath: "/beta/completions",
  },
  mistral: {
    request: {
      params: {
        ...bookkeeping,
        ...logprobs,
        max_completion_tokens: oldOutputName,
        seed: { kind: "renamed", to: "random_seed" },
        tool_choice: { kind: "words", words: { required: "any" } },
        logit_bias: unknown,
        modalities: { kind: "unknown", neutral: [["text"]] },
      },
      models: modelDeviations.mistral,
      roles,
      fields: {
        reasoning_content: { kind: "ignored" },
        reasoning: { kind: "ignored" },
        reasoning_details: { kind: "ignored" },
        refusal: { kind: "ignored" },
        annotations: { kind: "ignored" },
      },
      toolIdLength: 9,
      sendsUsageUnasked: true,
    },
    answer: { hasParts: true, finish: finishes },
  },
  groq: {
    request: {
      params: { ...logprobs, n: oneOnly, logit_bias: unknown },
      fields: { name: { kind: "unknown" }, reasoning_content: { kind: "renamed", to: "reasoning" } },
    },
    answer: { reasoning: "reasoning", finish: finishes },
  },
  qwen: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        frequency_penalty: unknown,
        logit_bias: unknown,
        reasoning_effort: switchedByName,
      },
      models: modelDeviations.qwen,
      roles,
      refusesTooMuchOutput: true,
    },
    answer: { finish: finishes },
  },
  moonshot: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        temperature: { kind: "range", max: 1 },
        reasoning_effort: {
          kind: "words",
          words: { none: off, minimal: "low", medium: "high", xhigh: "max" },
        },
      },
      models: modelDeviations.moonshot,
      roles,
      replays: { field: "reasoning_content", isNeeded: false },
    },
    answer: { finish: finishes, hasChoiceUsage: true, isRemembered: true },
  },
  zhipu: {
    request: {
      params: {
        ...penalties,
        ...logprobs,
        max_completion_tokens: oldOutputName,
        n: oneOnly,
        seed: anySeed,
        logit_bias: unknown,
        tool_choice: { kind: "unknown", neutral: ["auto"] },
        response_format: { kind: "format", lacks: "json_schema" },
        temperature: { kind: "range", min: 0.01, max: 0.99 },
        top_p: { kind: "range", min: 0.01, max: 0.99 },
        reasoning_effort: switched(off, on),
      },
      models: modelDeviations.zhipu,
      roles,
      fields: { name: { kind: "unknown" } },
      sendsUsageUnasked: true,
    },
    answer: { finish: finishes },
  },
  siliconflow: {
    request: {
      params: { max_completion_tokens: oldOutputName, reasoning_effort: switchedByName },
      models: modelDeviations.siliconflow,
      roles,
    },
    answer: { finish: finishes },
  },
  openrouter: {
    answer: { reasoning: "reasoning", finish: finishes },
  },
  together: {
    request: { params: { max_completion_tokens: oldOutputName }, roles },
    answer: { reasoning: "reasoning", finish: finishes },
  },
  fireworks: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        // docs.fireworks.ai, chat completions (2026-09): none, low, medium, high, xhigh, max.
        reasoning_effort: { kind: "words", words: { minimal: "low" } },
      },
      models: modelDeviations.fireworks,
      roles,
    },
  },
  xai: { request: { models: modelDeviations.xai } },
  cohere: {
    request: {
      params: {
        ...bookkeeping,
        max_completion_tokens: oldOutputName,
        n: oneOnly,
        logit_bias: unknown,
        parallel_tool_calls: { kind: "unknown", neutral: [true] },
      },
      roles,
      // strandsagents.com, model provider Cohere (read 2026-11-22): the
      // compatibility API rejects `stream_options`.
      sendsUsageUnasked: true,
    },
    answer: { finish: { ...finishes, TOOL_CALL: "tool_calls", ERROR: "failed", TIMEOUT: "failed" } },
  },
  // docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api: streams end with [DONE], without a
  // finish reason.
  cortex: { answer: { endsWithoutFinish: true } },
  cerebras: {
    request: { params: { ...penalties, logit_bias: unknown }, roles },
    answer: { reasoning: "reasoning" },
  },
  perplexity: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        tools: unknown,
        tool_choice: { kind: "unknown", neutral: ["auto", "none"] },
        parallel_tool_calls: { kind: "dropped", neutral: [true] },
        functions: unknown,
        function_call: { kind: "unknown", neutral: ["auto", "none"] },
      },
      roles,
    },
  },
  ollama: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        user: dropped,
        n: oneOnly,
        logit_bias: unknown,
        tool_choice: { kind: "unknown", neutral: ["auto"] },
        parallel_tool_calls: { kind: "unknown", neutral: [true] },
        reasoning_effort: { kind: "words", words: { minimal: "low", xhigh: "high" } },
      },
      roles,
    },
    answer: { reasoning: "reasoning", finish: finishes },
  },
  vllm: local,
  sglang: local,
  llamacpp: { request: local.request ?? {}, answer: { finish: finishes } },
  lmstudio: {
    request: {
      params: {
        max_completion_tokens: oldOutputName,
        response_format: { kind: "format", lacks: "json_object" },
      },
      roles,
    },
    answer: { reasoning: "reasoning", finish: finishes },
  },
};

/** The deviations of a service; undefined where it has none. */
export const deviationsOf = (preset: string | undefined): Deviations | undefined =>
  preset !== undefined && Object.hasOwn(deviations, preset) ? deviations[preset] : undefined;
