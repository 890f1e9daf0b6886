/**
 * Counts what a caller received of a stream: content tokens (the counting upstream sends one per event),
 * finish and end.
 */
import { eventJson, finishReasons, isDone, isUsageOnly, splitEvents } from "./sse.ts";

export interface SeenStream {
  readonly tokens: number;
  readonly hasFinish: boolean;
  readonly hasUsage: boolean;
  readonly hasDone: boolean;
}

function hasContent(piece: Buffer): boolean {
  const value = eventJson(piece) as { choices?: { delta?: { content?: unknown } }[] } | undefined;
  const content = value?.choices?.[0]?.delta?.content;
  return typeof content === "string" && content !== "";
}

/** Reads the received bytes; an incomplete last event does not count. */
export function readSeen(body: Buffer): SeenStream {
  const pieces = splitEvents(body);
  return {
    tokens: pieces.filter(hasContent).length,
    hasFinish: pieces.some((piece) => finishReasons(piece).length > 0),
    hasUsage: pieces.some(isUsageOnly),
    hasDone: pieces.some(isDone),
  };
}
