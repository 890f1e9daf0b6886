/**
 * A caller's request → the body of a call in Anthropic's Messages format, for any route to Claude that takes it. Where the call goes
 * is the provider's to say.
 */
import { createHash } from "node:crypto";
import type { JsonRecord } from "../../lib/record.ts";
import { factsOf, type ModelFacts } from "../claude/models.ts";
import { planThinking, type ThinkingPlan } from "../claude/thinking.ts";
import { type ThoughtGroups, thoughtsOf } from "../claude/thoughts.ts";
import { Leftovers } from "../leftovers.ts";
import { checkParams, commonRules, type ParamRules } from "../openai-chat/params.ts";
import { type ChatRequest, numberOf, readChatRequest } from "../openai-chat/request.ts";
import type { ProviderRequest } from "../protocol.ts";
import { invalid } from "../untranslatable.ts";
import { limitMarks, readMark } from "./cache.ts";
import { encodeConversation, loopStart } from "./conversation.ts";
import { applyFormat, planFormat } from "./format.ts";
import { withInlined } from "./inline.ts";
import { planTools } from "./tools.ts";
import type { MessagesBody } from "./wire.ts";

const rules: ParamRules = {
  ...commonRules,
  temperature: "used",
  top_p: "used",
  top_k: "used",
  user: "used",
  safety_identifier: "used",
  service_tier: "used",
  cache_control: "used",
  thinking: "used",
  // A best effort at OpenAI's too; a guess at the answer changes how fast it comes, not what it is.
  seed: "told",
  prediction: "told",
};

const noThoughts: ThoughtGroups = [];

function maxTokensOf(chat: ChatRequest, request: ProviderRequest, facts: ModelFacts): number {
  const most = Math.min(
    request.outputCap ?? facts.maxOutput,
    facts.maxOutput,
    request.outputTokensMax ?? Number.POSITIVE_INFINITY,
  );
  return Math.min(chat.outputTokens ?? most, most);
}

/** temperature, top_p and top_k, as far as the model takes them. They are noted where it does not: they ask for a manner. */
function sampling(
  raw: JsonRecord,
  facts: ModelFacts,
  isThinking: boolean,
  leftovers: Leftovers,
): Partial<MessagesBody> {
  const asked = {
    temperature: numberOf(raw, "temperature"),
    top_p: numberOf(raw, "top_p"),
    top_k: numberOf(raw, "top_k"),
  };
  const { temperature, top_p: topP, top_k: topK } = asked;
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    throw invalid("temperature", "'temperature' must be between 0 and 2.");
  }
  if (topP !== undefined && (topP < 0 || topP > 1))
    throw invalid("top_p", "'top_p' must be between 0 and 1.");
  if (topK !== undefined && (topK < 0 || !Number.isInteger(topK)))
    throw invalid("top_k", "'top_k' must be a whole number.");
  const made: Partial<MessagesBody> = {};
  const isOpen = facts.takesSampling && !isThinking;
  // 1 is what all of them do by themselves.
  if (isOpen && temperature !== undefined) made.temperature = Math.min(temperature, 1);
  else if (temperature !== undefined && temperature !== 1) leftovers.note("temperature");
  // One of the two is all that newer models take.
  if (isOpen && topP !== undefined && temperature === undefined) made.top_p = topP;
  else if (topP !== undefined && topP !== 1) leftovers.note("top_p");
  if (isOpen && topK !== undefined && topK > 0) made.top_k = topK;
  else if (topK !== undefined && topK > 0) leftovers.note("top_k");
  return made;
}

function stopSequences({ stop }: ChatRequest, leftovers: Leftovers): string[] {
  const useful = stop.filter((text) => /\S/.test(text));
  if (useful.length < stop.length)
    leftovers.leaveOut("stop", "This model cannot stop at texts of nothing but space.");
  return useful;
}

const userIdMax = 256;

/** An opaque name for the end user: what looks like somebody's address is hashed. Of two names the newer field's counts. */
function userIdOf(raw: JsonRecord, leftovers: Leftovers): string | undefined {
  const { safety_identifier: newer, user } = raw;
  const given = newer ?? user;
  if (newer !== undefined && newer !== null && user !== undefined && user !== null && user !== newer)
    leftovers.note("user");
  if (given === undefined || given === null || given === "") return undefined;
  if (typeof given !== "string") {
    leftovers.note(given === newer ? "safety_identifier" : "user");
    return undefined;
  }
  const isOpaque = given.length <= userIdMax && !given.includes("@");
  return isOpaque ? given : createHash("sha256").update(given).digest("hex");
}

function settings(chat: ChatRequest, body: MessagesBody, thinking: ThinkingPlan, leftovers: Leftovers): void {
  const { raw } = chat;
  if (thinking.thinking !== undefined) body.thinking = thinking.thinking;
  if (thinking.effort !== undefined) body.output_config = { ...body.output_config, effort: thinking.effort };
  const stop = stopSequences(chat, leftovers);
  if (stop.length > 0) body.stop_sequences = stop;
  const userId = userIdOf(raw, leftovers);
  if (userId !== undefined) body.metadata = { user_id: userId };
  const tier = raw["service_tier"];
  if (tier === "auto") body.service_tier = "auto";
  else if (tier === "default") body.service_tier = "standard_only";
  else if (tier !== undefined && tier !== null) leftovers.note("service_tier");
  const whole = readMark(raw, "");
  if (whole !== undefined) body.cache_control = whole;
}

/** The body of a call for this model, and what was left out of it. `facts`: what is known of it on this route. Throws `Untranslatable`. */
export function encodeMessages(
  request: ProviderRequest,
  model: string,
  facts: ModelFacts = factsOf(model),
): { readonly body: MessagesBody; readonly dropped: readonly string[] | undefined } {
  const chat = withInlined(readChatRequest(request), request.media);
  const leftovers = new Leftovers(request.dropsParams === true);
  checkParams(chat.raw, rules, leftovers);
  if (chat.choices > 1) leftovers.leaveOut("n");
  const body: MessagesBody = { max_tokens: maxTokensOf(chat, request, facts), messages: [] };
  const own = planTools(chat, facts, leftovers);
  const tools = applyFormat({ chat, plan: planFormat(chat, facts), tools: own, leftovers }, body);
  const first = loopStart(chat.messages);
  const hasThoughts = first === undefined || (thoughtsOf(first, model, request.memory)[0]?.length ?? 0) > 0;
  const circumstances = { maxTokens: body.max_tokens, isForced: tools.isForced, hasThoughts };
  const thinking = planThinking(chat, facts, circumstances, leftovers);
  const { system, messages } = encodeConversation(chat, {
    facts,
    leftovers,
    isThinking: thinking.isOn,
    thoughtsOf: thinking.isOn ? (message) => thoughtsOf(message, model, request.memory) : () => noThoughts,
  });
  const asked = [...system, ...(body.system ?? [])];
  if (asked.length > 0) body.system = asked;
  body.messages = messages;
  if (tools.tools.length > 0) body.tools = tools.tools;
  if (tools.choice !== undefined) body.tool_choice = tools.choice;
  settings(chat, body, thinking, leftovers);
  Object.assign(body, sampling(chat.raw, facts, thinking.isOn, leftovers));
  if (request.isStream) body.stream = true;
  limitMarks(body);
  return { body, dropped: leftovers.dropped };
}
