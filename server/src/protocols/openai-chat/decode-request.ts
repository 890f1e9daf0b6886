/**
 * A caller's chat request → a conversation, parsed once and checked for shape. Old names (functions,
 * function_call, max_tokens) become the new ones. What every protocol would refuse is refused here by field
 * name.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type {
  AnswerFormat,
  Conversation,
  Parameter,
  ReasoningRequest,
  SettingName,
  SettingNames,
} from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";
import { cacheOf } from "./decode-content.ts";
import { decodeTools } from "./decode-tools.ts";
import { decodeTurns } from "./decode-turns.ts";

const stopMax = 16;

/** Chat's name of each setting. */
const names: SettingNames = {
  model: "model",
  fallbackModels: "models",
  turns: "messages",
  isStream: "stream",
  streamOptions: "stream_options",
  choices: "n",
  outputTokens: "max_completion_tokens",
  stop: "stop",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelCalls: "parallel_tool_calls",
  format: "response_format",
  reasoning: "reasoning",
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
  webSearch: "web_search_options",
  serviceTier: "service_tier",
  verbosity: "verbosity",
  prediction: "prediction",
  store: "store",
  metadata: "metadata",
  user: "user",
  safetyIdentifier: "safety_identifier",
  promptCacheKey: "prompt_cache_key",
  promptCacheRetention: "prompt_cache_retention",
  promptCacheOptions: "prompt_cache_options",
  cache: "cache_control",
  effort: "reasoning_effort",
  reasoningBudget: "reasoning.max_tokens",
};

/** Older names, which count where the name of today is not sent. */
const olderNames = [
  ["outputTokens", "max_tokens"],
  ["tools", "functions"],
  ["toolChoice", "function_call"],
] as const;

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

/** The caller's own name of each setting: what it did not send is not named to it. */
function namesIn(raw: JsonRecord): SettingNames {
  const own: Partial<Record<keyof SettingNames, string>> = {};
  for (const [setting, older] of olderNames)
    if (isSent(raw[older]) && !isSent(raw[names[setting]])) own[setting] = older;
  if (isSent(recordOf(raw["reasoning"])["effort"]) && !isSent(raw[names.effort]))
    own.effort = "reasoning.effort";
  return Object.keys(own).length === 0 ? names : { ...names, ...own };
}

/** The setting of each parameter, including older names. */
const settings: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ...Object.entries(names).flatMap(([setting, name]): [string, SettingName][] =>
    setting === "effort" || setting === "reasoningBudget" ? [] : [[name, setting as SettingName]],
  ),
  ["reasoning_effort", "reasoning"],
  ...olderNames.map(([setting, older]): [string, SettingName] => [older, setting]),
]);

/** What a parameter of chat is in the model; undefined where that has no word for it. */
export const settingNamed = (name: string): SettingName | undefined => settings.get(name);

/** A number; undefined when absent or null; NaN for anything else. */
function numberIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

/** A positive whole number; undefined when absent or null. Throws for anything else. */
function countOf(raw: JsonRecord, name: string): number | undefined {
  const value = numberIn(raw[name]);
  if (value === undefined) return undefined;
  if (Number.isNaN(value)) throw invalid(name, message("body.notNumber", { path: name }));
  if (!Number.isInteger(value) || value < 1)
    throw invalid(name, message("wire.positiveWhole", { param: name }));
  return value;
}

function stopOf(raw: JsonRecord): string[] {
  const value = raw["stop"];
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > stopMax) throw invalid("stop", message("wire.stopTooMany", { max: stopMax }));
  for (const text of list) {
    if (typeof text !== "string") throw invalid("stop", message("wire.stopForm"));
  }
  return [...new Set(list as string[])].filter((text) => text !== "");
}

function formatOf(raw: JsonRecord): AnswerFormat {
  const value = raw["response_format"];
  if (value === undefined || value === null) return { kind: "text" };
  const { type, json_schema: given } = recordOf(value);
  if (type === "text" || type === "json_object") return { kind: type };
  if (type !== "json_schema") {
    throw invalid("response_format.type", message("wire.responseFormat"));
  }
  const { name, description, schema, strict } = recordOf(given);
  const schemaPath = "response_format.json_schema.schema";
  if (!isRecord(schema)) throw invalid(schemaPath, message("wire.schemaMissing"));
  return {
    kind: "json_schema",
    name: typeof name === "string" && name !== "" ? name : "answer",
    description: typeof description === "string" ? description : undefined,
    schema,
    isStrict: strict === true,
    schemaPath,
  };
}

function reasoningOf(raw: JsonRecord, param: string): ReasoningRequest {
  const { effort: given, max_tokens: budget, enabled, exclude } = recordOf(raw["reasoning"]);
  const effort = raw["reasoning_effort"] ?? given ?? undefined;
  if (effort !== undefined && typeof effort !== "string")
    throw invalid(param, message("wire.effortNotText", { param }));
  return {
    effort: effort?.toLowerCase(),
    budget: numberIn(budget),
    isOn: typeof enabled === "boolean" ? enabled : undefined,
    isHidden: exclude === true,
  };
}

/** The parameters in the caller's order. */
function parametersOf(raw: JsonRecord): Parameter[] {
  const parameters: Parameter[] = [];
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue;
    const setting = settings.get(name);
    // The turns' value is not kept a second time: it is nearly the whole body.
    parameters.push({ name, setting, value: setting === "turns" ? undefined : value });
  }
  return parameters;
}

/** Conversations by body: each is decoded once, however many attempts and answers read it. */
const decoded = new WeakMap<Buffer, Conversation>();

/** Reads a body known to be a JSON object. Throws `Untranslatable` for what no protocol accepts. */
export function decodeRequest(body: Buffer): Conversation {
  const known = decoded.get(body);
  if (known !== undefined) return known;
  const raw = recordOf(JSON.parse(body.toString("utf8")));
  const turns = decodeTurns(raw["messages"]);
  const outputTokens = countOf(raw, "max_completion_tokens") ?? countOf(raw, "max_tokens");
  const own = namesIn(raw);
  const conversation: Conversation = {
    protocol: "openai-chat",
    names: own,
    parameters: parametersOf(raw),
    turns,
    outputTokens,
    toolUse: decodeTools(raw),
    format: formatOf(raw),
    stop: stopOf(raw),
    choices: countOf(raw, "n") ?? 1,
    reasoning: reasoningOf(raw, own.effort),
    sampling: {
      temperature: numberIn(raw["temperature"]),
      topP: numberIn(raw["top_p"]),
      topK: numberIn(raw["top_k"]),
      seed: numberIn(raw["seed"]),
      presencePenalty: numberIn(raw["presence_penalty"]),
      frequencyPenalty: numberIn(raw["frequency_penalty"]),
    },
    logprobs: { isWanted: raw["logprobs"] === true, alternatives: numberIn(raw["top_logprobs"]) },
    cache: cacheOf(raw, ""),
  };
  decoded.set(body, conversation);
  return conversation;
}
