/**
 * The events of a Messages stream as text, and the blocks of a whole message as JSON
 * (docs/wire/anthropic-messages.md sections 3 and 4). Knows no order: that is the writer's.
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

/** What a message is before anything is said in it, and after all is. */
export interface MessageShape {
  readonly id: string;
  readonly model: string;
  /** JSON of each block. */
  readonly content: readonly string[];
  readonly stop: Stop | undefined;
  /** undefined = not known. */
  readonly usage: Usage | undefined;
}

/** Why a message is over, in this format's words. */
export interface Stop {
  readonly reason: string;
  readonly text: string | undefined;
  /** Of a refusal: why; undefined = not said. */
  readonly explanation: string | undefined;
}

/** How an answer ended. */
export interface Ending {
  readonly reason: EndReason;
  /** The text of the caller's it stopped at. */
  readonly stopText: string | undefined;
  readonly hasCalls: boolean;
  /** What was said in refusing. */
  readonly refusal: string;
}

/** Clients act on `tool_use`: a message with calls always says it, unless it was cut. */
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
 * Usage that is not known is told as nothing at all, which nobody takes for a report. By age it says nothing:
 * clients keep that of the start, whatever the end says.
 */
const unknownUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

const usageJson = (usage: Usage | undefined): string =>
  json(usage === undefined ? unknownUsage : usageOnWire(usage));

/** A whole message. */
export function messageOnWire({ id, model, content, stop, usage }: MessageShape): string {
  const head = json({ id, type: "message", role: "assistant", model }).slice(0, -1);
  return `${head},"content":[${content}],${stopMembers(stop)},"usage":${usageJson(usage)}}`;
}

export const messageStart = (message: string): string =>
  `event: message_start\ndata: {"type":"message_start","message":${message}}\n\n`;

/** `stop`: undefined while the message is not over. The usage is of the whole message. */
export const messageDelta = (stop: Stop | undefined, usage: Usage | undefined): string =>
  `event: message_delta\ndata: {"type":"message_delta","delta":{${stopMembers(stop)}},"usage":${usageJson(usage)}}\n\n`;

export const blockStart = (index: number, block: string): string =>
  `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${block}}\n\n`;

export const blockStop = (index: number): string =>
  `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;

/** What a delta begins with; a JSON value and `deltaEnd` make it whole. */
export const deltaBefore = (index: number, type: string, member: string): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`;
export const deltaEnd = "}}\n\n";

export const textOnWire = (text: string, citations: readonly string[]): string =>
  `{"type":"text","text":${json(text)}${citations.length === 0 ? "" : `,"citations":[${citations}]`}}`;

export const thinkingOnWire = (thinking: string, signature: string): string =>
  json({ type: "thinking", thinking, signature });

export const redactedOnWire = (data: string): string => json({ type: "redacted_thinking", data });

/** Arguments nested deeper than any caller's body may be. */
const depthMax = 64;

/** The arguments as the object that `input` is, digit for digit; what is none is kept as a text. */
function inputOf(text: string): string {
  if (text.trim() === "") return "{}";
  const value = isShallow(text, depthMax) ? parseExact(text) : undefined;
  return isRecord(value) ? text.trim() : json({ _raw: text });
}

export const toolUseOnWire = (id: string, name: string, input: string): string =>
  `{"type":"tool_use","id":${json(id)},"name":${json(name)},"input":${inputOf(input)}}`;

/** The page a text refers to. What Anthropic would find it again by is not there. */
export const citationOnWire = ({ url, title }: Citation): string =>
  json({ type: "web_search_result_location", cited_text: "", url, title, encrypted_index: "" });

/** Are these arguments a whole JSON object, so that nothing can follow? */
export function isWhole(text: string): boolean {
  if (!/\}\s*$/.test(text.slice(-16))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
