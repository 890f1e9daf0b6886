/**
 * A conversation → the body of a Responses call (docs/wire/openai-responses.md sections 1 and 4). Always
 * stateless: nothing is stored upstream, and reasoning is requested in the form that can be sent back.
 */
import { message } from "@plaza/contract/messages/message.ts";
import {
  type Conversation,
  type Parameter,
  type SettingName,
  settingOf,
} from "../../conversation/conversation.ts";
import { withInlined } from "../../conversation/media.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";
import { Leftovers } from "../leftovers.ts";
import type { EncodeContext, Encoded } from "../protocol.ts";
import { checkSettings, commonSettings, numberOf, type SettingRules, sampled } from "../settings.ts";
import { invalid } from "../untranslatable.ts";
import { encodeInput } from "./encode-input.ts";
import { encodeTools } from "./encode-tools.ts";
import { factsOf, type ModelFacts, opaqueIncluded } from "./models.ts";
import { logprobsIncluded } from "./request/names.ts";

const rules: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "used",
    logprobs: "used",
    logprobAlternatives: "used",
    verbosity: "used",
    serviceTier: "used",
    metadata: "used",
    user: "used",
    safetyIdentifier: "used",
    promptCacheKey: "used",
    promptCacheRetention: "used",
    promptCacheOptions: "used",
    // Prompts are cached automatically, a seed is best effort, a prediction only affects the speed, and top_k
    // only how words are chosen: Gemini's clients set it in every call.
    cache: "dropped",
    seed: "dropped",
    topK: "dropped",
    prediction: "dropped",
  },
  extras: {},
};

/** Settings with the same meaning in all of OpenAI's formats, with their field names here. */
const ofOpenai: readonly (readonly [setting: SettingName, field: string])[] = [
  ["metadata", "metadata"],
  ["serviceTier", "service_tier"],
  ["user", "user"],
  ["safetyIdentifier", "safety_identifier"],
  ["promptCacheKey", "prompt_cache_key"],
  ["promptCacheRetention", "prompt_cache_retention"],
  ["promptCacheOptions", "prompt_cache_options"],
];

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The state of one encoding. */
interface Encoding {
  readonly conversation: Conversation;
  readonly context: EncodeContext;
  readonly facts: ModelFacts;
  readonly leftovers: Leftovers;
  readonly isKept: boolean;
}

/** The requested output limit, lowered to what is paid for and raised to the upstream's minimum. */
function outputOf({ conversation, context, facts, leftovers }: Encoding): JsonRecord {
  const { outputTokens, names } = conversation;
  const { outputTokensMax: paid, outputCap } = context;
  if (outputTokens === undefined && paid === undefined) return {};
  const infinite = Number.POSITIVE_INFINITY;
  const most = Math.min(outputTokens ?? infinite, paid ?? infinite, outputCap ?? infinite);
  if (most >= facts.outputMin || (paid ?? infinite) < facts.outputMin) return { max_output_tokens: most };
  leftovers.note(names.outputTokens);
  return { max_output_tokens: facts.outputMin };
}

/** The effort for a thinking budget in tokens. */
function effortOf(budget: number, name: string): string {
  if (!Number.isInteger(budget) || budget < 1)
    throw invalid(name, message("wire.positiveWhole", { param: name }));
  return budget <= 2_048 ? "low" : budget <= 16_384 ? "medium" : "high";
}

function reasoningOf({ conversation, facts }: Encoding): { effort?: string; summary?: string } {
  const { reasoning, names } = conversation;
  const { effort: said, budget, isOn, isHidden, summary } = reasoning;
  if (said !== undefined && !efforts.includes(said)) {
    const known = efforts.slice(1).join(", ");
    throw invalid(names.effort, message("wire.effortOrNone", { param: names.effort, efforts: known }));
  }
  const byBudget = budget === undefined ? undefined : effortOf(budget, names.reasoningBudget);
  const usual = isOn === undefined ? undefined : isOn ? "medium" : facts.leastEffort;
  const effort = said ?? (isOn === false ? usual : (byBudget ?? usual));
  // Some organisations may not see summaries, so they are requested only if the caller asked.
  const detail = isHidden ? undefined : (summary ?? (isOn === true ? "auto" : undefined));
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(detail === undefined || effort === "none" ? {} : { summary: detail }),
  };
}

