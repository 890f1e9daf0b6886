/**
 * What Responses calls the settings of a conversation (docs/wire/openai-responses.md section 1), and which of
 * a request's fields are which setting.
 */
import type { Parameter, SettingName, SettingNames } from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";

/** Some are no fields of OpenAI's: servers that speak its format take them, or nobody does. */
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

/** Settings that are a field of their own. */
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

/** About what is stored: handed out by `state.ts`, and no setting of a conversation. */
const ofState = new Set(["store", "previous_response_id", "conversation", "background", "prompt"]);

/** The one entry of `include` that asks for anything: others are written anyway, or of hosted tools. */
export const logprobsIncluded = "message.output_text.logprobs";

/** Nothing is asked for by these values of `truncation`, `reasoning.context` and `reasoning.mode`. */
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

/** `mode` decides how much is thought, beyond what an effort says. */
function ofReasoning(value: unknown): Parameter[] {
  const { context, mode } = recordOf(value);
  const found: Parameter[] = [{ name: "reasoning", setting: "reasoning", value }];
  if (typeof context === "string" && !usual.has(context))
    found.push({ name: "reasoning.context", setting: "manner", value: context });
  if (typeof mode === "string" && !usual.has(mode))
    found.push({ name: "reasoning.mode", setting: undefined, value: mode });
  return found;
}

/** Everything the caller set, in its order, except what is about stored state or the answer's own form. */
export function parametersOf(raw: JsonRecord): Parameter[] {
  return Object.entries(raw).flatMap(([name, value]): Parameter[] => {
    if (value === null || value === undefined || ofState.has(name)) return [];
    if (name === "include") return ofInclude(value);
    if (name === "text" && isRecord(value)) return ofText(value);
    if (name === "reasoning") return ofReasoning(value);
    if (name === "truncation") return value === "disabled" ? [] : [{ name, setting: "manner", value }];
    const setting = fields.get(name);
    // What was sent is not kept beside what was read of it: it is nearly all of a body.
    return [{ name, setting, value: setting === "turns" ? undefined : value }];
  });
}
