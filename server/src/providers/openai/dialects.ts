/**
 * What chat upstreams take of conversations that did not come as chat, where they differ: by the service's
 * address and preset, and by the model's name (docs/wire/openai-chat.md section 6, openai-compatible.md
 * section 1). Data and a lookup; what a caller of chat sends is never asked of it.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type ChatDialect, openaiDialect } from "../../protocols/openai-chat/dialect.ts";
import { findPreset } from "../presets/presets.ts";
import { chatBoundOf } from "./encode.ts";
import type { RequestRules } from "./rules.ts";

/** Words of `reasoning_effort` by OpenAI's own models; the first row that fits. */
const efforts: readonly (readonly [model: RegExp, words: readonly string[]])[] = [
  [/^(?:gpt-3|gpt-4|chatgpt)|-chat(?:-|$)/, []],
  [/^(?:o\d|codex)/, ["low", "medium", "high"]],
  [/^gpt-5(?:-|$)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-\d/, ["none", "low", "medium", "high", "xhigh"]],
];

/** A model's name without the vendor in front of it, in lower case. */
const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

/** What decides about an upstream besides its address and its preset. */
export interface DialectFacts {
  /** What its requests do their own way. */
  readonly rules?: RequestRules | undefined;
  /** True when its models are OpenAI's own, whatever its address. */
  readonly hasOpenaiModels?: boolean | undefined;
}

/** What this upstream takes for this model. */
export function dialectOf(
  upstream: Upstream,
  model: string,
  { rules, hasOpenaiModels = false }: DialectFacts,
): ChatDialect {
  const { takesTopK = false, isRouter = false } = findPreset(upstream.preset) ?? {};
  const outputName = chatBoundOf(upstream);
  if (outputName === "max_completion_tokens" || hasOpenaiModels) {
    const name = bareName(model);
    return { ...openaiDialect, outputName, efforts: efforts.find(([pattern]) => pattern.test(name))?.[1] };
  }
  const replayed = rules?.replays === undefined ? undefined : "reasoning_content";
  return {
    ...openaiDialect,
    outputName,
    takesDeveloper: false,
    takesCustomTools: false,
    takesCacheMarks: isRouter && /claude|anthropic/i.test(model),
    takesTopK,
    // Routers return images so; a server without a preset may be one.
    takesMadeImages: isRouter || upstream.preset === undefined,
    thoughts: isRouter ? "reasoning_details" : replayed,
  };
}
