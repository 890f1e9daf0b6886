/**
 * A conversation → the body of a call in Anthropic's Messages format, for every route to Claude that accepts
 * it. The provider decides where the call goes.
 */

import { createHash } from "node:crypto";
import { message } from "@plaza/contract/messages/message.ts";
import { type Conversation, loopStart, settingOf } from "../../conversation/conversation.ts";
import { withInlined } from "../../conversation/media.ts";
import { recordOf } from "../../lib/record.ts";
import { controlOf } from "../claude/cache.ts";
import { factsOf, type ModelFacts } from "../claude/models.ts";
import { planThinking, type ThinkingPlan } from "../claude/thinking.ts";
import { noThoughts, thinksFirst, thoughtsOf } from "../claude/thoughts.ts";
import { Leftovers } from "../leftovers.ts";
import type { EncodeContext, Encoded } from "../protocol.ts";
import { checkSettings, commonSettings, type SettingRules, sampled } from "../settings.ts";
import { invalid } from "../untranslatable.ts";
import { limitMarks } from "./cache.ts";
import { planTools } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { betasIn, thinksBetweenCalls } from "./endpoint/betas.ts";
import { heldNames } from "./endpoint/fields.ts";
import { applyFormat, planFormat } from "./format.ts";
import type { MessagesBody, ToolDeclaration } from "./wire.ts";

const rules: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "used",
    topK: "used",
    user: "used",
    safetyIdentifier: "used",
    serviceTier: "used",
    cache: "used",
    // A seed is best effort at OpenAI too, and a prediction changes the speed of an answer, not its content.
    seed: "dropped",
    prediction: "dropped",
  },
  extras: { thinking: "used" },
};

/** For callers of this same format, style settings are passed on as they were sent. */
const ownRules: SettingRules = {
  settings: { ...rules.settings, manner: "used" },
  extras: { ...rules.extras, compaction: "used" },
};

/** True for a path in the request, like `messages[1].content[0]`, as opposed to a field name. */
const isContentPath = (name: string): boolean => /^(?:messages|system)\b/.test(name);

/** The index in a path like `tools[1]`. */
const toolPath = /^tools\[(\d+)\]$/;

/**
 * Restores the caller's style settings in its own words, and its tools of Anthropic's own types where they
 * stood. Blocks that a conversation cannot hold are reported as dropped, and so is what an upstream would
 * hold.
 */
