/**
 * A chat request → a call of Converse or ConverseStream (docs/wire/bedrock-converse.md sections 1 to 5).
 * Pure; signing comes later.
 */
import type { JsonRecord } from "../../lib/record.ts";
import { loopStart } from "../anthropic-messages/conversation.ts";
import { thoughtsOf } from "../claude/thoughts.ts";
import { Leftovers } from "../leftovers.ts";
import { checkParams, commonRules, type ParamRules } from "../openai-chat/params.ts";
import { type ChatMessage, type ChatRequest, numberOf, readChatRequest } from "../openai-chat/request.ts";
import type { ProviderRequest } from "../protocol.ts";
import { invalid } from "../untranslatable.ts";
import { cachePointAfter, limitPoints } from "./cache.ts";
import { convertMessages } from "./messages.ts";
import { type ModelRules, rulesOf } from "./models.ts";
import { planReasoning } from "./reasoning.ts";
import { enforceable, jsonToolOf, mustCall, planTools } from "./tools.ts";
import type { ConverseBody } from "./wire.ts";

const params: ParamRules = {
  ...commonRules,
  temperature: "used",
  top_p: "used",
  top_k: "used",
  cache_control: "used",
  // A best effort at OpenAI's too; a guess at the answer changes how fast it comes, not what it is.
  seed: "told",
  prediction: "told",
  service_tier: "used",
};
const claudeParams: ParamRules = { ...params, thinking: "used" };

type AssistantMessage = ChatMessage & { readonly role: "assistant" };

/** Output of a model whose cap nobody knows, for thinking budgets. */
const outputGuess = 16_384;
const askForJson = "Answer with one JSON object only: no words before or after it, no code fence.";

/** What is asked for at most, cut down to what the model can write. */
function outputOf(chat: ChatRequest, request: ProviderRequest, rules: ModelRules): number | undefined {
  const asked = chat.outputTokens;
  const cap = Math.min(
    request.outputCap ?? Number.POSITIVE_INFINITY,
    rules.maxOutput ?? Number.POSITIVE_INFINITY,
  );
  return asked === undefined ? undefined : Math.min(asked, cap);
}

/** temperature, top_p and top_k, as far as this model takes them. They are noted where it does not: they ask for a manner. */
function samplingOf(
  { raw }: ChatRequest,
  rules: ModelRules,
  isThinking: boolean,
  leftovers: Leftovers,
): { readonly temperature?: number; readonly topP?: number; readonly fields: JsonRecord } {
  const temperature = numberOf(raw, "temperature");
  const topP = numberOf(raw, "top_p");
  const topK = numberOf(raw, "top_k");
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    throw invalid("temperature", "'temperature' must be between 0 and 2.");
  }
  if (topP !== undefined && (topP < 0 || topP > 1))
    throw invalid("top_p", "'top_p' must be between 0 and 1.");
  if (topK !== undefined && (topK < 0 || !Number.isInteger(topK))) {
    throw invalid("top_k", "'top_k' must be a whole number.");
  }
  const isOpen = rules.sampling !== "none" && !isThinking;
  const hasTemperature = isOpen && temperature !== undefined;
  const hasTopP = isOpen && topP !== undefined && !(rules.sampling === "one" && hasTemperature);
  const hasTopK = isOpen && topK !== undefined && topK > 0 && rules.topK !== undefined;
  // 1 is what all of them do by themselves, and 0 of top_k says nothing.
  if (!hasTemperature && (temperature ?? 1) !== 1) leftovers.note("temperature");
  if (!hasTopP && (topP ?? 1) !== 1) leftovers.note("top_p");
  if (!hasTopK && (topK ?? 0) > 0) leftovers.note("top_k");
  return {
    // Converse counts temperature from 0 to 1, and no more than 1 can be had.
    ...(hasTemperature ? { temperature: Math.min(temperature, 1) } : {}),
    ...(hasTopP ? { topP } : {}),
    fields: hasTopK ? nested(rules.topK ?? [], topK) : {},
  };
}

