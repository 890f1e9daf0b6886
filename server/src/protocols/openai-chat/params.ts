/**
 * Which top-level parameters a protocol can express. Everything a caller sends is used, or left out and told, or refused by name (left out
 * and told, too, where the caller allowed that). Nothing is left out without a word; what a table does not name is refused.
 */
import type { JsonRecord } from "../../lib/record.ts";
import { isNothing, type Leftovers } from "../leftovers.ts";

/**
 * `used`: the provider reads it, and tells what of it it could not say. `told`: it asks for a manner and not for a result, so that it is left
 * out and told, unless it asks for nothing; `usual`: further values that ask for nothing. A function: is this value expressible? (Values equal
 * to the protocol's own default usually are.) What a table does not name is not expressible.
 */
export type ParamRule =
  | "used"
  | "told"
  | { readonly usual: readonly unknown[] }
  | ((value: unknown) => boolean);
export type ParamRules = Readonly<Record<string, ParamRule>>;

/** What the gateway itself reads, and what is about bookkeeping at OpenAI. */
export const commonRules: ParamRules = {
  model: "used",
  models: "used",
  messages: "used",
  stream: "used",
  stream_options: "used",
  n: "used",
  max_tokens: "used",
  max_completion_tokens: "used",
  stop: "used",
  tools: "used",
  tool_choice: "used",
  parallel_tool_calls: "used",
  functions: "used",
  function_call: "used",
  response_format: "used",
  reasoning_effort: "used",
  reasoning: "used",
  user: "told",
  safety_identifier: "told",
  prompt_cache_key: "told",
  prompt_cache_retention: "told",
  prompt_cache_options: "told",
  store: "told",
  metadata: "told",
  service_tier: { usual: ["auto", "default"] },
  verbosity: { usual: ["medium"] },
  frequency_penalty: isNothing,
  presence_penalty: isNothing,
  logit_bias: isNothing,
  logprobs: isNothing,
  top_logprobs: isNothing,
  modalities: (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
};

/** Holds every top-level parameter against the rules. A null counts as not sent. */
export function checkParams(raw: JsonRecord, rules: ParamRules, leftovers: Leftovers): void {
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === "used") continue;
    if (rule === "told" || typeof rule === "object") {
      if (!asksForNothing(value, rule === "told" ? [] : rule.usual)) leftovers.note(name);
    } else if (rule?.(value) !== true) leftovers.leaveOut(name.slice(0, 100));
  }
}

/** 0 is a seed like any other. */
const asksForNothing = (value: unknown, usual: readonly unknown[]): boolean =>
  (isNothing(value) && value !== 0) || usual.includes(value);
