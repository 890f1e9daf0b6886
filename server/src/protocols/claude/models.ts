/**
 * The differences between Claude models, as a table (docs/wire/anthropic-messages.md sections 5, 6 and 7). No
 * other file in this folder uses model names. A new model that differs from its row gets its own row.
 */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface ModelFacts {
  /** A part of the model's name. The first matching row applies. */
  readonly part: string;
  /** Most output tokens. */
  readonly maxOutput: number;
  /** True when it accepts temperature, top_p and top_k. */
  readonly takesSampling: boolean;
  /** `adaptive`: controlled by an effort. `budget`: by a number of tokens. `none`: cannot think. */
  readonly thinking: "adaptive" | "budget" | "none";
  /**
   * How to turn thinking off. `effort`: it always thinks, and the lowest effort is the least. `omit`: do not
   * ask for it.
   */
  readonly off: "disabled" | "between_tools" | "effort" | "omit";
  /** True when it thinks by default. */
  readonly thinksUnasked: boolean;
  /** True when the text of thoughts is left out unless requested. */
  readonly hidesThoughts: boolean;
  readonly efforts: readonly Effort[];
  /**
   * True when a tool call can be required. A model that thinks by a budget cannot be forced while it thinks;
   * an adaptive one can.
   */
  readonly forcesTools: boolean;
  /** True when it accepts a JSON Schema for the answer, and `strict` on tools. */
  readonly takesSchema: boolean;
  /** True when it continues an assistant message at the end of the conversation. */
  readonly prefills: boolean;
  /**
   * True when a system message may follow a user turn in the conversation (platform.claude.com,
   * mid-conversation system messages, 2026-10).
   */
  readonly inlineSystem: boolean;
}

type Rest = Omit<ModelFacts, "part" | "maxOutput">;

/** Generation 5 and later, 4.7, 4.8. Unknown Claude models are assumed to be one of them. */
const newest: Rest = {
  takesSampling: false,
  thinking: "adaptive",
  off: "disabled",
  thinksUnasked: false,
  hidesThoughts: true,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  forcesTools: true,
  takesSchema: true,
  prefills: false,
  inlineSystem: false,
};

/**
 * Always thinks: `thinking: disabled` is a 400 (platform.claude.com, migration guide of Fable 5 and Mythos 5,
 * 2026-11).
 */
const alwaysThinks: Rest = { ...newest, off: "effort", thinksUnasked: true };

const generation46: Rest = {
  ...newest,
  takesSampling: true,
  hidesThoughts: false,
  efforts: ["low", "medium", "high", "max"],
};

const generation45: Rest = {
  ...generation46,
  thinking: "budget",
  off: "omit",
  efforts: [],
  prefills: true,
};

const generation4: Rest = { ...generation45, takesSchema: false };
const generation3: Rest = { ...generation4, thinking: "none" };

const k = 1_000;

const rows: readonly ModelFacts[] = [
  {
    part: "sonnet-5-5",
    maxOutput: 128 * k,
    ...alwaysThinks,
    off: "between_tools",
    forcesTools: false,
    inlineSystem: true,
  },
  { part: "opus-5-5", maxOutput: 128 * k, ...alwaysThinks, forcesTools: false, inlineSystem: true },
  { part: "haiku-5-5", maxOutput: 128 * k, ...newest, inlineSystem: true },
  { part: "opus-5", maxOutput: 128 * k, ...newest, thinksUnasked: true, inlineSystem: true },
  { part: "fable-5-1", maxOutput: 128 * k, ...alwaysThinks, forcesTools: false, inlineSystem: true },
  { part: "fable-5-2", maxOutput: 128 * k, ...alwaysThinks, forcesTools: false, inlineSystem: true },
  { part: "fable-5", maxOutput: 128 * k, ...alwaysThinks, inlineSystem: true },
  { part: "mythos-5-1", maxOutput: 128 * k, ...alwaysThinks, forcesTools: false, inlineSystem: true },
  { part: "mythos-5", maxOutput: 128 * k, ...alwaysThinks, inlineSystem: true },
  { part: "mythos", maxOutput: 128 * k, ...alwaysThinks, forcesTools: false },
  { part: "opus-4-7", maxOutput: 128 * k, ...newest },
  { part: "opus-4-8", maxOutput: 128 * k, ...newest, inlineSystem: true },
  { part: "sonnet-5", maxOutput: 128 * k, ...newest },
  { part: "opus-4-6", maxOutput: 128 * k, ...generation46 },
  { part: "sonnet-4-6", maxOutput: 128 * k, ...generation46 },
  { part: "sonnet-4-5", maxOutput: 64 * k, ...generation45 },
  { part: "opus-4-5", maxOutput: 64 * k, ...generation45 },
  { part: "haiku-4-5", maxOutput: 64 * k, ...generation45 },
  { part: "opus-4-1", maxOutput: 32 * k, ...generation45 },
  { part: "sonnet-4", maxOutput: 64 * k, ...generation4 },
  { part: "opus-4", maxOutput: 32 * k, ...generation4 },
  { part: "3-7-sonnet", maxOutput: 64 * k, ...generation4 },
  { part: "3-5-", maxOutput: 8_192, ...generation3 },
  { part: "claude-3-", maxOutput: 4_096, ...generation3 },
  { part: "claude-2", maxOutput: 4_096, ...generation3 },
  { part: "claude", maxOutput: 128 * k, ...newest },
];

/** Other models behind the same protocol: only its original features, which all of them support. */
const stranger: ModelFacts = { part: "", maxOutput: 8_192, ...generation4 };

/** Most names whose row is cached; far more than any catalog has. */
const namesMax = 1_000;
const known = new Map<string, ModelFacts>();

/** The row of a model by its name at the upstream; dots count as hyphens. */
export function factsOf(model: string): ModelFacts {
  const found = known.get(model);
  if (found !== undefined) return found;
  const name = model.toLowerCase().replaceAll(".", "-");
  const facts = rows.find(({ part }) => name.includes(part)) ?? stranger;
  if (known.size >= namesMax) known.clear();
  known.set(model, facts);
  return facts;
}
