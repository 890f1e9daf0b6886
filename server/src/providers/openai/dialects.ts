/**
 * What chat upstreams take of conversations that did not come as chat, where they differ: by the service's
 * address and name, and by the model's name (docs/wire/openai-chat.md section 6, openai-compatible.md
 * section 1). Data and a lookup; what a caller of chat sends is never asked of it.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type ChatDialect, openaiDialect } from "../../protocols/openai-chat/dialect.ts";
import { chatBoundOf } from "./encode.ts";
import type { RequestRules } from "./rules.ts";

/** Words of `reasoning_effort` by OpenAI's own models; the first row that fits. */
const efforts: readonly (readonly [model: RegExp, words: readonly string[]])[] = [
  [/^(?:gpt-3|gpt-4|chatgpt)|-chat(?:-|$)/, []],
  [/^(?:o\d|codex)/, ["low", "medium", "high"]],
  [/^gpt-5(?:-|$)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-\d/, ["none", "low", "medium", "high", "xhigh"]],
];

/** Services that hand marks of the prompt cache on to Claude, and take signed thoughts back. */
const routers = new Set(["openrouter", "vercel"]);

/** Services whose sampling knows `top_k`. */
const takingTopK = new Set([
  "openrouter",
  "together",
  "fireworks",
  "siliconflow",
  "qwen",
  "vllm",
  "sglang",
  "llamacpp",
  "lmstudio",
]);

/** A model's name without the vendor in front of it, in lower case. */
const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

/** What this upstream takes for this model. `rules`: what it does its own way. */
export function dialectOf(upstream: Upstream, model: string, rules: RequestRules | undefined): ChatDialect {
  const { preset, provider } = upstream;
  const outputName = chatBoundOf(upstream);
  if (outputName === "max_completion_tokens" || provider === "azure") {
    const name = bareName(model);
    return { ...openaiDialect, outputName, efforts: efforts.find(([pattern]) => pattern.test(name))?.[1] };
  }
  const isRouter = preset !== undefined && routers.has(preset);
  const replayed = rules?.replays === undefined ? undefined : "reasoning_content";
  return {
    ...openaiDialect,
    outputName,
    takesDeveloper: false,
    takesCustomTools: false,
    takesCacheMarks: isRouter && /claude|anthropic/i.test(model),
    takesTopK: preset !== undefined && takingTopK.has(preset),
    thoughts: isRouter ? "reasoning_details" : replayed,
  };
}
