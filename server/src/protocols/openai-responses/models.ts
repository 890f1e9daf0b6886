/**
 * Facts about Responses models by name (docs/wire/openai-responses.md section 7). Unknown names, such as
 * Azure deployments, are treated as reasoning models that support everything.
 */

/** Reasoning that only OpenAI's Responses can read: an item's own `encrypted_content`. */
export const nativeFormat = "openai-responses-v1";

export interface ModelFacts {
  /** True when it accepts temperature and top_p while reasoning. */
  readonly takesSampling: boolean;
  /** True when it returns opaque reasoning on request; other models refuse such a request. */
  readonly givesOpaque: boolean;
  /** The format of that reasoning, which says who can read it. */
  readonly reasoningFormat: string;
  /** True when it accepts reasoning as text, as open models do in a tool loop. */
  readonly takesWords: boolean;
  /** Its lowest effort. */
  readonly leastEffort: "none" | "minimal" | "low";
  /** The smallest output limit it accepts. */
  readonly outputMin: number;
}

const unknown: ModelFacts = {
  takesSampling: true,
  givesOpaque: true,
  reasoningFormat: nativeFormat,
  takesWords: false,
  leastEffort: "none",
  outputMin: 16,
};

const reasoning: ModelFacts = { ...unknown, takesSampling: false };

/** The first row whose pattern matches applies. */
const rows: readonly (readonly [name: RegExp, facts: ModelFacts])[] = [
  [/^(?:gpt-3|gpt-4|chatgpt)|-chat(?:-|$)/, { ...unknown, givesOpaque: false }],
  [/^(?:o\d|codex)/, { ...reasoning, leastEffort: "low" }],
  [/^gpt-5(?:-|$)/, { ...reasoning, leastEffort: "minimal" }],
  [/^gpt-\d/, reasoning],
  [/^grok/, { ...unknown, reasoningFormat: "xai-responses-v1", leastEffort: "low", outputMin: 1 }],
  [/^gpt-oss/, { ...unknown, givesOpaque: false, takesWords: true, leastEffort: "low", outputMin: 1 }],
];

function rowOf(model: string): ModelFacts | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return rows.find(([pattern]) => pattern.test(name))?.[1];
}

/** `model`: its name at the upstream, possibly with a vendor prefix. */
export const factsOf = (model: string): ModelFacts => rowOf(model) ?? unknown;

/** True when the model's name says that it returns opaque reasoning on request. */
export const surelyGivesOpaque = (model: string): boolean => rowOf(model)?.givesOpaque === true;

/** The entry of `include` that asks for it. */
export const opaqueIncluded = "reasoning.encrypted_content";
