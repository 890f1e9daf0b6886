/**
 * What is known of models behind Responses by their names (docs/wire/openai-responses.md section 7). A name
 * nobody knows, like that of an Azure deployment, is taken for a reasoning model that takes everything.
 */
import { nativeFormat } from "./reasoning-payload.ts";

export interface ModelFacts {
  /** Takes temperature and top_p while it reasons. */
  readonly takesSampling: boolean;
  /** Gives its reasoning in opaque form when asked; other models refuse to be asked. */
  readonly givesOpaque: boolean;
  /** Who can read that form. */
  readonly reasoningFormat: string;
  /** Takes reasoning back in words, as open models do inside a tool loop. */
  readonly takesWords: boolean;
  /** The least it can be told to think. */
  readonly leastEffort: "none" | "minimal" | "low";
  /** Fewer output tokens than this are refused. */
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

/** The first row whose pattern fits. */
const rows: readonly (readonly [name: RegExp, facts: ModelFacts])[] = [
  [/^(?:gpt-3|gpt-4|chatgpt)|-chat(?:-|$)/, { ...unknown, givesOpaque: false }],
  [/^(?:o\d|codex)/, { ...reasoning, leastEffort: "low" }],
  [/^gpt-5(?:-|$)/, { ...reasoning, leastEffort: "minimal" }],
  [/^gpt-\d/, reasoning],
  [/^grok/, { ...unknown, reasoningFormat: "xai-responses-v1", leastEffort: "low", outputMin: 1 }],
  [/^gpt-oss/, { ...unknown, givesOpaque: false, takesWords: true, leastEffort: "low", outputMin: 1 }],
];

/** `model`: its name at the upstream, perhaps with a vendor before it. */
export function factsOf(model: string): ModelFacts {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return rows.find(([pattern]) => pattern.test(name))?.[1] ?? unknown;
}
