/**
 * Everything of a chat request beside messages and tools → `generationConfig` and its neighbours
 * (docs/wire/gemini.md sections 2 and 5), and the rules which parameters can be expressed at all.
 */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { isNothing, type Leftovers } from "../leftovers.ts";
import { commonRules, type ParamRules } from "../openai-chat/params.ts";
import { type ChatRequest, numberOf } from "../openai-chat/request.ts";
import type { ProviderRequest } from "../protocol.ts";
import { invalid } from "../untranslatable.ts";
import { logprobsSettings } from "./logprobs.ts";
import type { ModelFacts } from "./models.ts";
import { cleanSchema } from "./schema.ts";
import { thinkingOf } from "./thinking.ts";
import type { Api, GenerationConfig, SafetySetting } from "./wire.ts";

/** What the answer may be made of. */
const isModality = (value: unknown): boolean => value === "text" || value === "image";

/** A prediction only makes an answer faster. What of a tier cannot be said is told by `tierOf`. */
const common: ParamRules = {
  ...commonRules,
  temperature: "used",
  top_p: "used",
  top_k: "used",
  seed: "used",
  presence_penalty: "used",
  frequency_penalty: "used",
  modalities: (value) => Array.isArray(value) && value.every(isModality),
  web_search_options: "used",
  service_tier: "used",
  prediction: "told",
  extra_body: "used",
  google: "used",
};

/** Which parameters can be expressed. */
export const rulesOf: Readonly<Record<Api, ParamRules>> = {
  gemini: common,
  vertex: { ...common, logprobs: "used", top_logprobs: "used" },
};

const stopMax = 5;
const candidatesMax = 8;

/** What a caller says in Google's own words, as on Google's OpenAI-compatible route: `google` or `extra_body.google`. */
export function googleOf(raw: JsonRecord, leftovers: Leftovers): JsonRecord {
  const body = recordOf(raw["extra_body"]);
  for (const name of Object.keys(body))
    if (name !== "google") leftovers.leaveOut(`extra_body.${name.slice(0, 100)}`);
  const google = { ...recordOf(body["google"]), ...recordOf(raw["google"]) };
  for (const [name, value] of Object.entries(google)) {
    const isKnown = /^(?:thinking_config|thinkingConfig|safety_settings|safetySettings)$/.test(name);
    // Among the rest are names of things that are the operator's, like cached contents.
    if (!isKnown && !isNothing(value) && value !== null) leftovers.leaveOut(`google.${name.slice(0, 100)}`);
  }
  return google;
}

/** Thresholds of the filters, as the caller wrote them. */
export function safetyOf(google: JsonRecord): SafetySetting[] {
  const list = google["safety_settings"] ?? google["safetySettings"] ?? [];
  const at = "google.safety_settings";
  if (!Array.isArray(list)) throw invalid(at, `'${at}' must be a list.`);
  return list.map((value: unknown, index) => {
    const { category, threshold } = recordOf(value);
    const isWord = (word: unknown): word is string => typeof word === "string" && /^[A-Z_]{1,80}$/.test(word);
    if (isWord(category) && isWord(threshold)) return { category, threshold };
    throw invalid(`${at}[${index}]`, `'${at}[${index}]' needs a category and a threshold.`);
  });
}

const tiers: Readonly<Record<string, string>> = { flex: "flex", default: "standard", priority: "priority" };

/** The Gemini API alone knows tiers in the body. What it cannot be told is noted, unless it is what is used unasked. */
export function tierOf(raw: JsonRecord, api: Api, leftovers: Leftovers): string | undefined {
  const tier = raw["service_tier"] ?? "auto";
  const known = typeof tier === "string" && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
  if (api === "gemini" && known !== undefined) return known;
  if (tier !== "auto" && tier !== "default") leftovers.note("service_tier");
  return undefined;
}

/** A seed is any number to OpenAI and a 32-bit one to Gemini; the same one stays the same. */
function seedOf(raw: JsonRecord): number | undefined {
  const seed = numberOf(raw, "seed");
  if (seed === undefined) return undefined;
  if (!Number.isInteger(seed)) throw invalid("seed", "'seed' must be a whole number.");
  return seed % 2 ** 31;
}

