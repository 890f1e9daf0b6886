/**
 * What single models of a service do their own way, as data beside `deviations.ts`: the first row whose
 * pattern is found in the model's name at the service counts, and its rules come before the service's own.
 * Where a row comes from stands above it. Knows no code that acts on it.
 */
import type { ModelDeviations, ParamRule, Replacement } from "./rules.ts";

const unknown: ParamRule = { kind: "unknown" };
const oneOnly: ParamRule = { kind: "unknown", neutral: [1] };
const told: ParamRule = { kind: "told" };

const off: Replacement = { name: "thinking", value: { type: "disabled" } };
const on: Replacement = { name: "thinking", value: { type: "enabled" } };
const offByName: Replacement = { name: "enable_thinking", value: false };
const onByName: Replacement = { name: "enable_thinking", value: true };

/** Reasoning can be switched, not graded; null: it cannot be switched off. */
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
 * Kimi K3 and GLM-5.3: always think, in three degrees. Their own tables map what
 * lies between to the next higher one.
 */
const lowHighMax: ParamRule = {
  kind: "words",
  words: { none: "low", minimal: "low", medium: "high", xhigh: "max" },
};

/**
 * Sampling that is fixed: any other value is a 400 ("invalid temperature: only 1 is allowed for this model").
 */
const fixedSampling = {
  top_p: { kind: "told", keeps: [0.95], neutral: [1] },
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
      temperature: { kind: "told", keeps: [1], neutral: [] },
      reasoning_effort: lowHighMax,
    },
  },
  // platform.kimi.ai, kimi-k2.7-code and kimi-k2-thinking (2026-09): always think, no degrees.
  {
    pattern: /kimi-k2[.-]7|kimi-(?:k2-)?thinking/,
    params: { ...fixedSampling, temperature: { kind: "told", neutral: [1] }, reasoning_effort: told },
  },
  // platform.kimi.ai, kimi-k2.5 and k2.6 (2026-04): temperature is 1 while
  // thinking, 0.6 else, and nothing besides.
  {
    pattern: /kimi-k2[.-][56]/,
    params: {
      ...fixedSampling,
      temperature: { kind: "told", neutral: [1, 0.6] },
      reasoning_effort: switched(off, on),
    },
  },
  // The K2 instruct models and moonshot-v1 do not think.
  { pattern: /kimi-k2|moonshot-v1/, params: { reasoning_effort: { kind: "told", neutral: ["none"] } } },
];

const zhipu: readonly ModelDeviations[] = [
  // docs.z.ai, GLM-5.3 (2026-08): low, high, max; `none` is taken, and thinks at the most (probed 2026-10).
  { pattern: /glm-(?:5[.-][3-9]|[6-9])/, params: { reasoning_effort: lowHighMax } },
  // docs.z.ai, GLM-5.2 (2026-06): all seven words are taken.
  { pattern: /glm-5[.-]2/, params: { reasoning_effort: { kind: "words", words: { none: off } } } },
];

const qwen: readonly ModelDeviations[] = [
  // alibabacloud.com, Model Studio: Kimi (2026-09): thinks always, without degrees.
  { pattern: /kimi-(?:k[3-9]|k2[.-]7)/, params: { reasoning_effort: told } },
  { pattern: /glm-(?:5[.-][3-9]|[6-9])/, params: { reasoning_effort: lowHighMax } },
  // alibabacloud.com, Model Studio: GLM (2026-08): the words of Z.ai's own service.
  { pattern: /glm-5[.-]2/, params: { reasoning_effort: { kind: "words", words: { none: offByName } } } },
  // docs.qwencloud.com, thinking (2026-08): low, medium, xhigh; high is taken for xhigh.
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
  // Probed 2026-09: three degrees (xhigh is max); `none` is a 400.
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
  // Probed 2026-09: "medium" is a 400 that names low, high, max.
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
  // docs.mistral.ai, adjustable reasoning (2026-10): its own models take none and
  // high, and every other word is a 400.
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

/** By the id of the preset. */
/** Grok models that think take neither penalties nor stops (@ai-sdk/xai 5.0.12, 2026-09-28). */
const grokThinks = { frequency_penalty: unknown, presence_penalty: unknown, stop: unknown };

const xai: readonly ModelDeviations[] = [
  // @ai-sdk/xai 4.0.8 (2026-07-07): these reject the effort, as do the other models up to 4.20 below.
  { pattern: /grok.*non-reasoning/, params: { reasoning_effort: { kind: "told", neutral: ["none"] } } },
  // Its own list of models, as the crate mindfork 0.17.0 has it (measured
  // 2026-10-01): none, low, medium, high, xhigh.
  {
    pattern: /grok-(?:4[.-]3|latest)/,
    params: { ...grokThinks, reasoning_effort: { kind: "words", words: { minimal: "low", max: "xhigh" } } },
  },
  // The same of grok-4.7: it cannot stop thinking.
  {
    pattern: /grok-(?:4[.-][4-9]|[5-9])/,
    params: {
      ...grokThinks,
      reasoning_effort: { kind: "words", words: { none: "low", minimal: "low", max: "xhigh" } },
    },
  },
  // The same: grok-build-0.1 (once grok-code-fast-1) refuses the effort, whatever its value.
  { pattern: /grok-(?:4|code|build)/, params: { ...grokThinks, reasoning_effort: told } },
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
