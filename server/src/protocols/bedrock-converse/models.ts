/**
 * What models on Bedrock support, as data: the first row whose pattern matches the model's id applies
 * (docs/wire/bedrock-converse.md sections 2 and 5). Anthropic's own table describes the Claude models; this
 * file adds what Bedrock changes.
 */
import { type ModelFacts as ClaudeFacts, factsOf } from "../claude/models.ts";

/** How thinking is requested. */
export type Reasoning =
  /** As for Anthropic's models. */
  | { readonly kind: "claude"; readonly facts: ClaudeFacts }
  /** A word in a native field. `isOffUnasked`: true when the model does not think by default. */
  | {
      readonly kind: "effort" | "reasoning object" | "reasoningConfig";
      readonly efforts: readonly string[];
      readonly isOffUnasked: boolean;
    };

export interface ModelRules {
  /** Most output tokens; undefined: unknown. */
  readonly maxOutput: number | undefined;
  /** Whether temperature, top_p and top_k are accepted. `one`: temperature or top_p, but not both. */
  readonly sampling: "both" | "one" | "none";
  readonly takesStop: boolean;
  /** `any`: a tool call can be required; `named`: a specific tool too; `none`: neither. */
  readonly forcedTool: "none" | "any" | "named";
  /**
   * Whether answers and strict tools' arguments follow a JSON Schema. `closed`: closed objects without
   * recursion only (docs.aws.amazon.com, Bedrock: structured output, 2026-11). `any`: any schema.
   */
  readonly takesSchema: "closed" | "any" | "none";
  readonly reasoning: Reasoning | undefined;
  /** True when parallel calls can be disabled with Anthropic's `tool_choice`. */
  readonly canForbidParallel: boolean;
  /** Where cache points are allowed; `long`: everywhere, also with a lifetime of one hour. */
  readonly cache: "none" | "messages" | "everywhere" | "long";
  /** Path of top_k in the native fields; undefined: not supported. */
  readonly topK: readonly string[] | undefined;
  /** True when the conversation may end with an assistant message. */
  readonly takesPrefill: boolean;
  /** True when tool call ids must be exactly nine letters and digits. */
  readonly hasShortToolIds: boolean;
  readonly takesAudio: boolean;
  /**
   * True when a tool's result may have a status (docs.aws.amazon.com, API_runtime_ToolResultBlock, 2026-11:
   * Nova and Claude only). For others its text says a failure.
   */
  readonly takesResultStatus: boolean;
}

const stranger: ModelRules = {
  maxOutput: undefined,
  sampling: "both",
  takesStop: true,
  forcedTool: "named",
  takesSchema: "none",
  reasoning: undefined,
  canForbidParallel: false,
  cache: "none",
  topK: undefined,
  takesPrefill: true,
  hasShortToolIds: false,
  takesAudio: false,
  takesResultStatus: false,
};

type Row = { readonly pattern: RegExp } & Partial<ModelRules>;

/** Claude: from the first matching row, what Anthropic's own table does not say. */
const claudeRows: readonly Row[] = [
  { pattern: /claude-3-(?:opus|sonnet|haiku|5-sonnet)/, cache: "none", sampling: "both" },
  { pattern: /claude-3-/, cache: "everywhere", sampling: "both" },
  // These models take schemas on Anthropic's own API, but not on Converse.
  { pattern: /claude-opus-4-1/, cache: "everywhere", sampling: "one", takesSchema: "none" },
  { pattern: /claude-opus-4-[78]/, cache: "long", sampling: "one", takesSchema: "none" },
  { pattern: /claude-(?:sonnet|opus)-4(?:-\d{8}|$|[^-])/, cache: "everywhere", sampling: "both" },
  { pattern: /claude/, cache: "long", sampling: "one" },
];

const lowToHigh = ["low", "medium", "high"];

const rows: readonly Row[] = [
  {
    pattern: /gpt-oss/,
    takesSchema: "any",
    reasoning: { kind: "effort", efforts: lowToHigh, isOffUnasked: false },
  },
  {
    pattern: /gpt-\d/,
    sampling: "none",
    takesStop: false,
    takesSchema: "any",
    reasoning: {
      kind: "reasoning object",
      efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
      isOffUnasked: false,
    },
  },
  {
    pattern: /nova-2/,
    cache: "messages",
    takesResultStatus: true,
    topK: ["inferenceConfig", "topK"],
    reasoning: { kind: "reasoningConfig", efforts: lowToHigh, isOffUnasked: true },
  },
  { pattern: /nova/, cache: "messages", takesResultStatus: true, topK: ["inferenceConfig", "topK"] },
  {
    pattern: /voxtral/,
    forcedTool: "any",
    takesSchema: "closed",
    hasShortToolIds: true,
    topK: ["top_k"],
    takesAudio: true,
  },
  {
    pattern: /magistral-small|ministral-3|mistral-large-3/,
    forcedTool: "any",
    takesSchema: "closed",
    hasShortToolIds: true,
    topK: ["top_k"],
  },
  {
    pattern: /mistral|mixtral|ministral|pixtral|magistral|devstral/,
    forcedTool: "any",
    hasShortToolIds: true,
    topK: ["top_k"],
  },
  { pattern: /cohere|command-r/, forcedTool: "none", topK: ["k"] },
  { pattern: /llama/, forcedTool: "none" },
  // More model families with structured output on Bedrock: Qwen, DeepSeek, Gemma, Nemotron, MiniMax, Kimi,
  // GLM.
  {
    pattern: /qwen3|deepseek\.v3|gemma-3-(?:12|27)b|nemotron-nano|minimax-m2|kimi-k2|zai\.glm/,
    takesSchema: "closed",
  },
];

function claudeRules(id: string): ModelRules {
  const facts = factsOf(id);
  const { pattern: _, ...row } = claudeRows.find(({ pattern }) => pattern.test(id)) ?? { pattern: /$/ };
  return {
    ...stranger,
    ...row,
    ...(facts.takesSampling ? { topK: ["top_k"] } : { sampling: "none" as const }),
    maxOutput: facts.maxOutput,
    forcedTool: facts.forcesTools ? "named" : "none",
    takesSchema: row.takesSchema ?? (facts.takesSchema ? "closed" : "none"),
    reasoning: facts.thinking === "none" ? undefined : { kind: "claude", facts },
    canForbidParallel: true,
    takesPrefill: facts.prefills,
    takesResultStatus: true,
  };
}

function otherRules(id: string): ModelRules {
  const { pattern: _, ...row } = rows.find(({ pattern }) => pattern.test(id)) ?? { pattern: /$/ };
  return { ...stranger, ...row };
}

/** Most ids whose rules are cached; far more than any catalog has. */
const idsMax = 1_000;
const known = new Map<string, ModelRules>();

/**
 * The rules of a model by its id, profile or ARN. For an ARN without a model name, such as an application
 * profile, nothing is assumed.
 */
export function rulesOf(model: string): ModelRules {
  const found = known.get(model);
  if (found !== undefined) return found;
  const id = model.toLowerCase();
  const rules = id.includes("claude") ? claudeRules(id) : otherRules(id);
  if (known.size >= idsMax) known.clear();
  known.set(model, rules);
  return rules;
}
