/**
 * What each service known by name (`../presets.ts`) does its own way, as data: rows of wire/bedrock-azure-others.md section 3,
 * whose words for where a row comes from ([ais], [vd], (k) …) are kept where it is not sure. Services without a row do nothing
 * their own way, or nothing that has to be dealt with. Knows no code that acts on it.
 */
import type { Deviations, FinishMeaning, ParamRule, Replacement } from "./rules.ts";

const unknown: ParamRule = { kind: "unknown" };
const ignored: ParamRule = { kind: "ignored" };
const oneOnly: ParamRule = { kind: "unknown", neutral: [1] };
const oldOutputName: ParamRule = { kind: "renamed", to: "max_tokens" };

/** Both words mean the same to OpenAI; others know only the older one. */
const roles = { developer: "system" };

/** About bookkeeping at OpenAI. */
const bookkeeping: Readonly<Record<string, ParamRule>> = {
  user: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
  store: ignored,
  metadata: ignored,
  service_tier: ignored,
  verbosity: ignored,
};

const logprobs = { logprobs: unknown, top_logprobs: unknown };
const penalties = { frequency_penalty: unknown, presence_penalty: unknown };

/** Words of section 3.2 item 8: they end an answer, or say that there is none. */
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

/** Reasoning can be switched, not graded. */
const switched = (offValue: Replacement, onValue: Replacement): ParamRule => ({
  kind: "words",
  words: {
    none: offValue,
    minimal: onValue,
    low: onValue,
    medium: onValue,
    high: onValue,
    xhigh: onValue,
    max: onValue,
  },
});
const switchedByName = switched(
  { name: "enable_thinking", value: false },
  { name: "enable_thinking", value: true },
);

/** Servers on one's own machine answer whatever model they were given. */
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
        seed: unknown,
        logit_bias: unknown,
        // DeepSeek's own table; vercel/ai says max for xhigh.
        reasoning_effort: {
          kind: "words",
          words: { none: off, minimal: "low", medium: "high", xhigh: "high" },
        },
      },
      roles,
      replays: { field: "reasoning_content", isNeeded: true },
      refusesTooMuchOutput: true,
    },
    answer: { finish: finishes, isRemembered: true },
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
        // Some models know none and high, and no other word.
        reasoning_effort: {
          kind: "words",
          words: { minimal: "none", low: "high", medium: "high", xhigh: "high", max: "high" },
        },
      },
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
        seed: unknown,
        logit_bias: unknown,
        tool_choice: { kind: "unknown", neutral: ["auto"] },
        response_format: { kind: "format", lacks: "json_schema" },
        temperature: { kind: "range", min: 0.01, max: 0.99 },
        top_p: { kind: "range", min: 0.01, max: 0.99 },
        reasoning_effort: switched(off, on),
      },
      roles,
      fields: { name: { kind: "unknown" } },
      sendsUsageUnasked: true,
    },
    answer: { finish: finishes },
  },
  siliconflow: {
    request: {
      params: { max_completion_tokens: oldOutputName, reasoning_effort: switchedByName },
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
        reasoning_effort: { kind: "words", words: { minimal: "low", xhigh: "high", max: "high" } },
      },
      roles,
    },
  },
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
    },
    answer: { finish: { ...finishes, TOOL_CALL: "tool_calls", ERROR: "failed", TIMEOUT: "failed" } },
  },
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
        parallel_tool_calls: ignored,
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
        user: ignored,
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
