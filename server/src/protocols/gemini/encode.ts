/**
 * A caller's chat request → the body of generateContent and streamGenerateContent (docs/wire/gemini.md sections
 * 1, 2 and 5). The parts are translated beside this file, one file per topic.
 */

import { Leftovers } from "../leftovers.ts";
import { checkParams } from "../openai-chat/params.ts";
import { type ChatRequest, readChatRequest } from "../openai-chat/request.ts";
import type { ProviderRequest } from "../protocol.ts";
import { conversationOf } from "./contents.ts";
import { factsOf, type ModelFacts } from "./models.ts";
import { generationConfig, googleOf, rulesOf, safetyOf, searchesWeb, tierOf } from "./settings.ts";
import { type ToolSettings, toolSettings } from "./tools.ts";
import type { Api, GenerateContentRequest } from "./wire.ts";

/** May the answer be held to JSON beside these tools? Where not, it is refused by name, or left out. */
function isFormatted(
  chat: ChatRequest,
  tools: ToolSettings,
  facts: ModelFacts,
  leftovers: Leftovers,
): boolean {
  if (chat.format.kind === "text") return false;
  if (tools.entries.length === 0) return true;
  // The answer will be a call, which no format is about.
  if (tools.config?.mode === "ANY") return false;
  if (facts.takesFormatWithTools) return true;
  leftovers.leaveOut("response_format", "This model cannot answer in JSON while it has tools to call.");
  return false;
}

function bodyOf(
  request: ProviderRequest,
  api: Api,
  model: string,
  leftovers: Leftovers,
): GenerateContentRequest {
  const chat = readChatRequest(request);
  const { raw } = chat;
  checkParams(raw, rulesOf[api], leftovers);
  const facts = factsOf(model);
  const google = googleOf(raw, leftovers);
  const isJson = chat.format.kind !== "text";
  const tools = toolSettings(chat.toolUse, leftovers, { facts, isJson, searches: searchesWeb(raw) });
  const config = generationConfig(chat, leftovers, {
    request,
    api,
    facts,
    google,
    isFormatted: isFormatted(chat, tools, facts, leftovers),
  });
  const { systemInstruction, contents } = conversationOf(chat.messages, {
    model,
    media: request.media,
    memory: request.memory,
    needsSignatures: facts.needsSignatures,
    takesSystem: facts.takesSystem,
    hasCallIds: api === "gemini",
  });
  const safety = safetyOf(google);
  const tier = tierOf(raw, api, leftovers);
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

/** The body of one call, and what was left out of it. Throws `Untranslatable`. */
export function encodeGenerateContent(
  request: ProviderRequest,
  api: Api,
  model: string,
): { readonly body: GenerateContentRequest; readonly dropped: readonly string[] | undefined } {
  const leftovers = new Leftovers(request.dropsParams === true);
  return { body: bodyOf(request, api, model, leftovers), dropped: leftovers.dropped };
}
