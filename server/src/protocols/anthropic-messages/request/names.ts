/**
 * The Messages names of a conversation's settings (docs/wire/anthropic-messages.md section 13), and the
 * setting each field of a request is.
 */
import type { Parameter, SettingName, SettingNames } from "../../../conversation/conversation.ts";
import { isRecord } from "../../../lib/record.ts";

/** Settings without a field in this format have a placeholder name; no request can contain them. */
export const names: SettingNames = {
  model: "model",
  fallbackModels: "models",
  turns: "messages",
  isStream: "stream",
  streamOptions: "stream_options",
  choices: "n",
  outputTokens: "max_tokens",
  stop: "stop_sequences",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelCalls: "tool_choice.disable_parallel_tool_use",
  format: "output_config.format",
  reasoning: "thinking",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  logprobAlternatives: "top_logprobs",
  modalities: "modalities",
  webSearch: "tools",
  serviceTier: "service_tier",
  verbosity: "verbosity",
  prediction: "prediction",
  store: "store",
  metadata: "metadata",
  user: "metadata.user_id",
  safetyIdentifier: "metadata.user_id",
  promptCacheKey: "prompt_cache_key",
  promptCacheRetention: "prompt_cache_retention",
  promptCacheOptions: "prompt_cache_options",
  cache: "cache_control",
  effort: "output_config.effort",
  reasoningBudget: "thinking.budget_tokens",
};

/** Fields that are settings. All others only affect style and are ignored by other formats. */
const fields: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ["model", "model"],
  ["models", "fallbackModels"],
  ["messages", "turns"],
  ["system", "turns"],
  ["stream", "isStream"],
  ["max_tokens", "outputTokens"],
  ["stop_sequences", "stop"],
  ["tools", "tools"],
  ["tool_choice", "toolChoice"],
  ["thinking", "reasoning"],
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["output_format", "format"],
  ["cache_control", "cache"],
]);

/** Fields that ask for an answer of another kind: who lacks them has no answer. */
const demanded: ReadonlySet<string> = new Set(["compaction"]);

/** Values that ask for nothing. */
const usual: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ["speed", ["standard"]],
  ["service_tier", ["standard_only"]],
]);

/** Members of objects that are settings of their own. */
const members: Readonly<Record<string, Readonly<Record<string, SettingName>>>> = {
  output_config: { effort: "reasoning", format: "format" },
  metadata: { user_id: "user" },
};

/** A tier in the conversation's terms, which are OpenAI's; `auto` is the default. */
const tierOf = (value: unknown): unknown => (value === "standard_only" ? "default" : value);

function ofMembers(name: string, value: object): Parameter[] {
  const known = members[name] ?? {};
  return Object.entries(value).flatMap(([member, given]): Parameter[] => {
    if (given === null || given === undefined) return [];
    const setting = Object.hasOwn(known, member) ? known[member] : "manner";
    return [{ name: `${name}.${member.slice(0, 100)}`, setting, value: given }];
  });
}

/** Every setting of the request, in its order. */
export function parametersOf(raw: Readonly<Record<string, unknown>>): Parameter[] {
  return Object.entries(raw).flatMap(([name, value]): Parameter[] => {
    if (value === null || value === undefined) return [];
    if (Object.hasOwn(members, name) && isRecord(value)) return ofMembers(name, value);
    if (name === "service_tier") return [{ name, setting: "serviceTier", value: tierOf(value) }];
    if (usual.get(name)?.includes(value) === true) return [];
    const setting = demanded.has(name) ? undefined : (fields.get(name) ?? "manner");
    // The turns' value is not kept a second time: it is nearly the whole body.
    return [{ name: name.slice(0, 100), setting, value: setting === "turns" ? undefined : value }];
  });
}
