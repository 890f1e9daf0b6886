/**
 * A conversation → a call of Converse or ConverseStream (docs/wire/bedrock-converse.md sections 1 to 5).
 * Pure; signing comes later.
 */
import { message } from "@plaza/contract/messages/message.ts";
import {
  type AssistantTurn,
  type Conversation,
  loopStart,
  settingOf,
} from "../../conversation/conversation.ts";
import { mustCall } from "../../conversation/tools.ts";
import type { JsonRecord } from "../../lib/record.ts";
import { noThoughts, thinksFirst, thoughtsOf } from "../claude/thoughts.ts";
import { Leftovers } from "../leftovers.ts";
import type { EncodeContext, Encoded } from "../protocol.ts";
import { checkSettings, commonSettings, type SettingRules, sampled } from "../settings.ts";
import { invalid } from "../untranslatable.ts";
import { cachePointAfter, limitPoints } from "./cache.ts";
import { enforceable, jsonToolOf, planTools } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { type ModelRules, rulesOf } from "./models.ts";
import { planReasoning } from "./reasoning.ts";
import type { ConverseBody } from "./wire.ts";

const params: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "used",
    topK: "used",
    cache: "used",
    // A seed is best effort at OpenAI too, and a prediction changes the speed of an answer, not its content.
    seed: "dropped",
    prediction: "dropped",
    serviceTier: "used",
  },
  extras: {},
};
const claudeParams: SettingRules = { ...params, extras: { thinking: "used" } };

/** Output tokens assumed for thinking budgets when the model's limit is unknown. */
const outputGuess = 16_384;
const askForJson = "Answer with one JSON object only: no words before or after it, no code fence.";

/** The requested output limit, lowered to what the model can write. */
function outputOf(
  { outputTokens }: Conversation,
  context: EncodeContext,
  rules: ModelRules,
): number | undefined {
  const paid = context.outputTokensMax;
  const asked =
    outputTokens === undefined || paid === undefined ? (outputTokens ?? paid) : Math.min(outputTokens, paid);
  const cap = Math.min(
    context.outputCap ?? Number.POSITIVE_INFINITY,
    rules.maxOutput ?? Number.POSITIVE_INFINITY,
  );
  return asked === undefined ? undefined : Math.min(asked, cap);
}

/**
 * temperature, top_p and top_k, as far as the model takes them; the others are reported as dropped, because
 * they only affect style.
 */
function samplingOf(
  conversation: Conversation,
  rules: ModelRules,
  isThinking: boolean,
  leftovers: Leftovers,
): { readonly temperature?: number; readonly topP?: number; readonly fields: JsonRecord } {
  const { names } = conversation;
  const temperature = sampled(conversation, "temperature");
  const topP = sampled(conversation, "topP");
  const topK = sampled(conversation, "topK");
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    throw invalid(names.temperature, message("wire.temperature", { param: names.temperature }));
  }
  if (topP !== undefined && (topP < 0 || topP > 1))
    throw invalid(names.topP, message("wire.topP", { param: names.topP }));
  if (topK !== undefined && (topK < 0 || !Number.isInteger(topK))) {
    throw invalid(names.topK, message("wire.wholeNumber", { param: names.topK }));
  }
  const isOpen = rules.sampling !== "none" && !isThinking;
  const hasTemperature = isOpen && temperature !== undefined;
  const hasTopP = isOpen && topP !== undefined && !(rules.sampling === "one" && hasTemperature);
  const hasTopK = isOpen && topK !== undefined && topK > 0 && rules.topK !== undefined;
  // A temperature of 1 is every model's default, and a top_k of 0 means none.
  if (!hasTemperature && (temperature ?? 1) !== 1) leftovers.note(names.temperature);
  if (!hasTopP && (topP ?? 1) !== 1) leftovers.note(names.topP);
  if (!hasTopK && (topK ?? 0) > 0) leftovers.note(names.topK);
  return {
    // Converse's temperature ranges from 0 to 1; higher values become 1.
    ...(hasTemperature ? { temperature: Math.min(temperature, 1) } : {}),
    ...(hasTopP ? { topP } : {}),
    fields: hasTopK ? nested(rules.topK ?? [], topK) : {},
  };
}

const nested = (path: readonly string[], value: unknown): JsonRecord =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonRecord;

function stopOf({ stop, names }: Conversation, rules: ModelRules, leftovers: Leftovers): readonly string[] {
  if (stop.length === 0) return stop;
  if (!rules.takesStop) {
    leftovers.leaveOut(names.stop);
    return [];
  }
  const usable = stop.filter((text) => text.trim() !== "");
  if (usable.length < stop.length) {
    leftovers.leaveOut(names.stop, message("wire.stopBlank", { param: names.stop }));
  }
  return usable;
}

