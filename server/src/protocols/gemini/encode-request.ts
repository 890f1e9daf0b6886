/**
 * A conversation → the body of generateContent and streamGenerateContent (docs/wire/gemini.md sections 1, 2
 * and 5). The neighbouring files encode its parts, one file per topic.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { Leftovers } from "../leftovers.ts";
import type { EncodeContext, Encoded } from "../protocol.ts";
import { checkSettings } from "../settings.ts";
import { type ToolSettings, toolSettings } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { factsOf, type ModelFacts } from "./models.ts";
import { generationConfig, googleOf, rulesOf, safetyOf, searchesWeb, tierOf } from "./settings.ts";
import type { Api, GenerateContentRequest } from "./wire.ts";

/**
 * True when the answer can be JSON together with these tools. Otherwise the format is refused by name or
 * dropped.
 */
function isFormatted(
  { format, names }: Conversation,
  tools: ToolSettings,
  facts: ModelFacts,
  leftovers: Leftovers,
): boolean {
  if (format.kind === "text") return false;
  if (tools.entries.length === 0) return true;
  // The answer will be a call, so a format does not apply.
  if (tools.config?.mode === "ANY") return false;
  if (facts.takesFormatWithTools) return true;
  leftovers.leaveOut(names.format, message("wire.jsonWithTools"));
  return false;
}

function bodyOf(
  conversation: Conversation,
  request: EncodeContext,
  { api, model, leftovers }: { api: Api; model: string; leftovers: Leftovers },
): GenerateContentRequest {
  checkSettings(conversation, rulesOf[api], leftovers);
  const facts = factsOf(model);
  const google = googleOf(conversation, leftovers);
  const isJson = conversation.format.kind !== "text";
  const searches = searchesWeb(conversation);
  const tools = toolSettings(conversation, leftovers, { facts, isJson, searches });
  const config = generationConfig(conversation, leftovers, {
    request,
    api,
    facts,
    google,
    isFormatted: isFormatted(conversation, tools, facts, leftovers),
  });
  const { systemInstruction, contents } = encodeTurns(conversation, {
    model,
    media: request.media,
    memory: request.memory,
    needsSignatures: facts.needsSignatures,
    takesSystem: facts.takesSystem,
    hasCallIds: api === "gemini",
  });
  const safety = safetyOf(google);
  const tier = tierOf(conversation, api, leftovers);
  return {
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    contents,
    ...(tools.entries.length === 0 ? {} : { tools: tools.entries }),
    ...(tools.config === undefined ? {} : { toolConfig: { functionCallingConfig: tools.config } }),
    ...(config === undefined ? {} : { generationConfig: config }),
    ...(safety.length === 0 ? {} : { safetySettings: safety }),
    ...(tier === undefined ? {} : { serviceTier: tier }),
  };
}

/** The body of one call. Throws `Untranslatable`. */
export function encodeRequest(
  conversation: Conversation,
  context: EncodeContext,
  api: Api,
  model: string,
): Encoded<GenerateContentRequest> {
  const leftovers = new Leftovers(context.dropsParams === true);
  return { body: bodyOf(conversation, context, { api, model, leftovers }), dropped: leftovers.dropped };
}
