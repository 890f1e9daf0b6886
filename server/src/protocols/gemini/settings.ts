/**
 * Encodes everything in a conversation besides turns and tools as `generationConfig` and related fields
 * (docs/wire/gemini.md sections 2 and 5), and lists which settings can be expressed.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { type Conversation, extraOf, type Sampling, settingOf } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { isNothing, type Leftovers } from "../leftovers.ts";
import type { EncodeContext } from "../protocol.ts";
import { commonSettings, type SettingRules, sampled } from "../settings.ts";
import { invalid } from "../untranslatable.ts";
import { logprobsSettings } from "./logprobs.ts";
import type { ModelFacts } from "./models.ts";
import { cleanSchema } from "./schema.ts";
import { thinkingOf } from "./thinking.ts";
import type { Api, GenerationConfig, SafetySetting } from "./wire.ts";

/** Output types the answer may have. */
const isModality = (value: unknown): boolean => value === "text" || value === "image";

/** A prediction only makes an answer faster. `tierOf` reports tiers that cannot be expressed. */
const common: SettingRules["settings"] = {
  ...commonSettings,
  temperature: "used",
  topP: "used",
  topK: "used",
  seed: "used",
  presencePenalty: "used",
  frequencyPenalty: "used",
  modalities: (value) => Array.isArray(value) && value.every(isModality),
  webSearch: "used",
  serviceTier: "used",
  prediction: "dropped",
};

const extras: SettingRules["extras"] = { extra_body: "used", google: "used" };

/** Which settings can be expressed, by API. */
export const rulesOf: Readonly<Record<Api, SettingRules>> = {
  gemini: { settings: common, extras },
  vertex: { settings: { ...common, logprobs: "used", logprobAlternatives: "used" }, extras },
};

const stopMax = 5;
const candidatesMax = 8;

/**
 * The caller's settings in Google's own terms, as on Google's OpenAI-compatible route: `google` or
 * `extra_body.google`.
 */
export function googleOf(conversation: Conversation, leftovers: Leftovers): JsonRecord {
  const body = recordOf(extraOf(conversation, "extra_body"));
  for (const name of Object.keys(body))
    if (name !== "google") leftovers.leaveOut(`extra_body.${name.slice(0, 100)}`);
  const google = { ...recordOf(body["google"]), ...recordOf(extraOf(conversation, "google")) };
  for (const [name, value] of Object.entries(google)) {
    const isKnown = /^(?:thinking_config|thinkingConfig|safety_settings|safetySettings)$/.test(name);
    // Other members may name the operator's objects, such as cached contents.
    if (!isKnown && !isNothing(value) && value !== null) leftovers.leaveOut(`google.${name.slice(0, 100)}`);
  }
  return google;
}

/** The filters' thresholds as the caller wrote them. */
export function safetyOf(google: JsonRecord): SafetySetting[] {
  const list = google["safety_settings"] ?? google["safetySettings"] ?? [];
  const at = "google.safety_settings";
  if (!Array.isArray(list)) throw invalid(at, message("wire.notList", { param: at }));
  return list.map((value: unknown, index) => {
    const { category, threshold } = recordOf(value);
    const isWord = (word: unknown): word is string => typeof word === "string" && /^[A-Z_]{1,80}$/.test(word);
    if (isWord(category) && isWord(threshold)) return { category, threshold };
    throw invalid(`${at}[${index}]`, message("wire.safetySetting", { param: at, index }));
  });
}

const tiers: Readonly<Record<string, string>> = { flex: "flex", default: "standard", priority: "priority" };

/**
 * Only the Gemini API has tiers in the body. A tier that cannot be expressed is reported as dropped, unless
 * it is the default.
 */
export function tierOf(conversation: Conversation, api: Api, leftovers: Leftovers): string | undefined {
  const tier = settingOf(conversation, "serviceTier") ?? "auto";
  const known = typeof tier === "string" && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
  if (api === "gemini" && known !== undefined) return known;
  if (tier !== "auto" && tier !== "default") leftovers.note(conversation.names.serviceTier);
  return undefined;
}

/** OpenAI accepts any number as seed, Gemini a 32-bit one. Equal seeds stay equal. */
function seedOf(conversation: Conversation): number | undefined {
  const seed = sampled(conversation, "seed");
  if (seed === undefined) return undefined;
  if (!Number.isInteger(seed)) {
    const at = conversation.names.seed;
    throw invalid(at, message("wire.wholeNumber", { param: at }));
  }
  return seed % 2 ** 31;
}

