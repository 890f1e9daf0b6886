/**
 * Counts what a caller received of a stream in any format: content tokens (the counting upstream sends one
 * per event), finish, usage and end.
 */
import { readAnswer } from "./endpoints.ts";
import { eventJson, finishReasons, isDone, isUsageOnly, splitEvents } from "./sse.ts";

export interface SeenStream {
  readonly tokens: number;
  readonly hasFinish: boolean;
  readonly hasUsage: boolean;
  readonly hasDone: boolean;
}

interface AnyEvent {
  readonly type?: unknown;
  /** A text of Responses; an object of Messages. */
  readonly delta?: unknown;
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[];
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: unknown }[] };
  }[];
}

/** The text that an event adds to the answer. */
function textIn(event: AnyEvent): unknown {
  if (event.choices !== undefined) return event.choices[0]?.delta?.content;
  if (event.candidates !== undefined) return event.candidates[0]?.content?.parts?.[0]?.text;
  if (event.type === "response.output_text.delta") return event.delta;
  if (event.type === "content_block_delta") return (event.delta as { text?: unknown } | undefined)?.text;
  return undefined;
}

/** The text that an event of a stream in any format adds to the answer; empty = none. */
export function addedText(piece: Buffer): string {
  const text = textIn((eventJson(piece) ?? {}) as AnyEvent);
  return typeof text === "string" ? text : "";
}

const hasContent = (piece: Buffer): boolean => addedText(piece) !== "";

/** What tells whether a stream is complete, where no marker does. */
const lastOf = (pieces: readonly Buffer[]): Buffer => Buffer.concat(pieces.slice(-2));

const streamHead = { status: 200, headers: { "content-type": "text/event-stream" }, isWhole: true };

/** Reads the received bytes; an incomplete last event does not count. */
export function readSeen(body: Buffer): SeenStream {
  const pieces = splitEvents(body);
  return {
    tokens: pieces.filter(hasContent).length,
    hasFinish: pieces.some((piece) => finishReasons(piece).length > 0),
    hasUsage: pieces.some(isUsageOnly),
    hasDone: pieces.some(isDone) || readAnswer({ ...streamHead, body: lastOf(pieces) }).isComplete,
  };
}
