/**
 * How single models of a service deviate, as data beside `deviations.ts`. The first row whose pattern matches
 * the model's name at the service applies, before the service's own rules. The source of a row is in the
 * comment above it. Contains no code that applies the rules.
 */
import type { ModelDeviations, ParamRule, Replacement } from "./rules.ts";

const unknown: ParamRule = { kind: "unknown" };
const oneOnly: ParamRule = { kind: "unknown", neutral: [1] };
const dropped: ParamRule = { kind: "dropped" };

const off: Replacement = { name: "thinking", value: { type: "disabled" } };
const on: Replacement = { name: "thinking", value: { type: "enabled" } };
const offByName: Replacement = { name: "enable_thinking", value: false };
const onByName: Replacement = { name: "enable_thinking", value: true };

/** Reasoning can only be switched on or off. `offValue` null: it cannot be switched off. */
export const switched = (offValue: Replacement | null, onValue: Replacement): ParamRule => ({
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

/**
 * Kimi K3 and GLM-5.3 always think, at three levels. Their documentation maps a word in between to the next
 * higher level.
 */
const lowHighMax: ParamRule = {
  kind: "words",
  words: { none: "low", minimal: "low", medium: "high", xhigh: "max" },
};

/**
 * Sampling parameters are fixed: any other value is a 400 ("invalid temperature: only 1 is allowed for this
 * model").
 */
const fixedSampling = {
  top_p: { kind: "dropped", keeps: [0.95], neutral: [1] },
  n: oneOnly,
  frequency_penalty: unknown,
  presence_penalty: unknown,
} as const satisfies ModelDeviations["params"];

const moonshot: readonly ModelDeviations[] = [
  // platform.kimi.ai, model parameter reference and "use thinking effort"
  // (2026-10): K3 and later cannot stop thinking.
  {
    pattern: /kimi-k[3-9]/,
    params: {
      ...fixedSampling,
      temperature: { kind: "dropped", keeps: [1], neutral: [] },
      reasoning_effort: lowHighMax,
    },
  },
  // platform.kimi.ai, kimi-k2.7-code and kimi-k2-thinking (2026-09): always think, without levels.
  {
    pattern: /kimi-k2[.-]7|kimi-(?:k2-)?thinking/,
    params: { ...fixedSampling, temperature: { kind: "dropped", neutral: [1] }, reasoning_effort: dropped },
  },
  // platform.kimi.ai, kimi-k2.5 and k2.6 (2026-04): temperature is 1 while thinking and 0.6 otherwise; no
  // other value.
  {
    pattern: /kimi-k2[.-][56]/,
    params: {
      ...fixedSampling,
      temperature: { kind: "dropped", neutral: [1, 0.6] },
      reasoning_effort: switched(off, on),
    },
  },
  // The K2 instruct models and moonshot-v1 do not think.
  { pattern: /kimi-k2|moonshot-v1/, params: { reasoning_effort: { kind: "dropped", neutral: ["none"] } } },
];

const zhipu: readonly ModelDeviations[] = [
  // docs.z.ai, GLM-5.3 (2026-08): low, high, max; `none` is accepted but means the highest level (tested
  // 2026-10).
  { pattern: /glm-(?:5[.-][3-9]|[6-9])/, params: { reasoning_effort: lowHighMax } },
  // docs.z.ai, GLM-5.2 (2026-06): all seven words are accepted.
  { pattern: /glm-5[.-]2/, params: { reasoning_effort: { kind: "words", words: { none: off } } } },
];

const qwen: readonly ModelDeviations[] = [
  // alibabacloud.com, Model Studio: Kimi (2026-09): always thinks, without levels.
  { pattern: /kimi-(?:k[3-9]|k2[.-]7)/, params: { reasoning_effort: dropped } },
  { pattern: /glm-(?:5[.-][3-9]|[6-9])/, params: { reasoning_effort: lowHighMax } },
  // alibabacloud.com, Model Studio: GLM (2026-08): the same words as at Z.ai.
  { pattern: /glm-5[.-]2/, params: { reasoning_effort: { kind: "words", words: { none: offByName } } } },
  // docs.qwencloud.com, thinking (2026-08): low, medium, xhigh; high is treated as xhigh.
  {
    pattern: /qwen(?:3\.(?:[89]|\d\d)|[4-9])/,
    params: {
      reasoning_effort: { kind: "words", words: { none: offByName, minimal: "low", max: "xhigh" } },
    },
  },
  // alibabacloud.com, deep thinking (2026-03): thinking-only models.
  { pattern: /-thinking|qwq|qvq/, params: { reasoning_effort: switched(null, onByName) } },
];

const siliconflow: readonly ModelDeviations[] = [
  {
    pattern: /kimi-(?:k[3-9]|k2[.-]7)|glm-5[.-][3-9]|-thinking|qwq/,
    params: { reasoning_effort: switched(null, onByName) },
  },
];

const fireworks: readonly ModelDeviations[] = [
  // Tested 2026-09: three levels (xhigh is max); `none` is a 400.
  {
    pattern: /glm-5p[3-9]|kimi-k[3-9]/,
    params: { reasoning_effort: { kind: "words", words: { none: "low", minimal: "low" } } },
  },
  // platform.kimi.ai: cannot stop thinking.
  {
    pattern: /kimi-k2p7|kimi-k2-thinking/,
    params: { reasoning_effort: { kind: "words", words: { none: null, minimal: "low" } } },
  },
];

const mistral: readonly ModelDeviations[] = [
  // Tested 2026-09: "medium" is a 400 that lists low, high, max.
  { pattern: /glm-(?:5[.-][3-9]|[6-9])/, params: { reasoning_effort: lowHighMax } },
  // docs.mistral.ai, zai-glm-5-2 (2026-08): high, max.
  {
    pattern: /glm-5[.-]2/,
    params: {
      reasoning_effort: {
        kind: "words",
        words: { none: null, minimal: "high", low: "high", medium: "high", xhigh: "max" },
      },
    },
  },
  // docs.mistral.ai, adjustable reasoning (2026-10): its own models accept none and high; every other word is
  // a 400.
  {
    pattern: /stral/,
    params: {
      reasoning_effort: {
        kind: "words",
        words: { minimal: "none", low: "high", medium: "high", xhigh: "high", max: "high" },
      },
    },
  },
];

/** Rows by preset id. */
/** Grok models that think accept neither penalties nor stop sequences (@ai-sdk/xai 5.0.12, 2026-09-28). */
const grokThinks = { frequency_penalty: unknown, presence_penalty: unknown, stop: unknown };

const xai: readonly ModelDeviations[] = [
  // @ai-sdk/xai 4.0.8 (2026-07-07): these models reject the effort, as do the other models up to 4.20 below.
  { pattern: /grok.*non-reasoning/, params: { reasoning_effort: { kind: "dropped", neutral: ["none"] } } },
  // xAI's list of models, as in the crate mindfork 0.17.0 (measured 2026-10-01): none, low, medium, high,
  // xhigh.
  {
    pattern: /grok-(?:4[.-]3|latest)/,
    params: { ...grokThinks, reasoning_effort: { kind: "words", words: { minimal: "low", max: "xhigh" } } },
  },
  // Same source, grok-4.7: cannot stop thinking.
  {
    pattern: /grok-(?:4[.-][4-9]|[5-9])/,
    params: {
      ...grokThinks,
      reasoning_effort: { kind: "words", words: { none: "low", minimal: "low", max: "xhigh" } },
    },
  },
  // Same source: grok-build-0.1 (formerly grok-code-fast-1) refuses every value of the effort.
  { pattern: /grok-(?:4|code|build)/, params: { ...grokThinks, reasoning_effort: dropped } },
];

export const modelDeviations = {
  xai,
  moonshot,
  zhipu,
  qwen,
  siliconflow,
  fireworks,
  mistral,
} as const;