/** temperature and top_p, as far as the model takes them; they only affect style. */
function samplingOf({ conversation, facts, leftovers }: Encoding, effort: string | undefined): JsonRecord {
  const { names } = conversation;
  const made: Record<string, number> = {};
  for (const [setting, field] of [
    ["temperature", "temperature"],
    ["topP", "top_p"],
  ] as const) {
    const value = sampled(conversation, setting);
    if (value === undefined) continue;
    if (facts.takesSampling || effort === "none") made[field] = value;
    else if (value !== 1) leftovers.note(names[setting]);
  }
  return made;
}

function textOf({ conversation }: Encoding): JsonRecord {
  const { format } = conversation;
  const verbosity = settingOf(conversation, "verbosity");
  const text = {
    ...(format.kind === "text" ? {} : { format: formatOf(format) }),
    ...(verbosity === undefined ? {} : { verbosity }),
  };
  return Object.keys(text).length === 0 ? {} : { text };
}

function formatOf(format: Exclude<Conversation["format"], { kind: "text" }>): JsonRecord {
  if (format.kind !== "json_schema") return { type: format.kind };
  const { name, description, schema, isStrict } = format;
  const described = description === undefined ? {} : { description };
  return { type: "json_schema", name, ...described, schema, strict: isStrict };
}

function logprobsOf({ conversation }: Encoding): number | undefined {
  const { logprobs, names } = conversation;
  const alternatives = numberOf(logprobs.alternatives, names.logprobAlternatives);
  return logprobs.isWanted ? (alternatives ?? 0) : undefined;
}

/** Settings of OpenAI's formats, as they came; for callers of other formats they are reported as dropped. */
function openaiOf({ conversation, leftovers }: Encoding): JsonRecord {
  const isOpenai = conversation.protocol.startsWith("openai-");
  const made: Record<string, unknown> = {};
  for (const [setting, field] of ofOpenai) {
    const value = settingOf(conversation, setting);
    if (value === undefined) continue;
    if (isOpenai) made[field] = value;
    else leftovers.note(conversation.names[setting as "metadata"]);
  }
  return made;
}

/** True for a setting of a Responses caller that a conversation cannot hold. */
const isForeign = ({ setting }: Parameter): boolean =>
  setting === undefined || setting === "manner" || setting === "webSearch";

/** Writes such a setting back to its place. */
function putBack(body: Record<string, unknown>, { name, value }: Parameter): void {
  const [, field = name, member] = /^(text|reasoning)\.(.+)$/s.exec(name) ?? [];
  if (member !== undefined) body[field] = { ...recordOf(body[field]), [member]: value };
  else if (/^tools\[\d+\]$/.test(name))
    body["tools"] = [...(Array.isArray(body["tools"]) ? body["tools"] : []), value];
  // Items are part of their turns, grammars of their tools. Set this way because a field may be called
  // `__proto__`.
  else if (!/^(?:input|tools)\[/.test(name))
    Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The body of a call for this model. `facts`: what the model supports on this route. Throws `Untranslatable`.
 */
export function encodeRequest(
  asked: Conversation,
  context: EncodeContext,
  model: string,
  facts: ModelFacts = factsOf(model),
): Encoded<JsonRecord> {
  const conversation = withInlined(asked, context.media);
  const leftovers = new Leftovers(context.dropsParams === true);
  const isKept = conversation.protocol === "openai-responses";
  const foreign = isKept ? conversation.parameters.filter(isForeign) : [];
  const checked = conversation.parameters.filter((parameter) => !foreign.includes(parameter));
  checkSettings({ ...conversation, parameters: checked }, rules, leftovers);
  if (conversation.choices > 1) leftovers.leaveOut(conversation.names.choices);
  if (conversation.stop.length > 0) leftovers.leaveOut(conversation.names.stop);
  const encoding: Encoding = { conversation, context, facts, leftovers, isKept };
  const reasoning = reasoningOf(encoding);
  const logprobs = logprobsOf(encoding);
  const include = [
    ...(facts.givesOpaque ? [opaqueIncluded] : []),
    ...(logprobs === undefined ? [] : [logprobsIncluded]),
  ];
  const reader = { model, facts, maker: context.maker };
  const body: Record<string, unknown> = {
    model,
    store: false,
    ...(context.isStream ? { stream: true } : {}),
    ...(include.length === 0 ? {} : { include }),
    ...outputOf(encoding),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...samplingOf(encoding, reasoning.effort),
    ...(logprobs === undefined ? {} : { top_logprobs: logprobs }),
    ...textOf(encoding),
    ...openaiOf(encoding),
    ...encodeTools(conversation, isKept),
    input: encodeInput(conversation, { reader, memory: context.memory, leftovers, isKept }),
  };
  for (const parameter of foreign) putBack(body, parameter);
  return { body, dropped: leftovers.dropped };
}
