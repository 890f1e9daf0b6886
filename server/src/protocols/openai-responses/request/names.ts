/**
 * The Responses names of a conversation's settings (docs/wire/openai-responses.md section 1), and the setting
 * each field of a request is.
 */
import type { Parameter, SettingName, SettingNames } from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";

/** Settings that OpenAI lacks have the name that compatible servers use, or a placeholder. */
export const names: SettingNames = {
  model: "model",
  fallbackModels: "models",
  turns: "input",
  isStream: "stream",
  streamOptions: "stream_options",
  choices: "n",
  outputTokens: "max_output_tokens",
  stop: "stop",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelCalls: "parallel_tool_calls",
  format: "text.format",
  reasoning: "reasoning",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  logprobs: "include",
  logprobAlternatives: "top_logprobs",
  modalities: "modalities",
  webSearch: "tools",
  serviceTier: "service_tier",
  verbosity: "text.verbosity",
  prediction: "prediction",
  store: "store",
  metadata: "metadata",
  user: "user",
  safetyIdentifier: "safety_identifier",
  promptCacheKey: "prompt_cache_key",
  promptCacheRetention: "prompt_cache_retention",
  promptCacheOptions: "prompt_cache_options",
  cache: "cache_control",
  effort: "reasoning.effort",
  reasoningBudget: "reasoning.max_tokens",
};

/** Settings with a field of their own. */
const fields: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ["model", "model"],
  ["models", "fallbackModels"],
  ["input", "turns"],
  ["instructions", "turns"],
  ["stream", "isStream"],
  ["stream_options", "streamOptions"],
  ["max_output_tokens", "outputTokens"],
  ["stop", "stop"],
  ["tools", "tools"],
  ["tool_choice", "toolChoice"],
  ["parallel_tool_calls", "parallelCalls"],
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["seed", "seed"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
  ["logit_bias", "logitBias"],
  ["top_logprobs", "logprobAlternatives"],
  ["service_tier", "serviceTier"],
  ["metadata", "metadata"],
  ["user", "user"],
  ["safety_identifier", "safetyIdentifier"],
  ["prompt_cache_key", "promptCacheKey"],
  ["prompt_cache_retention", "promptCacheRetention"],
  ["prompt_cache_options", "promptCacheOptions"],
  ["max_tool_calls", "manner"],
  ["client_metadata", "manner"],
  ["image", "manner"],
]);

/** Fields about stored state. `state.ts` returns them; they are not settings of a conversation. */
const ofState = new Set(["store", "previous_response_id", "conversation", "background", "prompt"]);

/** The only entry of `include` that has an effect; the others are always written, or concern hosted tools. */
export const logprobsIncluded = "message.output_text.logprobs";

/** Default values of `truncation`, `reasoning.context` and `reasoning.mode`. */
const usual = new Set<unknown>(["disabled", "auto", "standard"]);

function ofInclude(value: unknown): Parameter[] {
  const asks = Array.isArray(value) && value.includes(logprobsIncluded);
  return asks ? [{ name: "include", setting: "logprobs", value: true }] : [];
}

function ofText(value: unknown): Parameter[] {
  return Object.entries(recordOf(value)).flatMap(([member, given]): Parameter[] => {
    if (given === null) return [];
    const setting = member === "format" ? "format" : member === "verbosity" ? "verbosity" : undefined;
    return [{ name: `text.${member.slice(0, 100)}`, setting, value: given }];
  });
}

/** `mode` sets how much the model thinks, in addition to the effort. */
function ofReasoning(value: unknown): Parameter[] {
  const { context, mode } = recordOf(value);
  const found: Parameter[] = [{ name: "reasoning", setting: "reasoning", value }];
  if (typeof context === "string" && !usual.has(context))
    found.push({ name: "reasoning.context", setting: "manner", value: context });
  if (typeof mode === "string" && !usual.has(mode))
    found.push({ name: "reasoning.mode", setting: undefined, value: mode });
  return found;
}

/** Every setting of the request in its order, except those about stored state and the answer's form. */
export function parametersOf(raw: JsonRecord): Parameter[] {
  return Object.entries(raw).flatMap(([name, value]): Parameter[] => {
    if (value === null || value === undefined || ofState.has(name)) return [];
    if (name === "include") return ofInclude(value);
    if (name === "text" && isRecord(value)) return ofText(value);
    if (name === "reasoning") return ofReasoning(value);
    if (name === "truncation") return value === "disabled" ? [] : [{ name, setting: "manner", value }];
    const setting = fields.get(name);
    // The turns' value is not kept a second time: it is nearly the whole body.
    return [{ name, setting, value: setting === "turns" ? undefined : value }];
  });
}