/** Fields that make the answer JSON, unless a tool does that. */
function formatFields(
  conversation: Conversation,
  rules: ModelRules,
  leftovers: Leftovers,
): { readonly outputConfig?: ConverseBody["outputConfig"]; readonly hint?: string } {
  const { format, names } = conversation;
  if (format.kind === "json_object") return { hint: askForJson };
  if (format.kind !== "json_schema" || jsonToolOf(conversation, rules) !== undefined) return {};
  const schema = enforceable(format.schema, rules);
  if (schema === undefined) {
    // A forced tool call means that there is no text answer to format.
    if (!mustCall(conversation.toolUse)) leftovers.leaveOut(names.format);
    return {};
  }
  const { name, description } = format;
  const jsonSchema = {
    schema: JSON.stringify(schema),
    name,
    ...(description === undefined ? {} : { description }),
  };
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

/**
 * Tiers have the same names (docs.aws.amazon.com, Bedrock: service tiers, 2026-11); `auto` and `default` are
 * the defaults.
 */
function tierOf(conversation: Conversation, leftovers: Leftovers): Pick<ConverseBody, "serviceTier"> {
  const tier = settingOf(conversation, "serviceTier") ?? "auto";
  if (tier === "flex" || tier === "priority") return { serviceTier: { type: tier } };
  if (tier !== "auto" && tier !== "default") leftovers.note(conversation.names.serviceTier);
  return {};
}

type Guardrail = Pick<ConverseBody, "guardrailConfig">;

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

function bodyOf(
  conversation: Conversation,
  context: EncodeContext,
  { model, guardrail, leftovers }: { model: string; guardrail: Guardrail; leftovers: Leftovers },
): ConverseBody {
  const rules = rulesOf(model);
  checkSettings(conversation, rules.reasoning?.kind === "claude" ? claudeParams : params, leftovers);
  if (conversation.choices > 1) leftovers.leaveOut(conversation.names.choices);
  const maxTokens = outputOf(conversation, context, rules);
  const tools = planTools(conversation, rules, leftovers);
  const thoughts = (turn: AssistantTurn) => thoughtsOf(turn, model, context.memory);
  const first = loopStart(conversation.turns);
  const circumstances = {
    maxTokens: maxTokens ?? context.outputCap ?? rules.maxOutput ?? outputGuess,
    isForced: tools.isForced,
    hasThoughts: first === undefined || thinksFirst(first, thoughts(first)),
    // Converse does not take the beta for it.
    isBudgetOfTurn: false,
  };
  const reasoning = planReasoning(conversation, rules, circumstances, leftovers);
  const { fields: samplingFields, ...sampling } = samplingOf(
    conversation,
    rules,
    reasoning.isThinking,
    leftovers,
  );
  const stopSequences = stopOf(conversation, rules, leftovers);
  const { outputConfig, hint } = formatFields(conversation, rules, leftovers);
  const { system, messages } = encodeTurns(conversation, {
    rules,
    media: context.media,
    leftovers,
    hasTools: tools.config !== undefined,
    thoughtsOf: reasoning.isThinking ? thoughts : () => noThoughts,
  });
  if (hint !== undefined) system.push({ text: hint });
  const mark = cachePointAfter([conversation.cache], rules, "messages");
  if (mark !== undefined) messages.findLast(({ role }) => role === "user")?.content.push(mark);
  const toolList = tools.config === undefined ? [] : [...tools.config.tools];
  limitPoints([toolList, system, ...messages.map(({ content }) => content)]);
  const inferenceConfig = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...sampling,
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
  };
  const native = { ...samplingFields, ...tools.fields, ...reasoning.fields };
  return {
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(isEmpty(inferenceConfig) ? {} : { inferenceConfig }),
    ...(tools.config === undefined ? {} : { toolConfig: { ...tools.config, tools: toolList } }),
    ...(outputConfig === undefined ? {} : { outputConfig }),
    ...guardrail,
    ...tierOf(conversation, leftovers),
    ...(isEmpty(native) ? {} : { additionalModelRequestFields: native }),
  };
}

/** The body of one call. `guardrail`: the operator's. Throws `Untranslatable`. */
export function encodeRequest(
  conversation: Conversation,
  context: EncodeContext,
  model: string,
  guardrail: Guardrail = {},
): Encoded<ConverseBody> {
  const leftovers = new Leftovers(context.dropsParams === true);
  return {
    body: bodyOf(conversation, context, { model, guardrail, leftovers }),
    dropped: leftovers.dropped,
  };
}