function keepManner({ parameters }: Conversation, body: MessagesBody, leftovers: Leftovers): void {
  const kept = body as unknown as Record<string, unknown>;
  for (const { name, setting, value } of parameters) {
    if (setting !== "manner" && name !== "compaction") continue;
    const index = toolPath.exec(name)?.[1];
    if (index !== undefined) {
      body.tools ??= [];
      body.tools.splice(Number(index), 0, value as ToolDeclaration);
      continue;
    }
    if (isContentPath(name) || (heldNames as readonly string[]).includes(name)) {
      leftovers.note(name);
      continue;
    }
    const [object, member] = name.split(".", 2) as [string, string | undefined];
    // Set this way because a field may be called `__proto__`.
    const made = member === undefined ? value : { ...recordOf(kept[object]), [member]: value };
    Object.defineProperty(kept, object, {
      value: made,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

function maxTokensOf({ outputTokens }: Conversation, context: EncodeContext, facts: ModelFacts): number {
  const most = Math.min(
    context.outputCap ?? facts.maxOutput,
    facts.maxOutput,
    context.outputTokensMax ?? Number.POSITIVE_INFINITY,
  );
  return Math.min(outputTokens ?? most, most);
}

/**
 * temperature, top_p and top_k, as far as the model takes them; the others are reported as dropped, because
 * they only affect style.
 */
function sampling(
  conversation: Conversation,
  facts: ModelFacts,
  isThinking: boolean,
  leftovers: Leftovers,
): Partial<MessagesBody> {
  const { names } = conversation;
  const temperature = sampled(conversation, "temperature");
  const topP = sampled(conversation, "topP");
  const topK = sampled(conversation, "topK");
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    throw invalid(names.temperature, message("wire.temperature", { param: names.temperature }));
  }
  if (topP !== undefined && (topP < 0 || topP > 1))
    throw invalid(names.topP, message("wire.topP", { param: names.topP }));
  if (topK !== undefined && (topK < 0 || !Number.isInteger(topK)))
    throw invalid(names.topK, message("wire.wholeNumber", { param: names.topK }));
  const made: Partial<MessagesBody> = {};
  const isOpen = facts.takesSampling && !isThinking;
  // 1 is the default of all models.
  if (isOpen && temperature !== undefined) made.temperature = Math.min(temperature, 1);
  else if (temperature !== undefined && temperature !== 1) leftovers.note(names.temperature);
  // Newer models accept only one of the two.
  if (isOpen && topP !== undefined && temperature === undefined) made.top_p = topP;
  else if (topP !== undefined && topP !== 1) leftovers.note(names.topP);
  if (isOpen && topK !== undefined && topK > 0) made.top_k = topK;
  else if (topK !== undefined && topK > 0) leftovers.note(names.topK);
  return made;
}

function stopSequences({ stop, names }: Conversation, leftovers: Leftovers): string[] {
  const useful = stop.filter((text) => /\S/.test(text));
  if (useful.length < stop.length) leftovers.leaveOut(names.stop, message("wire.stopOfSpace"));
  return useful;
}

const userIdMax = 256;

/**
 * An opaque name for the end user; a value that looks like an e-mail address is hashed. If both fields are
 * set, the newer one counts.
 */
function userIdOf(conversation: Conversation, leftovers: Leftovers): string | undefined {
  const { names } = conversation;
  const newer = settingOf(conversation, "safetyIdentifier");
  const user = settingOf(conversation, "user");
  const given = newer ?? user;
  if (newer !== undefined && user !== undefined && user !== newer) leftovers.note(names.user);
  if (given === undefined || given === "") return undefined;
  if (typeof given !== "string") {
    leftovers.note(given === newer ? names.safetyIdentifier : names.user);
    return undefined;
  }
  const isOpaque = given.length <= userIdMax && !given.includes("@");
  return isOpaque ? given : createHash("sha256").update(given).digest("hex");
}

function settings(
  conversation: Conversation,
  body: MessagesBody,
  thinking: ThinkingPlan,
  leftovers: Leftovers,
): void {
  if (thinking.thinking !== undefined) body.thinking = thinking.thinking;
  if (thinking.effort !== undefined) body.output_config = { ...body.output_config, effort: thinking.effort };
  const stop = stopSequences(conversation, leftovers);
  if (stop.length > 0) body.stop_sequences = stop;
  const userId = userIdOf(conversation, leftovers);
  if (userId !== undefined) body.metadata = { user_id: userId };
  const tier = settingOf(conversation, "serviceTier");
  if (tier === "auto") body.service_tier = "auto";
  else if (tier === "default") body.service_tier = "standard_only";
  else if (tier !== undefined) leftovers.note(conversation.names.serviceTier);
  const whole = controlOf(conversation.cache);
  if (whole !== undefined) body.cache_control = whole;
}

/**
 * The body of a call for this model. `facts`: what the model supports on this route. Throws `Untranslatable`.
 */
export function encodeRequest(
  asked: Conversation,
  context: EncodeContext,
  model: string,
  facts: ModelFacts = factsOf(model),
): Encoded<MessagesBody> {
  const conversation = withInlined(asked, context.media);
  const { memory } = context;
  const leftovers = new Leftovers(context.dropsParams === true);
  const isOwn = conversation.protocol === "anthropic-messages";
  checkSettings(conversation, isOwn ? ownRules : rules, leftovers);
  if (conversation.choices > 1) leftovers.leaveOut(conversation.names.choices);
  const body: MessagesBody = { max_tokens: maxTokensOf(conversation, context, facts), messages: [] };
  const own = planTools(conversation, facts, leftovers);
  const plan = planFormat(conversation, facts);
  const tools = applyFormat({ conversation, plan, tools: own, leftovers }, body);
  const first = loopStart(conversation.turns);
  const hasThoughts = first === undefined || thinksFirst(first, thoughtsOf(first, model, memory));
  const betas = context.forwarded?.["anthropic-beta"];
  const circumstances = {
    maxTokens: body.max_tokens,
    isForced: tools.isForced,
    hasThoughts,
    isBudgetOfTurn: betas !== undefined && thinksBetweenCalls(betasIn([betas])),
  };
  const thinking = planThinking(conversation, facts, circumstances, leftovers);
  const { system, messages } = encodeTurns(conversation, {
    facts,
    leftovers,
    isThinking: thinking.isOn,
    thoughtsOf: thinking.isOn ? (turn) => thoughtsOf(turn, model, memory) : () => noThoughts,
  });
  const instructions = [...system, ...(body.system ?? [])];
  if (instructions.length > 0) body.system = instructions;
  body.messages = messages;
  if (tools.tools.length > 0) body.tools = tools.tools;
  if (tools.choice !== undefined) body.tool_choice = tools.choice;
  settings(conversation, body, thinking, leftovers);
  Object.assign(body, sampling(conversation, facts, thinking.isOn, leftovers));
  if (context.isStream) body.stream = true;
  limitMarks(body);
  if (isOwn) keepManner(conversation, body, leftovers);
  return { body, dropped: leftovers.dropped };
}
