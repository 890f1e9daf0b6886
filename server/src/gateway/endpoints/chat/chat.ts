/**
 * `POST /v1/chat/completions`: what is special about chat, and nothing that
 * another endpoint does in the same way.
 */
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import type { Endpoint } from "../endpoint.ts";
import { samplingParams } from "../generation/sampling.ts";
import { type ChatFields, readChatFields, scanned } from "./chat-fields.ts";
import { promptTokens } from "./prompt.ts";
import { worstCaseOf } from "./worst-case.ts";

export const chat: Endpoint<ChatFields> = {
  path: "/v1/chat/completions",
  operation: "chat",
  protocol: openaiChat,
  scanned,
  promptField: "messages",
  sessionFields: ["prompt_cache_key", "user"],
  droppable: new Set([...samplingParams, "verbosity"]),
  read: readChatFields,
  worstCase: worstCaseOf,
  promptTokens,
};