function topKOf(conversation: Conversation): number | undefined {
  const value = sampled(conversation, "topK");
  if (value === undefined || value === 0 || value === -1) return undefined;
  const at = conversation.names.topK;
  if (!Number.isInteger(value) || value < 1) throw invalid(at, message("wire.positiveWhole", { param: at }));
  return value;
}

function penaltyOf(
  conversation: Conversation,
  name: keyof Sampling,
  isTaken: boolean,
  leftovers: Leftovers,
): number | undefined {
  const value = sampled(conversation, name);
  if (value === undefined || value === 0) return undefined;
  if (isTaken) return value;
  leftovers.leaveOut(conversation.names[name]);
  return undefined;
}

function stopOf({ stop, names }: Conversation, leftovers: Leftovers): readonly string[] | undefined {
  if (stop.length > stopMax) {
    leftovers.leaveOut(names.stop, message("wire.stopsTooMany", { max: stopMax }));
  }
  return stop.length === 0 ? undefined : stop.slice(0, stopMax);
}

function candidatesOf(
  { choices, names }: Conversation,
  isStream: boolean,
  leftovers: Leftovers,
): number | undefined {
  if (choices === 1) return undefined;
  if (!isStream && choices <= candidatesMax) return choices;
  leftovers.leaveOut(
    names.choices,
    isStream ? message("wire.oneStreamed") : message("wire.answersTooMany", { max: candidatesMax }),
  );
  return isStream ? undefined : candidatesMax;
}

/**
 * The output limit, thoughts included: what was requested or is paid for, and at most the model's own limit.
 */
function outputOf({ outputTokens }: Conversation, context: EncodeContext): number | undefined {
  const most = Math.min(
    outputTokens ?? Number.POSITIVE_INFINITY,
    context.outputTokensMax ?? Number.POSITIVE_INFINITY,
  );
  return most === Number.POSITIVE_INFINITY ? undefined : Math.min(most, context.outputCap ?? most);
}

function formatOf({ format }: Conversation): GenerationConfig {
  if (format.kind === "text") return {};
  const schema = format.kind === "json_schema" ? { responseJsonSchema: cleanSchema(format.schema) } : {};
  return { responseMimeType: "application/json", ...schema };
}

function modalitiesOf(conversation: Conversation): readonly string[] | undefined {
  const list = settingOf(conversation, "modalities");
  if (!Array.isArray(list) || !list.includes("image")) return undefined;
  return [...new Set(list.filter(isModality).map((modality) => String(modality).toUpperCase()))];
}

/** The entries that have a value. */
function said(
  config: { readonly [K in keyof GenerationConfig]: GenerationConfig[K] | undefined },
): GenerationConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

export interface SettingsContext {
  readonly request: EncodeContext;
  readonly api: Api;
  readonly facts: ModelFacts;
  readonly google: JsonRecord;
  /** True when the answer is constrained to JSON here; false when a function must be called. */
  readonly isFormatted: boolean;
}

/** `generationConfig`; undefined when it would be empty. */
export function generationConfig(
  conversation: Conversation,
  leftovers: Leftovers,
  { request, api, facts, google, isFormatted }: SettingsContext,
): GenerationConfig | undefined {
  const takesPenalties = api === "vertex" || facts.takesPenalties;
  const output = outputOf(conversation, request);
  const isLowered = output !== undefined && output !== conversation.outputTokens;
  const loweredTo = isLowered ? output : undefined;
  const config = said({
    temperature: sampled(conversation, "temperature"),
    topP: sampled(conversation, "topP"),
    topK: topKOf(conversation),
    seed: seedOf(conversation),
    candidateCount: candidatesOf(conversation, request.isStream, leftovers),
    maxOutputTokens: output,
    stopSequences: stopOf(conversation, leftovers),
    presencePenalty: penaltyOf(conversation, "presencePenalty", takesPenalties, leftovers),
    frequencyPenalty: penaltyOf(conversation, "frequencyPenalty", takesPenalties, leftovers),
    ...(api === "vertex" ? logprobsSettings(conversation) : {}),
    responseModalities: modalitiesOf(conversation),
    ...(isFormatted ? formatOf(conversation) : {}),
    thinkingConfig: thinkingOf(conversation, google, facts, { leftovers, loweredTo }),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

/** True when web search was requested. */
export const searchesWeb = (conversation: Conversation): boolean =>
  isRecord(settingOf(conversation, "webSearch"));
