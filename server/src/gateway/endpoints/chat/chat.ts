/** `POST /v1/chat/completions`. Holds only what differs from other endpoints. */
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import type { Endpoint } from "../endpoint.ts";
import { samplingParams } from "../generation/parameters.ts";
import { promptTokens } from "../generation/prompt-tokens.ts";
import { worstCaseOf } from "../generation/worst-case.ts";
import { audioIds } from "./audio-ids.ts";
import { type ChatFields, readChatFields, scanned } from "./chat-fields.ts";

export const chat: Endpoint<ChatFields> = {
  path: "/v1/chat/completions",
  fingerprintMark: "",
  operation: "chat",
  protocol: openaiChat,
  scanned,
  promptField: "messages",
  sessionFields: ["prompt_cache_key", "user"],
  droppable: new Set([...samplingParams, "verbosity"]),
  read: readChatFields,
  worstCase: worstCaseOf,
  promptTokens,
  named: audioIds,
};
