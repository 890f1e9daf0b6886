/**
 * What differs between Claude models, as a table (docs/wire/anthropic-messages.md sections 5, 6 and 7).
 * Nothing elsewhere in this folder knows a model by its name; a new model that behaves unlike its row gets a
 * row.
 */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface ModelFacts {
  /** What the name has in it. The first row that fits counts. */
  readonly part: string;
  /** Most output tokens. */
  readonly maxOutput: number;
  /** Does it take temperature, top_p, top_k? */
  readonly takesSampling: boolean;
  /** `adaptive`: told by an effort. `budget`: told by a number of tokens. `none`: it has no thoughts. */
  readonly thinking: "adaptive" | "budget" | "none";
  /**
   * How it is told not to think. `effort`: it always thinks; little is the
   * least. `omit`: by not telling it to.
   */
  readonly off: "disabled" | "between_tools" | "effort" | "omit";
  /** Does it think when nothing is said about that? */
  readonly thinksUnasked: boolean;
  /** Are the thoughts' texts left out unless they are asked for? */
  readonly hidesThoughts: boolean;
  readonly efforts: readonly Effort[];
  /**
   * Can it be made to call a tool? One that thinks by a budget cannot while it thinks; an adaptive one can.
   */
  readonly forcesTools: boolean;
  /** Does it take a JSON Schema for the answer, and `strict` on tools? */
  readonly takesSchema: boolean;
  /** Does it go on with an assistant message at the end of the conversation? */
  readonly prefills: boolean;
  /**
   * May a system message stand in the conversation, after a user's turn? (platform.claude.com,
   * mid-conversation system messages, 2026-10)
   */
  readonly inlineSystem: boolean;
}

type Rest = Omit<ModelFacts, "part" | "maxOutput">;

/** 5 and later, 4.7, 4.8: what is not in this table by name is taken for one of them. */
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
 * Thinks whether it is told to or not: `thinking: disabled` is a 400 (platform.claude.com, migration
 * guide of Fable 5 and Mythos 5, 2026-11).
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

/** Other models behind the same protocol: its classic form, which all of them know. */
const stranger: ModelFacts = { part: "", maxOutput: 8_192, ...generation4 };

/** Distinct names whose row is remembered; far above any catalog. */
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
