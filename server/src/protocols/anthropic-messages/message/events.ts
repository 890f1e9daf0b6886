/**
 * Writes a Messages stream's events as text and a whole message's blocks as JSON
 * (docs/wire/anthropic-messages.md sections 3 and 4). Does not decide their order.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { EndReason } from "../../../conversation/answer.ts";
import type { Citation } from "../../../conversation/blocks.ts";
import { isShallow, parseExact } from "../../../lib/json/exact-json.ts";
import { isRecord } from "../../../lib/record.ts";
import { usageOnWire } from "../usage.ts";

const json = (value: unknown): string => JSON.stringify(value);

export const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
export const messageStop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

/** The fields of a message, at its start or when it is complete. */
export interface MessageShape {
  readonly id: string;
  readonly model: string;
  /** JSON of each block. */
  readonly content: readonly string[];
  readonly stop: Stop | undefined;
  /** Undefined: not known. */
  readonly usage: Usage | undefined;
  /** Said in place of what is not known of the prompt; 0 = nothing is. */
  readonly promptTokens: number;
}

/** The finish reason in this format. */
export interface Stop {
  readonly reason: string;
  readonly text: string | undefined;
  /** The reason of a refusal; undefined when unknown. */
  readonly explanation: string | undefined;
}

/** How an answer ended. */
export interface Ending {
  readonly reason: EndReason;
  /** The stop sequence that ended the answer. */
  readonly stopText: string | undefined;
  readonly hasCalls: boolean;
  /** The text of the refusal. */
  readonly refusal: string;
}

/** A message with calls always ends with `tool_use`, which clients act on, unless it was cut off. */
export function stopOf({ reason, stopText, hasCalls, refusal }: Ending): Stop {
  const explanation = refusal === "" ? undefined : refusal;
  if (refusal !== "" || reason === "content_filter")
    return { reason: "refusal", text: undefined, explanation };
  if (reason === "length") return { reason: "max_tokens", text: undefined, explanation };
  if (hasCalls) return { reason: "tool_use", text: undefined, explanation };
  if (stopText !== undefined) return { reason: "stop_sequence", text: stopText, explanation };
  return { reason: "end_turn", text: undefined, explanation };
}

function stopMembers(stop: Stop | undefined): string {
  const details =
    stop?.reason === "refusal"
      ? json({ type: "refusal", category: null, explanation: stop.explanation ?? null })
      : "null";
  return `"stop_reason":${json(stop?.reason ?? null)},"stop_sequence":${json(stop?.text ?? null)},"stop_details":${details}`;
}

/**
 * Unknown usage as zeros and nulls, which clients do not take for a report. It has no counts by cache
 * lifetime, because clients keep those of the start.
 */
const unknownUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

const usageJson = (usage: Usage | undefined, promptTokens = 0): string =>
  json(usage === undefined ? { ...unknownUsage, input_tokens: promptTokens } : usageOnWire(usage));

/** A whole message. */
export function messageOnWire({ id, model, content, stop, usage, promptTokens }: MessageShape): string {
  const head = json({ id, type: "message", role: "assistant", model }).slice(0, -1);
  return `${head},"content":[${content}],${stopMembers(stop)},"usage":${usageJson(usage, promptTokens)}}`;
}

export const messageStart = (message: string): string =>
  `event: message_start\ndata: {"type":"message_start","message":${message}}\n\n`;

/**
 * The `message_delta` event. `stop`: undefined while the message is not over. `usage`: of the whole message.
 */
export const messageDelta = (stop: Stop | undefined, usage: Usage | undefined): string =>
  `event: message_delta\ndata: {"type":"message_delta","delta":{${stopMembers(stop)}},"usage":${usageJson(usage)}}\n\n`;

export const blockStart = (index: number, block: string): string =>
  `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${block}}\n\n`;

export const blockStop = (index: number): string =>
  `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;

/** The start of a delta event; a JSON value and `deltaEnd` complete it. */
export const deltaBefore = (index: number, type: string, member: string): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`;
export const deltaEnd = "}}\n\n";

export const textOnWire = (text: string, citations: readonly string[]): string =>
  `{"type":"text","text":${json(text)}${citations.length === 0 ? "" : `,"citations":[${citations}]`}}`;

export const thinkingOnWire = (thinking: string, signature: string): string =>
  json({ type: "thinking", thinking, signature });

export const redactedOnWire = (data: string): string => json({ type: "redacted_thinking", data });

/** Arguments nested deeper than any caller's body may be are kept as text. */
const depthMax = 64;

/** The arguments as the `input` object, with numbers unchanged. Anything but an object is kept as text. */
function inputOf(text: string): string {
  if (text.trim() === "") return "{}";
  const value = isShallow(text, depthMax) ? parseExact(text) : undefined;
  return isRecord(value) ? text.trim() : json({ _raw: text });
}

export const toolUseOnWire = (id: string, name: string, input: string): string =>
  `{"type":"tool_use","id":${json(id)},"name":${json(name)},"input":${inputOf(input)}}`;

/** A cited page. The data Anthropic would need to find it again is not available. */
export const citationOnWire = ({ url, title }: Citation): string =>
  json({ type: "web_search_result_location", cited_text: "", url, title, encrypted_index: "" });

/** True when the text is a complete JSON object, so nothing can follow. */
export function isWhole(text: string): boolean {
  if (!/\}\s*$/.test(text.slice(-16))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
