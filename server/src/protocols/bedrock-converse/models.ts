/**
 * What models on Bedrock take and what they do not, as data: the first row whose pattern is found in the
 * model's id holds (docs/wire/bedrock-converse.md sections 2 and 5). What Claude models take is in
 * Anthropic's own table; here is what Bedrock adds. Knows no request.
 */
import { type ModelFacts as ClaudeFacts, factsOf } from "../claude/models.ts";

/** How thinking is asked for. */
export type Reasoning =
  /** As Anthropic's models are asked. */
  | { readonly kind: "claude"; readonly facts: ClaudeFacts }
  /** A word in a native field of its own. `isOffUnasked`: does it not think where nothing is said? */
  | {
      readonly kind: "effort" | "reasoning object" | "reasoningConfig";
      readonly efforts: readonly string[];
      readonly isOffUnasked: boolean;
    };

export interface ModelRules {
  /** Most output tokens; undefined = unknown. */
  readonly maxOutput: number | undefined;
  /** May temperature, top_p and top_k be said? `one`: temperature or top_p, not both. */
  readonly sampling: "both" | "one" | "none";
  readonly takesStop: boolean;
  /** `any`: a tool may be required; `named`: a certain one too; `none`: neither. */
  readonly forcedTool: "none" | "any" | "named";
  /**
   * Does it hold its answers, and the arguments of strict tools, to a JSON Schema? `closed`: to one of
   * closed objects without recursion (docs.aws.amazon.com, Bedrock: structured output, 2026-11).
   * `any`: the schema goes there as it is.
   */
  readonly takesSchema: "closed" | "any" | "none";
  readonly reasoning: Reasoning | undefined;
  /** Can parallel calls be switched off, by Anthropic's own `tool_choice`? */
  readonly canForbidParallel: boolean;
  /** Where cache points may stand; `long`: everywhere, and for an hour too. */
  readonly cache: "none" | "messages" | "everywhere" | "long";
  /** Where top_k stands among the native fields; undefined = it takes none. */
  readonly topK: readonly string[] | undefined;
  /** May the conversation end with a message of the assistant's? */
  readonly takesPrefill: boolean;
  /** Ids of tool calls are exactly nine letters and digits. */
  readonly hasShortToolIds: boolean;
  readonly takesAudio: boolean;
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
};

type Row = { readonly pattern: RegExp } & Partial<ModelRules>;

/** Claude: from the first row that fits, what Anthropic's own table does not say. */
const claudeRows: readonly Row[] = [
  { pattern: /claude-3-(?:opus|sonnet|haiku|5-sonnet)/, cache: "none", sampling: "both" },
  { pattern: /claude-3-/, cache: "everywhere", sampling: "both" },
  // On Anthropic's own API these take schemas, but not on Converse.
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
    topK: ["inferenceConfig", "topK"],
    reasoning: { kind: "reasoningConfig", efforts: lowToHigh, isOffUnasked: true },
  },
  { pattern: /nova/, cache: "messages", topK: ["inferenceConfig", "topK"] },
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
  // Further families of Bedrock's list of structured output: Qwen, DeepSeek,
  // Gemma, Nemotron, MiniMax, Kimi, GLM.
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
  };
}

function otherRules(id: string): ModelRules {
  const { pattern: _, ...row } = rows.find(({ pattern }) => pattern.test(id)) ?? { pattern: /$/ };
  return { ...stranger, ...row };
}

/** Distinct ids whose rules are remembered; far above any catalog. */
const idsMax = 1_000;
const known = new Map<string, ModelRules>();

/**
 * The rules of a model by its id, profile or ARN. Of an ARN that says nothing (a
 * profile of one's own) nothing is assumed.
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
