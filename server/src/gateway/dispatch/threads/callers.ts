/**
 * The wire formats of callers whose conversations are translated, and those of the answers that count tokens
 * for them, by a name that can be sent to a thread. A new one is a line here; its id stands in the contract.
 */
import assert from "node:assert/strict";
import type { FormatId } from "@plaza/contract/formats.ts";
import { anthropicMessages } from "../../../protocols/anthropic-messages/answers/answers.ts";
import { messagesCount } from "../../../protocols/anthropic-messages/endpoint/count-protocol.ts";
import { gemini } from "../../../protocols/gemini/answers/answers.ts";
import { geminiCount } from "../../../protocols/gemini/answers/count-protocol.ts";
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import { openaiResponses } from "../../../protocols/openai-responses/answers/answers.ts";
import { responsesCount } from "../../../protocols/openai-responses/answers/count-protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";

/** At most one of each format that answers, and one that counts (`writeCount`). */
export const callerProtocols: readonly WireProtocol[] = [
  openaiChat,
  openaiResponses,
  responsesCount,
  anthropicMessages,
  messagesCount,
  gemini,
  geminiCount,
];

export type CallerId = FormatId | `count ${FormatId}`;

type Named = Pick<WireProtocol, "format" | "writeCount">;

function nameOf({ format, writeCount }: Named): CallerId | undefined {
  if (format === undefined) return undefined;
  return writeCount === undefined ? format.id : `count ${format.id}`;
}

const byName = new Map(callerProtocols.map((protocol) => [nameOf(protocol), protocol]));

/** The protocol with this name. How its streams are framed is not known here. */
export function callerOf(id: CallerId): WireProtocol {
  const protocol = byName.get(id);
  assert(protocol !== undefined, id);
  return protocol;
}

/** The name of a protocol; undefined where no conversations are told in it. */
export function callerIdOf(protocol: Named): CallerId | undefined {
  const id = nameOf(protocol);
  return byName.has(id) ? id : undefined;
}