const nested = (path: readonly string[], value: unknown): JsonRecord =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonRecord;

function stopOf({ stop }: ChatRequest, rules: ModelRules, leftovers: Leftovers): readonly string[] {
  if (stop.length === 0) return stop;
  if (!rules.takesStop) {
    leftovers.leaveOut("stop");
    return [];
  }
  const sayable = stop.filter((text) => text.trim() !== "");
  if (sayable.length < stop.length) {
    leftovers.leaveOut("stop", "'stop' must hold more than blanks for this model's upstream.");
  }
  return sayable;
}

/** What makes the answer JSON, where that is no tool's business. */
function formatFields(
  chat: ChatRequest,
  rules: ModelRules,
  leftovers: Leftovers,
): { readonly outputConfig?: ConverseBody["outputConfig"]; readonly hint?: string } {
  const { format } = chat;
  if (format.kind === "json_object") return { hint: askForJson };
  if (format.kind !== "json_schema" || jsonToolOf(chat, rules) !== undefined) return {};
  const schema = enforceable(format.schema, rules);
  if (schema === undefined) {
    // Where a tool of the caller's must be called there is no answer to shape.
    if (!mustCall(chat)) leftovers.leaveOut("response_format");
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

/** Tiers under the same names (docs.aws.amazon.com, Bedrock: service tiers, 2026-11); `auto` and `default` are what is used unasked. */
function tierOf({ raw }: ChatRequest, leftovers: Leftovers): Pick<ConverseBody, "serviceTier"> {
  const tier = raw["service_tier"] ?? "auto";
  if (tier === "flex" || tier === "priority") return { serviceTier: { type: tier } };
  if (tier !== "auto" && tier !== "default") leftovers.note("service_tier");
  return {};
}

type Guardrail = Pick<ConverseBody, "guardrailConfig">;

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

function bodyOf(
  request: ProviderRequest,
  model: string,
  guardrail: Guardrail,
  leftovers: Leftovers,
): ConverseBody {
  const chat = readChatRequest(request);
  const rules = rulesOf(model);
  checkParams(chat.raw, rules.reasoning?.kind === "claude" ? claudeParams : params, leftovers);
  if (chat.choices > 1) leftovers.leaveOut("n");
  const maxTokens = outputOf(chat, request, rules);
  const tools = planTools(chat, rules, leftovers);
  const thoughts = (message: AssistantMessage) => thoughtsOf(message, model, request.memory);
  const first = loopStart(chat.messages);
  const circumstances = {
    maxTokens: maxTokens ?? request.outputCap ?? rules.maxOutput ?? outputGuess,
    isForced: tools.isForced,
    hasThoughts: first === undefined || (thoughts(first)[0]?.length ?? 0) > 0,
  };
  const reasoning = planReasoning(chat, rules, circumstances, leftovers);
  const { fields: samplingFields, ...sampling } = samplingOf(chat, rules, reasoning.isThinking, leftovers);
  const stopSequences = stopOf(chat, rules, leftovers);
  const { outputConfig, hint } = formatFields(chat, rules, leftovers);
  const { system, messages } = convertMessages(chat.messages, {
    rules,
    media: request.media,
    hasTools: tools.config !== undefined,
    thoughtsOf: reasoning.isThinking ? thoughts : () => [],
  });
  if (hint !== undefined) system.push({ text: hint });
  const mark = cachePointAfter([chat.raw], rules, "messages");
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
    ...tierOf(chat, leftovers),
    ...(isEmpty(native) ? {} : { additionalModelRequestFields: native }),
  };
}

/** The body of one call, and what was left out of it. `guardrail`: the operator's. Throws `Untranslatable`. */
export function encodeConverse(
  request: ProviderRequest,
  model: string,
  guardrail: Guardrail = {},
): { readonly body: ConverseBody; readonly dropped: readonly string[] | undefined } {
  const leftovers = new Leftovers(request.dropsParams === true);
  return { body: bodyOf(request, model, guardrail, leftovers), dropped: leftovers.dropped };
}
