/**
 * Encodes the settings of callers of other formats, apart from turns and tools, and lists which of them chat
 * can express.
 */
import { createHash } from "node:crypto";
import { message } from "@plaza/contract/messages/message.ts";
import { type Conversation, type Sampling, settingOf } from "../../conversation/conversation.ts";
import { isNothing, type Leftovers } from "../leftovers.ts";
import { commonSettings, numberOf, type SettingRules, sampled } from "../settings.ts";
import type { ChatDialect } from "./dialect.ts";

type Fields = Record<string, unknown>;

const isText = (value: unknown): boolean => typeof value === "string";

/** Settings copied unchanged: all formats that have them use the same values. */
const copied = {
  logitBias: "logit_bias",
  user: "user",
  safetyIdentifier: "safety_identifier",
  promptCacheKey: "prompt_cache_key",
  promptCacheRetention: "prompt_cache_retention",
  verbosity: "verbosity",
} as const;

/** OpenAI accepts metadata only together with stored answers. */
export const settingRules: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "used",
    topK: "used",
    seed: "used",
    presencePenalty: "used",
    frequencyPenalty: "used",
    logprobs: "used",
    logprobAlternatives: "used",
    logitBias: "used",
    user: isText,
    safetyIdentifier: isText,
    promptCacheKey: isText,
    promptCacheRetention: isText,
    verbosity: isText,
    serviceTier: "used",
    prediction: "dropped",
    cache: "used",
    webSearch: isNothing,
  },
  extras: {},
};

const tiers = new Set<unknown>(["auto", "default", "flex", "priority", "scale"]);

function tierOf(conversation: Conversation, leftovers: Leftovers): string | undefined {
  const tier = settingOf(conversation, "serviceTier");
  if (tier === undefined || tier === "auto") return undefined;
  if (tiers.has(tier)) return tier as string;
  leftovers.note(conversation.names.serviceTier);
  return undefined;
}

const isTaken = ({ efforts }: ChatDialect, word: string): boolean => efforts?.includes(word) ?? true;

const scale = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The greatest effort that is taken and no greater than this one, else the least; undefined: none is. */
function nearestOf(effort: string, taken: readonly string[]): string | undefined {
  const at = scale.indexOf(effort);
  const known = scale.filter((word) => word !== "none" && taken.includes(word));
  return known.findLast((word) => scale.indexOf(word) <= at) ?? known[0];
}

/** Words for a budget, the fittest first. */
function wordsOf(budget: number): readonly string[] {
  if (budget <= 1_024) return ["low", "minimal", "medium", "high"];
  return budget <= 8_192 ? ["medium", "high", "low"] : ["high", "medium", "low"];
}

/**
 * `reasoning_effort`. If it is unknown whether the model thinks, only an effort is sent; a token budget or a
 * wish for no thoughts is reported as dropped.
 */
function effortOf(
  { reasoning, names }: Conversation,
  dialect: ChatDialect,
  leftovers: Leftovers,
): string | undefined {
  const { effort, isOn } = reasoning;
  const budget = numberOf(reasoning.budget, names.reasoningBudget);
  if (effort !== undefined && isTaken(dialect, effort)) return effort;
  if (effort !== undefined && effort !== "none") {
    const nearest = nearestOf(effort, dialect.efforts ?? []);
    // How hard a model thinks is a manner of answering: one that has no word for it answers all the same.
    if (nearest === undefined) leftovers.note(names.effort);
    return nearest;
  }
  const isOff = effort === "none" || isOn === false || budget === 0;
  const words = isOff ? ["none", "minimal"] : budget === undefined || budget < 0 ? [] : wordsOf(budget);
  if (words.length === 0) return undefined;
  const word = words.find((one) => dialect.efforts?.includes(one));
  if (word === undefined && dialect.efforts?.length !== 0) leftovers.note(names.reasoning);
  return word;
}

function topKOf(
  conversation: Conversation,
  { takesTopK }: ChatDialect,
  leftovers: Leftovers,
): number | undefined {
  const topK = sampled(conversation, "topK");
  if (topK === undefined || takesTopK) return topK;
  // It only affects sampling, so it is dropped without permission and reported.
  if (topK > 0) leftovers.note(conversation.names.topK);
  return undefined;
}

/** OpenAI's most characters of a name of the end user. */
const userMax = 64;

/** A name that is too long as another that is always the same. */
const shortName = (name: unknown): unknown =>
  typeof name === "string" && name.length > userMax ? createHash("sha256").update(name).digest("hex") : name;

/** `service_tier`, sampling, reasoning and the rest. Undefined members are not there. */
export function settingsOf(conversation: Conversation, dialect: ChatDialect, leftovers: Leftovers): Fields {
  const { logprobs, names } = conversation;
  const number = (name: keyof Sampling): number | undefined => sampled(conversation, name);
  const fields: Fields = {
    reasoning_effort: effortOf(conversation, dialect, leftovers),
    temperature: number("temperature"),
    top_p: number("topP"),
    top_k: topKOf(conversation, dialect, leftovers),
    seed: number("seed"),
    presence_penalty: number("presencePenalty"),
    frequency_penalty: number("frequencyPenalty"),
    logprobs: logprobs.isWanted ? true : undefined,
    top_logprobs: logprobs.isWanted ? numberOf(logprobs.alternatives, names.logprobAlternatives) : undefined,
    service_tier: tierOf(conversation, leftovers),
  };
  for (const [setting, name] of Object.entries(copied))
    fields[name] = settingOf(conversation, setting as keyof typeof copied);
  for (const name of [copied.user, copied.safetyIdentifier]) fields[name] = shortName(fields[name]);
  return fields;
}

/** OpenAI's limit. */
const stopMax = 4;

/** The stop sequences. */
export function stopOf({ stop, names }: Conversation, leftovers: Leftovers): readonly string[] | undefined {
  if (stop.length > stopMax) leftovers.leaveOut(names.stop, message("wire.stopsTooMany", { max: stopMax }));
  return stop.length === 0 ? undefined : stop.slice(0, stopMax);
}