function topKOf(raw: JsonRecord): number | undefined {
  const value = numberOf(raw, "top_k");
  if (value === undefined || value === 0 || value === -1) return undefined;
  if (!Number.isInteger(value) || value < 1)
    throw invalid("top_k", "'top_k' must be a positive whole number.");
  return value;
}

function penaltyOf(
  raw: JsonRecord,
  name: string,
  isTaken: boolean,
  leftovers: Leftovers,
): number | undefined {
  const value = numberOf(raw, name);
  if (value === undefined || value === 0) return undefined;
  if (isTaken) return value;
  leftovers.leaveOut(name);
  return undefined;
}

function stopOf({ stop }: ChatRequest, leftovers: Leftovers): readonly string[] | undefined {
  if (stop.length > stopMax) {
    leftovers.leaveOut("stop", `This model's upstream takes at most ${stopMax} stop texts.`);
  }
  return stop.length === 0 ? undefined : stop.slice(0, stopMax);
}

function candidatesOf({ choices }: ChatRequest, isStream: boolean, leftovers: Leftovers): number | undefined {
  if (choices === 1) return undefined;
  if (!isStream && choices <= candidatesMax) return choices;
  leftovers.leaveOut(
    "n",
    isStream
      ? "This model's upstream streams one answer only."
      : `This model's upstream gives at most ${candidatesMax} answers.`,
  );
  return isStream ? undefined : candidatesMax;
}

/** The most output, thoughts included: what was asked or is paid for, and never more than the model has. */
function outputOf({ outputTokens }: ChatRequest, { outputCap }: ProviderRequest): number | undefined {
  return outputTokens === undefined || outputCap === undefined
    ? outputTokens
    : Math.min(outputTokens, outputCap);
}

function formatOf({ format }: ChatRequest): GenerationConfig {
  if (format.kind === "text") return {};
  const schema = format.kind === "json_schema" ? { responseJsonSchema: cleanSchema(format.schema) } : {};
  return { responseMimeType: "application/json", ...schema };
}

function modalitiesOf(raw: JsonRecord): readonly string[] | undefined {
  const list = raw["modalities"];
  if (!Array.isArray(list) || !list.includes("image")) return undefined;
  return [...new Set(list.filter(isModality).map((modality) => String(modality).toUpperCase()))];
}

/** The entries that say something. */
function said(
  config: { readonly [K in keyof GenerationConfig]: GenerationConfig[K] | undefined },
): GenerationConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

export interface SettingsContext {
  readonly request: ProviderRequest;
  readonly api: Api;
  readonly facts: ModelFacts;
  readonly google: JsonRecord;
  /** May the answer be held to JSON here? Not where a function must be called. */
  readonly isFormatted: boolean;
}

/** `generationConfig`; undefined when it would be empty. */
export function generationConfig(
  chat: ChatRequest,
  leftovers: Leftovers,
  { request, api, facts, google, isFormatted }: SettingsContext,
): GenerationConfig | undefined {
  const { raw, effort } = chat;
  const takesPenalties = api === "vertex" || facts.takesPenalties;
  const config = said({
    temperature: numberOf(raw, "temperature"),
    topP: numberOf(raw, "top_p"),
    topK: topKOf(raw),
    seed: seedOf(raw),
    candidateCount: candidatesOf(chat, request.isStream, leftovers),
    maxOutputTokens: outputOf(chat, request),
    stopSequences: stopOf(chat, leftovers),
    presencePenalty: penaltyOf(raw, "presence_penalty", takesPenalties, leftovers),
    frequencyPenalty: penaltyOf(raw, "frequency_penalty", takesPenalties, leftovers),
    ...(api === "vertex" ? logprobsSettings(raw) : {}),
    responseModalities: modalitiesOf(raw),
    ...(isFormatted ? formatOf(chat) : {}),
    thinkingConfig: thinkingOf({ raw, effort, google }, facts, leftovers),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

/** Is the web to be searched? */
export const searchesWeb = (raw: JsonRecord): boolean => isRecord(raw["web_search_options"]);
