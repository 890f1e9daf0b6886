/**
 * The wire formats of callers whose conversations are translated, by a name that can be sent to a thread.
 */
import { anthropicMessages } from "../../../protocols/anthropic-messages/answers/answers.ts";
import { messagesCount } from "../../../protocols/anthropic-messages/endpoint/count-protocol.ts";
import { gemini } from "../../../protocols/gemini/answers/answers.ts";
import { geminiCount } from "../../../protocols/gemini/answers/count-protocol.ts";
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import { openaiResponses } from "../../../protocols/openai-responses/answers/answers.ts";
import { responsesCount } from "../../../protocols/openai-responses/answers/count-protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";

const callers = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
  gemini,
  "count openai-responses": responsesCount,
  "count anthropic-messages": messagesCount,
  "count gemini": geminiCount,
} as const satisfies Record<string, WireProtocol>;

export type CallerId = keyof typeof callers;

/** The protocol with this name. How its streams are framed is not known here. */
export const callerOf = (id: CallerId): WireProtocol => callers[id];

/** The name of a protocol; undefined where no conversations are told in it. */
export function callerIdOf({
  format,
  writeCount,
}: Pick<WireProtocol, "format" | "writeCount">): CallerId | undefined {
  if (format === undefined) return undefined;
  const id = writeCount === undefined ? format.id : `count ${format.id}`;
  return Object.hasOwn(callers, id) ? (id as CallerId) : undefined;
}
